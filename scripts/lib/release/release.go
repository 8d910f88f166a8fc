package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"piwork/pack"
	"piwork/pack/spec"
	"piwork/pack/trust"
	"piwork/pack/trust/channel"
	"piwork/pack/trust/channel/repo"
)

// archive is one pack that was verified.
type archive struct {
	file     string
	manifest *spec.Manifest
	head     int64  // bytes
	digest   string // SHA-256 of the manifest, hex
	target   channel.Target
}

func (t *tool) addCommand() *cobra.Command {
	var notes string
	c := &cobra.Command{
		Use: "add DIR ARCHIVE…", Short: "offer packs as the newest release", Args: cobra.MinimumNArgs(2),
		Long: `Offers packs as the newest release of the channel: runtimes, each for its own
platform, and the add-ons that were made with them (same version). Every archive is
verified first, as clients will: signed by a key that the repository trusts. What is
not newer than what the channel offers is refused: no client would take it.`,
		RunE: t.change(func(c *cobra.Command, r *repo.Repo, files []string) error {
			var text []byte
			if notes != "" {
				var err error
				if text, err = os.ReadFile(notes); err != nil {
					return err
				}
			}
			return t.add(c.Context(), r, files, strings.TrimSpace(string(text)))
		}),
	}
	c.Flags().StringVar(&notes, "notes", "", "file with what is new, plain text for people")
	return c
}

// add verifies all archives and matches them before it changes anything.
func (t *tool) add(ctx context.Context, r *repo.Repo, files []string, notes string) error {
	ring, err := packRing(r)
	if err != nil {
		return err
	}
	var runtimes, addOns []*archive
	for _, f := range files {
		a, err := verified(ctx, f, ring)
		if err != nil {
			return err
		}
		if _, ok := a.manifest.AddOn(); ok {
			addOns = append(addOns, a)
		} else {
			runtimes = append(runtimes, a)
		}
	}
	if len(runtimes) == 0 {
		return errors.New("no runtime among the archives")
	}
	for _, add := range addOns {
		if !slices.ContainsFunc(runtimes, add.goesWith) {
			return fmt.Errorf("%s was made for none of these runtimes", add.manifest.ArchiveName())
		}
	}
	for _, a := range runtimes { // before anything is copied
		rel := channel.Release{Version: a.manifest.Version, Archive: channel.Target{Manifest: a.digest}}
		if err := r.Supersedes(t.channel, a.host(), rel); err != nil {
			return err
		}
	}
	for _, a := range slices.Concat(runtimes, addOns) {
		if a.target, err = r.AddArchive(a.file, a.manifest.ArchiveName(), a.head, a.digest); err != nil {
			return err
		}
	}
	for _, a := range runtimes {
		rel := channel.Release{Version: a.manifest.Version, Archive: a.target, RequiresApp: a.manifest.RequiresApp, Notes: notes, AddOns: map[string]channel.Target{}}
		for _, add := range addOns {
			if name, _ := add.manifest.AddOn(); add.goesWith(a) {
				rel.AddOns[name] = add.target
			}
		}
		if err := r.AddRelease(t.channel, a.host(), rel); err != nil {
			return err
		}
		t.say("%s %s for %s, with add-ons %v", t.channel, rel.Version, a.host(), slices.Sorted(maps.Keys(rel.AddOns)))
	}
	return nil
}

// host is the platform of a runtime.
func (a *archive) host() string { return a.manifest.HostOS + "-" + a.manifest.HostArch }

// goesWith tells whether an add-on was made with a runtime.
func (a *archive) goesWith(base *archive) bool {
	return a.manifest.Version == base.manifest.Version && a.manifest.FitsOver(base.manifest)
}

// verified checks a pack as a client does.
func verified(ctx context.Context, file string, ring *trust.KeyRing) (*archive, error) {
	head, err := pack.VerifyFile(ctx, file, ring, pack.VerifyOptions{Policy: spec.Policy{AnyPlatform: true}})
	if err != nil {
		return nil, err
	}
	return &archive{file: file, manifest: head.Manifest, head: head.Length, digest: head.Digest}, nil
}

// packRing trusts whom the repository's key list trusts.
func packRing(r *repo.Repo) (*trust.KeyRing, error) {
	l, err := r.KeyList()
	if err != nil {
		return nil, err
	}
	var keys []trust.Key
	for _, k := range l.Signing {
		parsed, err := trust.ParseKeys([]byte(k.PEM), trust.Release, k.Name)
		if err != nil {
			return nil, err
		}
		keys = append(keys, parsed...)
	}
	ring, err := trust.NewKeyRing(keys...)
	if err != nil {
		return nil, err
	}
	var revoked []trust.Revocation
	for _, k := range l.Revoked {
		revoked = append(revoked, trust.Revocation{ID: k.ID, Reason: k.Reason})
	}
	return ring.Without(revoked...)
}

func (t *tool) refreshCommand() *cobra.Command {
	return &cobra.Command{
		Use: "refresh DIR", Short: "sign a new timestamp (and snapshot), which keeps the channel alive", Args: cobra.ExactArgs(1),
		RunE: t.on(func(_ *cobra.Command, r *repo.Repo, _ []string) error {
			signers, err := t.signers()
			if err != nil {
				return err
			}
			return r.Refresh(signers...)
		}),
	}
}

func (t *tool) renewCommand() *cobra.Command {
	return &cobra.Command{
		Use: "renew DIR ROLE…", Short: "sign root, targets or a channel again before it expires", Args: cobra.MinimumNArgs(2),
		RunE: t.change(func(_ *cobra.Command, r *repo.Repo, roles []string) error {
			for _, role := range roles {
				if err := r.Renew(role); err != nil {
					return err
				}
			}
			return nil
		}),
	}
}

func (t *tool) signCommand() *cobra.Command {
	var discard bool
	c := &cobra.Command{
		Use: "sign DIR", Short: "add signatures to what is staged, and publish it when it has enough", Args: cobra.ExactArgs(1),
		Long: `Adds the signatures of your keys to what is staged, and publishes it when it has
enough. Look at what you sign first: DIR/staged holds it as text.`,
		RunE: t.on(func(_ *cobra.Command, r *repo.Repo, _ []string) error {
			if discard {
				return r.Discard()
			}
			return t.publish(r)
		}),
	}
	c.Flags().BoolVar(&discard, "discard", false, "take back what is staged instead")
	return c
}

func (t *tool) showCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show DIR", Short: "print roles, keys, expiry and what is staged", Args: cobra.ExactArgs(1),
		RunE: t.on(func(_ *cobra.Command, r *repo.Repo, _ []string) error {
			text, err := r.Describe()
			if err == nil {
				_, err = io.WriteString(t.out, text)
			}
			return err
		}),
	}
}

func (t *tool) checkCommand() *cobra.Command {
	var root string
	c := &cobra.Command{
		Use: "check DIR OS-ARCH", Short: "ask as a client that knows nothing but the root", Args: cobra.ExactArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			if root == "" {
				root = filepath.Join(args[0], "metadata", "1.root.json")
			}
			data, err := os.ReadFile(root)
			if err != nil {
				return err
			}
			r, err := t.open(args[0])
			if err != nil {
				return err
			}
			rel, err := r.Check(c.Context(), data, t.channel, args[1])
			if err != nil {
				return err
			}
			t.say("%s %s for %s: %s (%d bytes), to be renewed before %s", t.channel, rel.Version, args[1], rel.Archive.Name, rel.Archive.Length, rel.Expires.Format("2006-01-02 15:04 MST"))
			return nil
		},
	}
	c.Flags().StringVar(&root, "root", "", "the root to start from (the first one of DIR)")
	return c
}
