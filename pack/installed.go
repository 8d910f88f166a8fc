package pack

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"piwork/pack/spec"
	"piwork/pack/trust"
)

// Level says how much [Installed.Verify] reads.
type Level int

// Levels of verification.
const (
	// LevelQuick checks the signature, that exactly the named files are there
	// with their sizes, and the content of all that this computer runs or boots.
	// It leaves out the content of images with a hash tree ([spec.Verity]), which the
	// guest's kernel checks block by block when it reads them, and of texts that
	// nothing runs.
	LevelQuick Level = iota
	// LevelFull checks the content of every file.
	LevelFull
	// LevelRestore is LevelQuick without the content of what only a boot reads, the
	// kernel and its first programs: a machine that is restored from its saved
	// memory has them in there.
	LevelRestore
)

// Installed is an unpacked pack whose manifest is verified. It does not change;
// its methods may be called from several goroutines at once.
type Installed struct {
	Dir            string // absolute
	Manifest       spec.Manifest
	SignedBy       string // name of the key
	Developer      bool   // the key is a developer's
	ManifestSHA256 string // hex; the identity of the pack

	keys *trust.KeyRing
}

// OpenDir opens an unpacked pack outside of any store (PIWORK_RUNTIME_DIR): every
// file is checked, nothing else may be there, and the key must be a developer's.
func OpenDir(ctx context.Context, dir string, keys *trust.KeyRing, policy spec.Policy) (*Installed, error) {
	in, err := openInstalled(dir, keys, policy, spec.ParseManifest)
	if err != nil {
		return nil, fmt.Errorf("open pack in %s: %w", dir, err)
	}
	if !in.Developer {
		return nil, fmt.Errorf("open pack in %s: %w", dir, spec.Refuse(spec.KindForeignKey, "",
			"signed by the release key %s; a directory needs a developer key", in.SignedBy))
	}
	if err := in.Verify(ctx, LevelFull); err != nil {
		return nil, err
	}
	return in, nil
}

// openInstalled reads and verifies the manifest in dir, and no file.
func openInstalled(dir string, keys *trust.KeyRing, policy spec.Policy, parse parser) (*Installed, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	h, err := readHead(root, keys, parse)
	if err != nil {
		return nil, err
	}
	if err := policy.Check(h.manifest); err != nil {
		return nil, err
	}
	return &Installed{
		Dir: dir, Manifest: *h.manifest, ManifestSHA256: h.digest,
		SignedBy: h.key.Name, Developer: h.key.Kind == trust.Developer,
		keys: keys,
	}, nil
}

// root opens the directory of the pack.
func (in *Installed) root() (*os.Root, error) { return os.OpenRoot(in.Dir) }

// readHead reads and verifies the manifest and its signature in root.
func readHead(root *os.Root, keys *trust.KeyRing, parse parser) (*head, error) {
	var h head
	for _, f := range []struct {
		name    string
		max     int64
		missing spec.Kind
		into    *[]byte
	}{
		{spec.ManifestName, spec.MaxManifest, spec.KindMissingManifest, &h.raw},
		{spec.SignatureName, trust.MaxSignature, spec.KindMissingSignature, &h.sig},
	} {
		data, err := readBounded(root, f.name, f.max)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, &spec.VerifyError{Kind: f.missing, File: f.name, Err: err}
		}
		if err != nil {
			return nil, err
		}
		*f.into = data
	}
	return &h, verifyHead(&h, keys, parse)
}

// readBounded reads a regular file of at most max bytes.
func readBounded(root *os.Root, name string, max int64) ([]byte, error) {
	info, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, spec.Refuse(spec.KindUnsafeEntry, name, "%s is not a regular file", info.Mode().Type())
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data := bytes.NewBuffer(make([]byte, 0, min(info.Size(), max)+bytes.MinRead))
	if _, err := data.ReadFrom(io.LimitReader(f, max+1)); err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if int64(data.Len()) > max {
		return nil, spec.Refuse(spec.KindTooLarge, name, "more than %d bytes", max)
	}
	return data.Bytes(), nil
}

// Path returns the absolute path of the one file with a role. Without one, or
// with several, the error is [spec.ErrNoRole].
func (in *Installed) Path(r spec.Role) (string, error) {
	switch paths := in.Paths(r); len(paths) {
	case 1:
		return paths[0], nil
	case 0:
		return "", fmt.Errorf("%w: none is %s", spec.ErrNoRole, r)
	default:
		return "", fmt.Errorf("%w: %d are %s", spec.ErrNoRole, len(paths), r)
	}
}

// Paths returns the absolute paths of all files with a role, sorted.
func (in *Installed) Paths(r spec.Role) []string {
	var paths []string
	for _, f := range in.Manifest.Files {
		if f.Role == r {
			paths = append(paths, filepath.Join(in.Dir, filepath.FromSlash(f.Path)))
		}
	}
	return paths
}

// Verify checks the pack on the disk again. Damage is a [spec.VerifyError]; the first
// one found is returned.
func (in *Installed) Verify(ctx context.Context, level Level) error {
	if err := in.verify(ctx, level); err != nil {
		return fmt.Errorf("verify the pack in %s: %w", in.Dir, err)
	}
	return nil
}

func (in *Installed) verify(ctx context.Context, level Level) error {
	root, err := os.OpenRoot(in.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return &spec.VerifyError{Kind: spec.KindMissingManifest, Err: err}
	}
	if err != nil {
		return err
	}
	defer root.Close()
	h, err := readHead(root, in.keys, spec.ParseManifest)
	if err != nil {
		return err
	}
	if h.digest != in.ManifestSHA256 {
		return spec.Refuse(spec.KindBadManifest, spec.ManifestName, "replaced by that of version %s since it was read", h.manifest.Version)
	}
	if err := checkTree(ctx, root, h.manifest); err != nil {
		return err
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(min(runtime.GOMAXPROCS(0), 8))
	files := h.manifest.Files
	if level != LevelFull {
		files = atStart(h.manifest, level)
	}
	for _, f := range bySize(files) {
		g.Go(func() error {
			sum, _, err := hashFile(ctx, root, f.Path)
			if err != nil {
				return err
			}
			if sum != f.SHA256 {
				return spec.Refuse(spec.KindFlippedByte, f.Path, "SHA-256 is %s, signed was %s", sum, f.SHA256)
			}
			return nil
		})
	}
	return g.Wait()
}

// atStart returns the files that LevelQuick or LevelRestore reads: all whose content decides what
// is executed or booted and that nothing checks later. A role unknown to this
// program counts. What is left out are the images whose hash tree is given to the
// guest's kernel: that of the base layer, and that of an add-on.
func atStart(m *spec.Manifest, level Level) []spec.File {
	later := map[string]spec.Role{}
	addOn, ok := m.AddOn()
	for _, l := range m.Layers {
		switch {
		case l.Verity == nil:
		case l.Name == spec.BaseLayer && !ok:
			later[l.Path] = spec.RoleRootFS
		case l.Name == addOn && ok:
			later[l.Path] = spec.RoleLayer
		}
	}
	var files []spec.File
	for _, f := range m.Files {
		switch f.Role {
		case spec.RoleChunks, spec.RoleLicence, spec.RoleSourceOffer, spec.RoleSBOM, spec.RoleProvenance:
			continue
		case spec.RoleKernel, spec.RoleInitrd:
			if level == LevelRestore {
				continue
			}
		}
		if later[f.Path] != f.Role {
			files = append(files, f)
		}
	}
	return files
}

// bySize puts large files first, so that no worker is left with one at the end.
func bySize(files []spec.File) []spec.File {
	files = slices.Clone(files)
	slices.SortStableFunc(files, func(a, b spec.File) int { return int(min(max(b.Size-a.Size, -1), 1)) })
	return files
}

// checkTree compares what is in root with a manifest, without reading files.
func checkTree(ctx context.Context, root *os.Root, m *spec.Manifest) error {
	want := map[string]*spec.File{spec.ManifestName: nil, spec.SignatureName: nil}
	dirs := map[string]bool{".": true}
	for i := range m.Files {
		want[m.Files[i].Path] = &m.Files[i]
		for _, d := range parents(m.Files[i].Path) {
			dirs[d] = true
		}
	}
	seen := map[string]bool{}
	err := fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		f, named := want[name]
		switch {
		case d.IsDir() && dirs[name]:
			return nil
		case d.IsDir() && !named:
			return spec.Refuse(spec.KindExtraFile, name, "a directory without files of the pack")
		case !d.Type().IsRegular():
			return spec.Refuse(spec.KindUnsafeEntry, name, "%s is not a regular file", d.Type())
		case !named:
			return &spec.VerifyError{Kind: spec.KindExtraFile, File: name}
		}
		seen[name] = true
		if f == nil {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if info.Size() != f.Size {
			return spec.Refuse(spec.KindWrongSize, name, "%d bytes, the manifest says %d", info.Size(), f.Size)
		}
		if runtime.GOOS != "windows" && f.Mode&0o100 != 0 && info.Mode()&0o100 == 0 {
			return spec.Refuse(spec.KindNotExecutable, name, "mode %#o", info.Mode().Perm())
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, f := range m.Files {
		if !seen[f.Path] {
			return &spec.VerifyError{Kind: spec.KindMissingFile, File: f.Path}
		}
	}
	return nil
}

// parents returns the directories of a name, outermost first.
func parents(name string) []string {
	var dirs []string
	for d := path.Dir(name); d != "."; d = path.Dir(d) {
		dirs = append(dirs, d)
	}
	slices.Reverse(dirs)
	return dirs
}
