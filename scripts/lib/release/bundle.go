package main

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/spf13/cobra"

	"piwork/pack"
	"piwork/pack/spec"
	"piwork/pack/trust"
	"piwork/pack/trust/channel"
	"piwork/pack/trust/channel/repo"
)

// bundleFlags say what a bundle is made of besides the release.
type bundleFlags struct {
	out, key, root, sources string
	apps, addOns            []string
	bare                    bool
}

func (t *tool) bundleCommand() *cobra.Command {
	var b bundleFlags
	c := &cobra.Command{
		Use: "bundle DIR OS-ARCH --app FILE --out FILE", Short: "write the one file for an installation without a network, signed", Args: cobra.ExactArgs(2),
		Long: `Writes the one file for an installation without a network: the program, the release
that the channel offers for a platform, its add-ons, licences, offers of sources, and
the metadata of the channel. Its list is signed with a key that may sign packs, so that
it vouches for the program in it as well; piwork pack bundle, which has no key, makes
one whose program nobody vouches for.`,
		RunE: func(c *cobra.Command, args []string) error {
			r, err := t.open(args[0])
			if err != nil {
				return err
			}
			return t.bundle(c.Context(), r, args[0], args[1], b)
		},
	}
	f := c.Flags()
	f.StringVar(&b.out, "out", ".", "file to write, or the directory for it")
	f.StringArrayVar(&b.apps, "app", nil, "file of the program; may be repeated")
	f.StringArrayVar(&b.addOns, "addon", nil, "add-on to put in; may be repeated (all)")
	f.BoolVar(&b.bare, "no-addons", false, "put no add-on in")
	f.StringVar(&b.sources, "sources", "", "directory with sources to put in")
	f.StringVar(&b.key, "key", filepath.Join(configDir(), "developer.key"), "private key that may sign packs")
	f.StringVar(&b.root, "root", "", "the root to start from (the first one of DIR)")
	c.MarkFlagsMutuallyExclusive("addon", "no-addons")
	_ = c.MarkFlagRequired("app")
	return c
}

func (t *tool) bundle(ctx context.Context, r *repo.Repo, dir, host string, b bundleFlags) (err error) {
	ring, err := packRing(r)
	if err != nil {
		return err
	}
	signer, err := bundleSigner(b.key, ring)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "piwork-bundle-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	metadata, licences := filepath.Join(work, "channel"), filepath.Join(work, "licenses")
	rel, err := t.offered(ctx, dir, host, b.root, filepath.Join(work, "state"), metadata)
	if err != nil {
		return err
	}
	targets, err := chosen(rel, b)
	if err != nil {
		return err
	}
	o := pack.BundleBuildOptions{
		App: b.apps, Channel: metadata, Licences: licences, Sources: b.sources,
		Keys: ring, Policy: spec.Policy{AnyPlatform: true}, Signer: signer, Out: b.out,
	}
	for _, target := range targets {
		file := filepath.Join(dir, filepath.FromSlash(target.Path))
		if err := takeLicences(ctx, file, licences, ring); err != nil {
			return fmt.Errorf("licences of %s: %w", target.Name, err)
		}
		o.Packs = append(o.Packs, file)
	}
	m, out, err := pack.BuildBundle(ctx, o)
	if err != nil {
		return err
	}
	t.say("%s: %s %s with %d files, signed by %s", out, m.Name, m.Version, len(m.Files), m.Key)
	return nil
}

// bundleSigner loads a key that the repository lets sign packs.
func bundleSigner(file string, ring *trust.KeyRing) (*trust.Signer, error) {
	s, err := loadSigner(file)
	if err != nil {
		return nil, err
	}
	public, err := s.PublicKey()
	if err != nil {
		return nil, err
	}
	id, err := trust.KeyID(public)
	if err != nil {
		return nil, err
	}
	if _, ok := ring.ByID(id); !ok {
		return nil, fmt.Errorf("%s may not sign packs of this channel", file)
	}
	return s, nil
}

// offered asks as a client that knows nothing but the root, and writes what it
// learnt into metadata.
func (t *tool) offered(ctx context.Context, dir, host, rootFile, state, metadata string) (*channel.Release, error) {
	if rootFile == "" {
		rootFile = filepath.Join(dir, "metadata", "1.root.json")
	}
	root, err := os.ReadFile(rootFile)
	if err != nil {
		return nil, err
	}
	o, err := t.options()
	if err != nil {
		return nil, err
	}
	c, err := channel.Open(channel.Options{
		Root: root, Dir: state, Name: t.channel, Host: host,
		Fetch: channel.FromFS(os.DirFS(dir)), Now: func() time.Time { return o.Now },
	})
	if err != nil {
		return nil, err
	}
	rel, err := c.Refresh(ctx)
	if err != nil {
		return nil, err
	}
	return rel, c.Export(metadata)
}

// chosen are the archives of a release that go in, the runtime first.
func chosen(rel *channel.Release, b bundleFlags) ([]channel.Target, error) {
	names := b.addOns
	if len(names) == 0 && !b.bare {
		for name := range rel.AddOns {
			names = append(names, name)
		}
		slices.Sort(names)
	}
	list := []channel.Target{rel.Archive}
	for _, name := range names {
		target, ok := rel.AddOns[name]
		if !ok {
			return nil, fmt.Errorf("the release has no add-on %s", name)
		}
		list = append(list, target)
	}
	return list, nil
}

// takeLicences writes the licences and the offers of sources of a pack into dir,
// below its name, each as it was signed.
func takeLicences(ctx context.Context, file, dir string, ring *trust.KeyRing) error {
	in, err := os.Open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	head, err := pack.ReadHead(ctx, in, ring, spec.Policy{AnyPlatform: true})
	if err != nil {
		return err
	}
	want := map[string]spec.File{}
	for _, f := range head.Manifest.Files {
		if f.Role == spec.RoleLicence || f.Role == spec.RoleSourceOffer {
			want[f.Path] = f
		}
	}
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return err
	}
	z, err := zstd.NewReader(in)
	if err != nil {
		return err
	}
	defer z.Close()
	for entries := tar.NewReader(z); len(want) > 0; {
		if err := ctx.Err(); err != nil {
			return err
		}
		h, err := entries.Next()
		if err != nil {
			return fmt.Errorf("%d files are missing: %w", len(want), err)
		}
		f, ok := want[h.Name]
		if !ok {
			continue
		}
		delete(want, h.Name)
		data, err := io.ReadAll(io.LimitReader(entries, f.Size+1))
		if err != nil {
			return err
		}
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != f.SHA256 {
			return fmt.Errorf("%s is not as it was signed", f.Path)
		}
		out := filepath.Join(dir, filepath.FromSlash(path.Join(head.Manifest.Name, strings.TrimPrefix(f.Path, "licenses/"))))
		if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(out, data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
