package main

import (
	"crypto"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sigstore/sigstore/pkg/cryptoutils"
	"github.com/sigstore/sigstore/pkg/signature"
	"github.com/spf13/cobra"

	"piwork/pack/trust"
	"piwork/pack/trust/channel"
	"piwork/pack/trust/channel/repo"
)

// signers loads every private key of the key directories, in the order of names.
func (t *tool) signers() ([]signature.Signer, error) {
	var out []signature.Signer
	for _, dir := range filepath.SplitList(t.keys) {
		names, err := fs.Glob(os.DirFS(dir), "*.key") // in their order
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			s, err := loadSigner(filepath.Join(dir, name))
			if err != nil {
				return nil, err
			}
			out = append(out, s)
		}
	}
	return out, nil
}

// keyDir is the directory of private keys in which new ones are made.
func (t *tool) keyDir() string {
	dir, _, _ := strings.Cut(t.keys, string(filepath.ListSeparator))
	return dir
}

func loadSigner(file string) (*trust.Signer, error) {
	return trust.LoadSigner(file, func(bool) ([]byte, error) {
		if p, ok := os.LookupEnv("COSIGN_PASSWORD"); ok {
			return []byte(p), nil
		}
		return nil, fmt.Errorf("%s has a password: set COSIGN_PASSWORD", file)
	})
}

// publicKey returns the public key in a file NAME.pub, or the one that belongs
// to the private key NAME.key in the key directory, which is made when it is
// missing and make is set.
func (t *tool) publicKey(name string, make bool) (crypto.PublicKey, error) {
	file := name
	if !strings.ContainsRune(name, filepath.Separator) && !strings.HasSuffix(name, ".pub") {
		file = filepath.Join(t.keyDir(), name+".key.pub")
		if make {
			_, err := trust.GenerateDeveloperKey(filepath.Join(t.keyDir(), name+".key"), name)
			if err != nil && !errors.Is(err, fs.ErrExist) {
				return nil, err
			}
			if err == nil {
				t.say("made %s", filepath.Join(t.keyDir(), name+".key"))
			}
		}
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	public, err := cryptoutils.UnmarshalPEMToPublicKey(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return public, nil
}

// role collects public keys. "NAME" is a key of the key directory, a path or
// NAME.pub a file.
func (t *tool) role(names []string, threshold int, make bool) (repo.Role, error) {
	r := repo.Role{Threshold: threshold}
	for _, name := range names {
		public, err := t.publicKey(name, make)
		if err != nil {
			return r, err
		}
		r.Keys = append(r.Keys, public)
	}
	return r, nil
}

// packKey reads a public key that signs packs.
func packKey(file, name string) (channel.SigningKey, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return channel.SigningKey{}, err
	}
	if name == "" {
		name = strings.TrimSuffix(strings.TrimSuffix(filepath.Base(file), ".pub"), ".key")
	}
	keys, err := trust.ParseKeys(data, trust.Release, name)
	if err != nil || len(keys) != 1 {
		return channel.SigningKey{}, errors.Join(fmt.Errorf("%s: %d public keys, want one", file, len(keys)), err)
	}
	pem, err := keys[0].PEM()
	return channel.SigningKey{ID: keys[0].ID, Name: keys[0].Name, PEM: string(pem)}, err
}

func (t *tool) initCommand() *cobra.Command {
	var roots, targets, online, offers, packs []string
	var rootThreshold, targetsThreshold int
	var developer bool
	c := &cobra.Command{
		Use: "init DIR", Short: "start a repository with one channel", Args: cobra.ExactArgs(1),
		Long: `Starts a repository with one channel that offers nothing yet.

Keys are named as files of the key directory (NAME for NAME.key), or as files with
public keys (path, or NAME.pub). Keys of the key directory that are missing are
made. --developer makes a channel of your own: one key for each role, your
developer key may sign packs, and developer builds trust the channel
(channel-root.json in the config directory).`,
		RunE: func(_ *cobra.Command, args []string) error {
			if developer {
				own := filepath.Join(configDir(), "developer.key.pub")
				if _, err := os.Stat(own); err != nil {
					return fmt.Errorf("your developer key, which ./scripts/pack makes: %w", err)
				}
				packs = append(packs, own)
			}
			roles := map[string]repo.Role{}
			for _, r := range []struct {
				name      string
				keys      []string
				threshold int
			}{{"root", roots, rootThreshold}, {"targets", targets, targetsThreshold}, {"snapshot", online, 1}, {"timestamp", online, 1}, {t.channel, offers, 1}} {
				names := r.keys
				if len(names) == 0 {
					names = []string{r.name}
				}
				role, err := t.role(names, r.threshold, true)
				if err != nil {
					return fmt.Errorf("keys of %s: %w", r.name, err)
				}
				roles[r.name] = role
			}
			var list channel.KeyList
			for _, file := range packs {
				k, err := packKey(file, "")
				if err != nil {
					return err
				}
				list.Signing = append(list.Signing, k)
			}
			o, err := t.options()
			if err != nil {
				return err
			}
			r, err := repo.Init(args[0], roles, list, o)
			if err != nil {
				return err
			}
			if err := r.AddChannel(t.channel, roles[t.channel]); err != nil {
				return err
			}
			if err := t.publish(r); err != nil {
				return err
			}
			root, err := r.Root()
			if err != nil {
				return err
			}
			if !developer {
				t.say("made %s; compile %s in as pack/trust/keys/root.json", args[0], filepath.Join(args[0], "metadata", "1.root.json"))
				return nil
			}
			file := filepath.Join(configDir(), trust.ChannelRootFile)
			if err := os.WriteFile(file, root, 0o600); err != nil {
				return err
			}
			t.say("made %s; developer builds trust it (%s)", args[0], file)
			return nil
		},
	}
	f := c.Flags()
	f.StringSliceVar(&roots, "root", nil, "keys of root")
	f.IntVar(&rootThreshold, "root-threshold", 1, "how many of them must sign")
	f.StringSliceVar(&targets, "targets", nil, "keys of targets")
	f.IntVar(&targetsThreshold, "targets-threshold", 1, "how many of them must sign")
	f.StringSliceVar(&online, "online", nil, "keys of snapshot and timestamp, one of which must sign")
	f.StringSliceVar(&offers, "offers", nil, "keys of the channel, one of which must sign")
	f.StringSliceVar(&packs, "pack-key", nil, "files with public keys that may sign packs")
	f.BoolVar(&developer, "developer", false, "a channel of your own")
	return c
}

func (t *tool) rotateCommand() *cobra.Command {
	var keys []string
	var threshold int
	c := &cobra.Command{
		Use: "rotate DIR ROLE", Short: "give root, targets, snapshot, timestamp or a channel other keys", Args: cobra.ExactArgs(2),
		Long: `Replaces the keys of a role. Those that are left out are worth nothing from then on.
New keys of root, targets, snapshot and timestamp need a new root, which the keys
of the old one and of the new one must sign. Taking a key of snapshot or timestamp
out also lets clients forget the versions that its thief may have signed.`,
		RunE: t.change(func(_ *cobra.Command, r *repo.Repo, args []string) error {
			role, err := t.role(keys, threshold, true)
			if err != nil {
				return err
			}
			return r.SetRole(args[0], role)
		}),
	}
	c.Flags().StringSliceVar(&keys, "key", nil, "all keys of the role from now on, as for init")
	c.Flags().IntVar(&threshold, "threshold", 0, "how many of them must sign (as many as before)")
	return c
}

func (t *tool) trustCommand() *cobra.Command {
	var name string
	c := &cobra.Command{
		Use: "trust DIR FILE.pub", Short: "let a key sign packs", Args: cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			k, err := packKey(args[1], name)
			if err != nil {
				return err
			}
			return t.editKeyList(args[0], func(l *channel.KeyList) error {
				l.Signing = append(l.Signing, k)
				return nil
			})
		},
	}
	c.Flags().StringVar(&name, "name", "", "what people know the key by (name of the file)")
	return c
}

func (t *tool) revokeCommand() *cobra.Command {
	var reason string
	c := &cobra.Command{
		Use: "revoke DIR KEY", Short: "let a key sign packs no more, also those that it signed", Args: cobra.ExactArgs(2),
		Long: `Revokes a key that signs packs: an id (as show prints it) or a file with the public
key. Every pack that it signed is refused from then on, installed ones too: offer a
release with another key's signature first.`,
		RunE: func(_ *cobra.Command, args []string) error {
			id := args[1]
			if _, err := os.Stat(id); err == nil {
				k, err := packKey(id, "key")
				if err != nil {
					return err
				}
				id = k.ID
			}
			return t.editKeyList(args[0], func(l *channel.KeyList) error {
				l.Signing = slices.DeleteFunc(l.Signing, func(k channel.SigningKey) bool { return k.ID == id })
				l.Revoked = append(l.Revoked, channel.RevokedKey{ID: id, Reason: reason})
				return nil
			})
		},
	}
	c.Flags().StringVar(&reason, "reason", "", "why, for people")
	return c
}
