package main

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"text/template"
	"time"

	"github.com/spf13/cobra"
	"github.com/theupdateframework/go-tuf/v2/metadata"

	"piwork/pack/trust"
	"piwork/pack/trust/channel"
	"piwork/pack/trust/channel/repo"
)

//go:embed runbook.md
var runbook string

// holder is a directory of a ceremony, which somebody gets.
type holder struct {
	dir  string
	keys []string
}

// madeKey is a key of a ceremony and the file of its private part.
type madeKey struct {
	trust.Key
	file string
}

// holders says which keys a ceremony makes and who holds them, by directory. No
// holder alone can change what programs trust, and one of three may be lost.
var holders = []holder{
	{"holder-1", []string{"root-1", "targets-1"}},
	{"holder-2", []string{"root-2", "targets-2"}},
	{"holder-3", []string{"root-3"}},
	{"online", []string{"online"}},
	{"maker", []string{"offers", "pack"}},
}

func (t *tool) ceremonyCommand() *cobra.Command {
	var out, into string
	var urls []string
	c := &cobra.Command{
		Use: "ceremony DIR --out SAFE_DIR --url URL", Short: "make everything that releases need, once", Args: cobra.ExactArgs(1),
		Long: `Makes everything that releases need, once. Do it on a computer that is offline.

  SAFE_DIR/holder-1, -2, -3   a root key each, two of which must sign; the first two
                              also have a key of targets, both of which must sign
  SAFE_DIR/online             the key of snapshot and timestamp
  SAFE_DIR/maker              the key that offers releases, and the one that signs packs
  SAFE_DIR/RUNBOOK.md         where these go, and every later step with its commands
  DIR                         the channel, which offers nothing yet
  INTO                        root.json and channel, which are compiled into releases

Private keys have no password: the run-book says how to keep them. A root that is
there already is never replaced; its keys change with "rotate".`,
		RunE: func(_ *cobra.Command, args []string) error {
			return t.ceremony(args[0], out, into, urls)
		},
	}
	f := c.Flags()
	f.StringVar(&out, "out", "", "directory for keys and run-book; it must not exist")
	f.StringVar(&into, "into", filepath.Join("pack", "trust", "keys"), "directory of what is compiled in")
	f.StringArrayVar(&urls, "url", nil, "address that the channel will be served at, best first; may be repeated")
	_ = c.MarkFlagRequired("out")
	_ = c.MarkFlagRequired("url")
	return c
}

func (t *tool) ceremony(dir, out, into string, urls []string) error {
	if err := checkURLs(urls); err != nil {
		return err
	}
	if info, err := os.Stat(into); err != nil || !info.IsDir() {
		return fmt.Errorf("--into %s is no directory: call this in a checkout of piwork, or name one", into)
	}
	for _, name := range []string{"root.json", trust.ChannelAddressFile} {
		if _, err := os.Stat(filepath.Join(into, name)); !errors.Is(err, fs.ErrNotExist) {
			return errors.Join(fmt.Errorf("%s is there already: programs trust it, and a new root would leave them behind. Keys change with rotate", filepath.Join(into, name)), err)
		}
	}
	if err := os.Mkdir(out, 0o700); err != nil {
		return err
	}
	keys, err := t.makeKeys(out)
	if err != nil {
		return err
	}
	r, err := t.found(dir, keys)
	if err != nil {
		return err
	}
	root, err := r.Root()
	if err != nil {
		return err
	}
	text, err := t.runbook(dir, out, urls, r, keys)
	if err != nil {
		return err
	}
	addresses := "# Where updates come from, best first. What is served there is not trusted: it is signed.\n" + strings.Join(urls, "\n") + "\n"
	for _, f := range []struct {
		name string
		data []byte
		mode fs.FileMode
	}{
		{filepath.Join(out, "RUNBOOK.md"), text, 0o600},
		{filepath.Join(into, trust.ChannelAddressFile), []byte(addresses), 0o644},
		{filepath.Join(into, "root.json"), root, 0o644},
	} {
		if err := os.WriteFile(f.name, f.data, f.mode); err != nil {
			return err
		}
	}
	t.say("made the channel in %s and its keys in %s; go on with %s", dir, out, filepath.Join(out, "RUNBOOK.md"))
	return nil
}

// makeKeys makes the keys of all holders, by name, and has t sign with them.
func (t *tool) makeKeys(out string) (map[string]madeKey, error) {
	keys := map[string]madeKey{}
	var dirs []string
	for _, h := range holders {
		dirs = append(dirs, filepath.Join(out, h.dir))
		for _, name := range h.keys {
			file := filepath.Join(out, h.dir, name+".key")
			k, err := trust.GenerateDeveloperKey(file, name)
			if err != nil {
				return nil, err
			}
			keys[name] = madeKey{k, file}
		}
	}
	t.keys = strings.Join(dirs, string(filepath.ListSeparator))
	return keys, nil
}

// found starts the repository.
func (t *tool) found(dir string, keys map[string]madeKey) (*repo.Repo, error) {
	var err error
	role := func(threshold int, names ...string) repo.Role {
		for i, name := range names {
			names[i] = keys[name].file + ".pub"
		}
		r, failed := t.role(names, threshold, false)
		err = errors.Join(err, failed)
		return r
	}
	roles := map[string]repo.Role{
		metadata.ROOT: role(2, "root-1", "root-2", "root-3"), metadata.TARGETS: role(2, "targets-1", "targets-2"),
		metadata.SNAPSHOT: role(1, "online"), metadata.TIMESTAMP: role(1, "online"),
	}
	offers := role(1, "offers")
	if err != nil {
		return nil, err
	}
	pem, err := keys["pack"].PEM()
	if err != nil {
		return nil, err
	}
	o, err := t.options()
	if err != nil {
		return nil, err
	}
	list := channel.KeyList{Signing: []channel.SigningKey{{Name: "release-" + o.Now.UTC().Format("2006"), PEM: string(pem)}}}
	r, err := repo.Init(dir, roles, list, o)
	if err != nil {
		return nil, err
	}
	if err := r.AddChannel(t.channel, offers); err != nil {
		return nil, err
	}
	return r, t.publish(r)
}

// runbook writes down what was made and what is to be done, when.
func (t *tool) runbook(dir, out string, urls []string, r *repo.Repo, keys map[string]madeKey) ([]byte, error) {
	about, err := r.Describe()
	if err != nil {
		return nil, err
	}
	o, err := t.options()
	if err != nil {
		return nil, err
	}
	text, err := template.New("run-book").Parse(runbook)
	if err != nil {
		return nil, err
	}
	absolute := func(p string) string {
		if a, err := filepath.Abs(p); err == nil {
			return a
		}
		return p
	}
	var b bytes.Buffer
	err = text.Execute(&b, map[string]any{
		"Date": o.Now.UTC().Format(time.DateOnly), "Dir": absolute(dir), "Safe": absolute(out), "URLs": urls,
		"Channel": t.channel, "About": about, "Keys": keys,
	})
	return b.Bytes(), err
}

// checkURLs wants addresses that reach a server without an error of typing.
func checkURLs(urls []string) error {
	if len(urls) == 0 {
		return errors.New("no address of the channel")
	}
	for _, text := range urls {
		u, err := url.Parse(text)
		if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || strings.ContainsAny(text, " #") {
			return fmt.Errorf("%q is no address of a web server, https://…, without a password", text)
		}
	}
	return nil
}

func (t *tool) readyCommand() *cobra.Command {
	return &cobra.Command{
		Use: "ready [KEYS_DIR]", Short: "check what is compiled into a release", Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			dir := filepath.Join("pack", "trust", "keys")
			if len(args) > 0 {
				dir = args[0]
			}
			if err := ready(dir); err != nil {
				return fmt.Errorf("no release can be built: %w", err)
			}
			return nil
		},
	}
}

// builtCommand says what this very program has, as every program of this tree that
// is built in the same way.
func (t *tool) builtCommand() *cobra.Command {
	return &cobra.Command{
		Use: "built", Short: "say what a program that is built as this one trusts", Args: cobra.NoArgs, Hidden: true,
		RunE: func(*cobra.Command, []string) error {
			kind := "release"
			if trust.DeveloperBuild {
				kind = "developer"
			}
			root, err := trust.ChannelRoot(trust.Options{})
			if err != nil {
				return fmt.Errorf("%s: %w", kind, err)
			}
			t.say("%s, %s, root %x", kind, strings.Join(trust.ChannelURLs(trust.Options{}), " "), sha256.Sum256(root))
			return nil
		},
	}
}

// ready checks root and addresses in dir as a released program would use them.
func ready(dir string) error {
	built := trust.Options{Built: underKeys{os.DirFS(dir)}}
	root, err := trust.ChannelRoot(built)
	if errors.Is(err, trust.ErrNoChannel) {
		return fmt.Errorf("there is no %s, the root of trust of the update channel: ./scripts/release ceremony makes it, once", filepath.Join(dir, "root.json"))
	}
	if err != nil {
		return err
	}
	m, err := metadata.Root().FromBytes(root)
	if err != nil {
		return fmt.Errorf("root.json: %w", err)
	}
	for _, role := range []string{metadata.ROOT, metadata.TARGETS} {
		if threshold := m.Signed.Roles[role].Threshold; threshold < 2 {
			return fmt.Errorf("root.json: %d key signs the %s; a release needs at least two", threshold, role)
		}
	}
	work, err := os.MkdirTemp("", "piwork-ready-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if _, err := channel.Open(channel.Options{Root: root, Dir: work, Name: "stable"}); err != nil {
		return err
	}
	if err := checkURLs(trust.ChannelURLs(built)); err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(dir, trust.ChannelAddressFile), err)
	}
	return nil
}

// underKeys is a directory as the program embeds it, under the name keys.
type underKeys struct{ fs.FS }

func (u underKeys) Open(name string) (fs.File, error) {
	inside, ok := strings.CutPrefix(name, "keys/")
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return u.FS.Open(inside)
}
