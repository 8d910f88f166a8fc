package image

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"piwork/pack"
	"piwork/pack/durable"
	"piwork/pack/spec"
	"piwork/pack/trust"
)

// ArchiveOptions say how a built runtime becomes a pack.
type ArchiveOptions struct {
	Signer   *trust.Signer
	Out      string // the archive; "" leaves it in the build cache, under its usual name
	Level    int    // of zstd; 0 is the default of package pack
	Progress spec.Progress
}

// An Archive is a pack that was made.
type Archive struct {
	Path     string // of the archive, or of the directory
	Manifest spec.Manifest
}

// BuildArchives builds a runtime and makes a signed pack of it, and of each add-on
// that the options name: the runtime's comes first. With Options.OutDir no archive
// of the runtime is made: the directory itself gets its manifest and signature, for
// pack.OpenDir, and is what is returned. Add-ons are archives in any case, in the
// directory of ArchiveOptions.Out or in the build cache.
func BuildArchives(ctx context.Context, o Options, a ArchiveOptions) ([]Archive, error) {
	all, err := buildArchives(ctx, o, a)
	if err != nil {
		return nil, fmt.Errorf("build runtime pack: %w", err)
	}
	return all, nil
}

func buildArchives(ctx context.Context, o Options, a ArchiveOptions) ([]Archive, error) {
	if a.Signer == nil {
		return nil, errors.New("no key to sign with")
	}
	b, err := newBuilder(o)
	if err != nil {
		return nil, err
	}
	unlock, err := b.cache.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	r, err := b.build(ctx)
	if err != nil {
		return nil, err
	}
	var all []Archive
	if o.OutDir != "" {
		m, err := signDir(ctx, r, a.Signer)
		if err != nil {
			return nil, err
		}
		all = append(all, Archive{r.Dir, m})
	} else {
		made, err := b.archive(ctx, r, a, a.Out)
		if err != nil {
			return nil, err
		}
		all = append(all, made)
	}
	for _, r := range r.AddOns {
		out := ""
		if a.Out != "" {
			out = filepath.Join(filepath.Dir(a.Out), r.Header.ArchiveName())
		}
		made, err := b.archive(ctx, r, a, out)
		if err != nil {
			return nil, err
		}
		all = append(all, made)
	}
	return all, nil
}

// archive packs a result into a file, or into the cache.
func (b *builder) archive(ctx context.Context, r Result, a ArchiveOptions, out string) (Archive, error) {
	public, err := a.Signer.PublicKey()
	if err != nil {
		return Archive{}, err
	}
	id, err := trust.KeyID(public)
	if err != nil {
		return Archive{}, err
	}
	build := func(ctx context.Context, out string) (spec.Manifest, error) {
		b.log("Packing %s", megabytes(treeSize(r.Dir)))
		return pack.Build(ctx, pack.BuildOptions{
			Dir: r.Dir, Header: r.Header, Signer: a.Signer, Out: out, Level: a.Level, Progress: a.Progress,
		})
	}
	if out != "" {
		m, err := build(ctx, out)
		return Archive{out, m}, err
	}
	key, err := keyOf("archive", pack.Form, filepath.Base(r.Dir), r.Header.Version, id, a.Level)
	if err != nil {
		return Archive{}, err
	}
	dir, err := b.cache.part(ctx, b.flavoured(partOf("archive", r.Header.Name)), key, func(ctx context.Context, dir string) error {
		_, err := build(ctx, filepath.Join(dir, r.Header.ArchiveName()))
		return err
	})
	return Archive{filepath.Join(dir, r.Header.ArchiveName()), r.Header}, err
}

// signDir writes manifest and signature into the directory of a result.
func signDir(ctx context.Context, r Result, signer *trust.Signer) (spec.Manifest, error) {
	m := r.Header
	public, err := signer.PublicKey()
	if err != nil {
		return m, err
	}
	if m.Key, err = trust.KeyID(public); err != nil {
		return m, err
	}
	m.Schema = spec.Schema
	m.Built = m.Built.UTC().Truncate(time.Second)
	err = filepath.WalkDir(r.Dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		rel, err := filepath.Rel(r.Dir, file)
		if err != nil {
			return err
		}
		f := spec.File{Path: filepath.ToSlash(rel)}
		if f.Path == spec.ManifestName || f.Path == spec.SignatureName {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		role, ok := pack.RoleOf(f.Path)
		if !ok {
			return fmt.Errorf("%s has no role in a pack", f.Path)
		}
		f.Size, f.Mode, f.Role = info.Size(), uint32(info.Mode().Perm()), role
		f.SHA256, err = durable.SHA256(file)
		m.Files = append(m.Files, f)
		return err
	})
	if err != nil {
		return m, err
	}
	slices.SortFunc(m.Files, func(a, b spec.File) int { return strings.Compare(a.Path, b.Path) })
	raw, err := m.Encode()
	if err != nil {
		return m, err
	}
	sig, err := trust.Sign(signer, raw)
	if err != nil {
		return m, err
	}
	for name, data := range map[string][]byte{spec.ManifestName: raw, spec.SignatureName: sig} {
		if err := durable.WriteFile(filepath.Join(r.Dir, name), data, 0o644); err != nil {
			return m, err
		}
	}
	return m, nil
}

// DeveloperKeyFile is the private key of developer builds, in the config
// directory.
const DeveloperKeyFile = "developer.key"

// DeveloperSigner returns the developer's key of a config directory. The first
// time it is made, and its public part is put into the developer key ring,
// which developer builds of the program trust.
func DeveloperSigner(configDir string) (s *trust.Signer, created bool, err error) {
	if err := os.MkdirAll(configDir, 0o700); err != nil {
		return nil, false, fmt.Errorf("developer key: %w", err)
	}
	file := filepath.Join(configDir, DeveloperKeyFile)
	lock := flock.New(file + ".lock") // two builds may begin at once on a new computer
	if err := lock.Lock(); err != nil {
		return nil, false, fmt.Errorf("developer key: %w", err)
	}
	defer lock.Close()
	_, err = trust.GenerateDeveloperKey(file, "developer")
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, false, fmt.Errorf("developer key: %w", err)
	}
	created = err == nil
	// Also when the key was there: a run that ended between the two left no ring.
	public, err := os.ReadFile(file + ".pub")
	if err != nil {
		return nil, created, fmt.Errorf("developer key: %w", err)
	}
	keys, err := trust.ParseKeys(public, trust.Developer, "developer")
	if err != nil {
		return nil, created, fmt.Errorf("developer key: %w", err)
	}
	for _, k := range keys {
		if err := trust.AddDeveloperKey(filepath.Join(configDir, trust.DeveloperFile), k); err != nil {
			return nil, created, fmt.Errorf("developer key: %w", err)
		}
	}
	if s, err = trust.LoadSigner(file, nil); err != nil {
		return nil, created, fmt.Errorf("developer key: %w", err)
	}
	return s, created, nil
}
