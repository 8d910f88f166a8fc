// Command release makes and changes the directory of an update channel.
// ./scripts/release builds and calls it; pack/trust/channel says what the
// directory holds and pack/trust/channel/repo how it changes.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"time"

	"github.com/adrg/xdg"
	"github.com/spf13/cobra"

	"piwork/pack/trust/channel/repo"
)

const help = `Makes and changes the directory of an update channel.

The directory can be served by any web server, copied to mirrors, or put on a
disk. Whoever serves it is not trusted: everything is signed, and verified from
the root that is compiled into the program (pack/trust/keys/root.json).

For releases, once, on a computer that is offline: all keys, the channel, what is
compiled in, and a run-book with every later step (--help says more):

  ./scripts/release ceremony CHANNEL_DIR --out SAFE_DIR --url https://…

A channel of your own, for a developer build:

  ./scripts/release init  CHANNEL_DIR --developer
  ./scripts/release add   CHANNEL_DIR "$(./scripts/pack)"
  piwork pack update --channel-url URL_OF_CHANNEL_DIR

For an installation without a network, with the program for that platform:

  ./scripts/release bundle CHANNEL_DIR linux-amd64 --app PROGRAM --out BUNDLE_DIR

Every day, from a timer, with the keys of snapshot and timestamp alone:

  ./scripts/release refresh CHANNEL_DIR --keys ONLINE_KEYS

Keys are files NAME.key (private, PKCS #8 or cosign's, with COSIGN_PASSWORD for
the password) in the directory --keys; every key that a step wants and that is
there signs. A step that more people have to sign stays in CHANNEL_DIR/staged:
pass the directory on, and call "sign" with the next keys until it is published.

  root       says which keys the others have; keep it offline, two of three
  targets    says which keys may sign packs, and which versions are withdrawn;
             offline, two of two
  snapshot, timestamp   sign what is newest; online
  CHANNEL    offers releases; where releases are made

SOURCE_DATE_EPOCH sets the clock, so that the same steps give the same bytes.`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// tool is what every command has.
type tool struct {
	out     io.Writer
	keys    string // directories of private keys, as in PATH
	channel string
	life    repo.Lifetimes
}

func run(ctx context.Context, args []string, out io.Writer) error {
	t := &tool{out: out}
	root := &cobra.Command{
		Use: "release", Short: "Makes and changes the directory of an update channel", Long: help,
		SilenceUsage: true, SilenceErrors: true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	f := root.PersistentFlags()
	f.StringVar(&t.keys, "keys", filepath.Join(configDir(), "channel-keys"), "directory of private keys, NAME.key; or several, as in PATH: new ones are made in the first")
	f.StringVar(&t.channel, "channel", "stable", "name of the channel")
	f.DurationVar(&t.life.Timestamp, "timestamp-lifetime", 0, "how long a timestamp holds: the longest a freeze goes unnoticed (168h)")
	f.DurationVar(&t.life.Snapshot, "snapshot-lifetime", 0, "how long a snapshot holds (720h)")
	f.DurationVar(&t.life.Targets, "targets-lifetime", 0, "how long targets and channels hold (4320h)")
	f.DurationVar(&t.life.Root, "root-lifetime", 0, "how long a root holds (8760h)")
	root.AddCommand(t.initCommand(), t.addCommand(), t.refreshCommand(), t.renewCommand(), t.rotateCommand(),
		t.trustCommand(), t.revokeCommand(), t.withdrawCommand(), t.minimumCommand(), t.signCommand(), t.showCommand(), t.checkCommand(), t.bundleCommand(),
		t.ceremonyCommand(), t.readyCommand(), t.builtCommand())
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(out)
	return root.ExecuteContext(ctx)
}

// configDir is where the program keeps its settings.
func configDir() string {
	if dir := os.Getenv("PIWORK_CONFIG_DIR"); dir != "" {
		return dir
	}
	return filepath.Join(xdg.ConfigHome, "piwork")
}

// options of the repository at the time of this step.
func (t *tool) options() (repo.Options, error) {
	o := repo.Options{Now: time.Now(), Lifetimes: t.life}
	if epoch := os.Getenv("SOURCE_DATE_EPOCH"); epoch != "" {
		n, err := strconv.ParseInt(epoch, 10, 64)
		if err != nil {
			return o, fmt.Errorf("SOURCE_DATE_EPOCH: %w", err)
		}
		o.Now = time.Unix(n, 0)
	}
	return o, nil
}

func (t *tool) open(dir string) (*repo.Repo, error) {
	o, err := t.options()
	if err != nil {
		return nil, err
	}
	return repo.Open(dir, o)
}

// on runs a command whose first argument is the directory of a repository.
func (t *tool) on(do func(c *cobra.Command, r *repo.Repo, args []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		r, err := t.open(args[0])
		if err != nil {
			return err
		}
		return do(c, r, args[1:])
	}
}

// change is on, and publishes what the command changed.
func (t *tool) change(do func(c *cobra.Command, r *repo.Repo, args []string) error) func(*cobra.Command, []string) error {
	return t.on(func(c *cobra.Command, r *repo.Repo, args []string) error {
		if err := do(c, r, args); err != nil {
			return err
		}
		return t.publish(r)
	})
}

func (t *tool) publish(r *repo.Repo) error {
	signers, err := t.signers()
	if err != nil {
		return err
	}
	return r.Publish(signers...)
}

func (t *tool) say(format string, args ...any) { fmt.Fprintf(t.out, format+"\n", args...) }
