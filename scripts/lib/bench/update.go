package main

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"piwork/pack"
	"piwork/pack/image/verity"
	"piwork/pack/trust"
)

// changed are the tools that an update brings a new version of, each alone: what
// the row is called, and how the names of its files begin.
var changed = []struct {
	row   string
	files []string
}{
	{"one-tool", []string{"qpdf", "libqpdf.so"}},
	{"node", []string{"node"}},
}

// updates measures what an update from one pack to another fetches that differ in
// one tool. Both are made of the files of the pack; the root image is made anew
// as the builder of packs does it, with the same mkfs.erofs, so that everything
// behind the tool moves.
func updates(ctx context.Context, e env, keys *trust.KeyRing) ([]row, error) {
	if _, err := exec.LookPath("fsck.erofs"); err != nil {
		fmt.Fprintln(os.Stderr, "bench: nothing about updates, which needs fsck.erofs (of erofs-utils)")
		return nil, nil
	}
	dir, err := os.MkdirTemp(e.dir, "update")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	w := &updater{dir: dir, root: filepath.Join(dir, "root")}
	if w.signer, w.keys, err = newKey(dir); err != nil {
		return nil, err
	}
	store, err := pack.OpenStore(filepath.Join(dir, "original"))
	if err != nil {
		return nil, err
	}
	in, err := pack.Install(ctx, e.pack, store, keys, pack.InstallOptions{})
	if err != nil {
		return nil, err
	}
	image, err := in.Path(pack.RoleRootFS)
	if err != nil {
		return nil, err
	}
	if w.mkfs, err = mkfs(); err != nil {
		return nil, err
	}
	if err := extract(ctx, image, w.root); err != nil {
		return nil, err
	}
	w.files, w.header = in.Dir, in.Manifest
	old, err := w.build(ctx, "1.0.0")
	if err != nil {
		return nil, err
	}
	var rows []row
	for i, c := range changed {
		undo, size, err := w.change(c.files)
		if err != nil {
			return nil, err
		}
		if size == 0 {
			continue // not in this pack
		}
		r, err := w.measure(ctx, "update/"+c.row, old, fmt.Sprintf("1.0.%d", i+1))
		if err != nil {
			return nil, err
		}
		rows = append(rows, r...)
		if err := undo(); err != nil {
			return nil, err
		}
	}
	if len(rows) == 0 {
		return nil, errors.New("no tool to change in the root image")
	}
	return rows, nil
}

// updater makes packs that differ in one tool.
type updater struct {
	dir    string
	root   string        // what the root image is made of
	files  string        // an unpacked pack
	header pack.Manifest // of it
	mkfs   []string
	signer *trust.Signer
	keys   *trust.KeyRing
}

func newKey(dir string) (*trust.Signer, *trust.KeyRing, error) {
	file := filepath.Join(dir, "key")
	key, err := trust.GenerateDeveloperKey(file, "bench")
	if err != nil {
		return nil, nil, err
	}
	signer, err := trust.LoadSigner(file, nil)
	if err != nil {
		return nil, nil, err
	}
	keys, err := trust.NewKeyRing(key)
	return signer, keys, err
}

// build makes a pack of the files and the root.
func (w *updater) build(ctx context.Context, version string) (string, error) {
	const image = "guest/rootfs.img"
	dir := filepath.Join(w.dir, "files-"+version)
	defer os.RemoveAll(dir)
	err := filepath.WalkDir(w.files, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(w.files, name)
		if err != nil || filepath.ToSlash(rel) == image {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, rel)), 0o755); err != nil {
			return err
		}
		return os.Link(name, filepath.Join(dir, rel))
	})
	if err != nil {
		return "", err
	}
	if err := w.image(ctx, filepath.Join(dir, filepath.FromSlash(image))); err != nil {
		return "", err
	}
	h := w.header
	h.Version, h.Layers, h.Built = version, nil, time.Unix(1_700_000_000, 0)
	out := filepath.Join(w.dir, version+".tar.zst")
	_, err = pack.Build(ctx, pack.BuildOptions{Dir: dir, Header: h, Signer: w.signer, Out: out})
	return out, err
}

// image makes a root image with its hash tree.
func (w *updater) image(ctx context.Context, file string) error {
	archive := filepath.Join(w.dir, "root.tar")
	defer os.Remove(archive)
	t, err := os.Create(archive)
	if err != nil {
		return err
	}
	out := tar.NewWriter(t)
	if err := errors.Join(out.AddFS(os.DirFS(w.root)), out.Close(), t.Close()); err != nil {
		return err
	}
	args := append(slices.Clone(w.mkfs), "--quiet", "--tar=f", "--sort=path", "-Enoinline_data", "-x-1", "-T1700000000",
		"-U00000000-0000-0000-0000-000000000001", file, archive)
	if err := quiet(ctx, args[0], args[1:]...); err != nil {
		return err
	}
	_, err = verity.Append(file, make([]byte, 32))
	return err
}

// extract unpacks the image of a root file system into a directory that is made.
func extract(ctx context.Context, image, dir string) error {
	return quiet(ctx, "fsck.erofs", "--no-preserve", "--extract="+dir, image)
}

// mkfs is the command of the mkfs.erofs that packs are built with: the newest that
// ./scripts/pack has left in the build cache, with its own loader.
func mkfs() ([]string, error) {
	loaders, err := filepath.Glob(filepath.Join(os.Getenv("PIWORK_BENCH_CACHE"), "parts", "tools*", "lib", "ld-linux*"))
	if err != nil {
		return nil, err
	}
	var newest string
	var when time.Time
	for _, l := range loaders {
		program := filepath.Join(filepath.Dir(l), "..", "bin", "mkfs.erofs")
		if info, err := os.Stat(program); err == nil && info.ModTime().After(when) {
			newest, when = l, info.ModTime()
		}
	}
	if newest == "" {
		return nil, fmt.Errorf("mkfs.erofs in the build cache: %w", fs.ErrNotExist)
	}
	lib := filepath.Dir(newest)
	return []string{newest, "--library-path", lib, filepath.Join(lib, "..", "bin", "mkfs.erofs")}, nil
}

// change gives a tool other content of the same kind, a little longer. It returns
// how to take that back, and the size of the tool.
func (w *updater) change(prefixes []string) (undo func() error, size int64, err error) {
	var undos []func() error
	undo = func() error {
		var errs []error
		for _, u := range undos {
			errs = append(errs, u())
		}
		return errors.Join(errs...)
	}
	err = filepath.WalkDir(w.root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || !strings.Contains(name, "/bin/") && !strings.Contains(name, "/lib/") {
			return err
		}
		for _, p := range prefixes {
			rest, ok := strings.CutPrefix(d.Name(), p)
			if !ok || rest != "" && rest[0] != '.' {
				continue
			}
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			other := make([]byte, 0, len(data)+10_000)
			for _, b := range data {
				other = append(other, b^0x55)
			}
			other = append(other, other[:min(10_000, len(other))]...)
			size += int64(len(data))
			undos = append(undos, func() error { return os.WriteFile(name, data, 0o755) })
			return os.WriteFile(name, other, 0o755)
		}
		return nil
	})
	return undo, size, err
}

// measure updates from the old pack to one that is built now.
func (w *updater) measure(ctx context.Context, name, old, version string) ([]row, error) {
	file, err := w.build(ctx, version)
	if err != nil {
		return nil, err
	}
	store, err := pack.OpenStore(filepath.Join(w.dir, "store-"+version))
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(store.Dir())
	have, err := pack.Install(ctx, old, store, w.keys, pack.InstallOptions{})
	if err != nil {
		return nil, err
	}
	began := time.Now()
	h, err := headOf(ctx, file, w.keys)
	if err != nil {
		return nil, err
	}
	a, err := pack.Assemble(ctx, h, store, w.keys, pack.AssembleOptions{From: []*pack.Installed{have}})
	if err != nil {
		return nil, err
	}
	defer a.Close()
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	fetched := h.Length
	for _, c := range a.Missing() {
		packed := make([]byte, c.Packed)
		if _, err := f.ReadAt(packed, c.Offset); err != nil {
			return nil, err
		}
		if err := a.Put(c, packed); err != nil {
			return nil, err
		}
		fetched += c.Packed
	}
	in, err := a.Finish(ctx)
	if err != nil {
		return nil, err
	}
	took := time.Since(began)
	if err := in.Verify(ctx, pack.LevelFull); err != nil {
		return nil, err
	}
	if err := store.Remove(ctx, version); err != nil {
		return nil, err
	}
	began = time.Now()
	if _, err := pack.Install(ctx, file, store, w.keys, pack.InstallOptions{}); err != nil {
		return nil, err
	}
	whole := time.Since(began)
	return []row{
		megabytes(name+"/fetched", fetched, "the whole pack", h.Size()),
		newRow(name+"/time", "installing the whole pack from a file", []time.Duration{took}, []time.Duration{whole}),
	}, nil
}

func quiet(ctx context.Context, name string, args ...string) error {
	if out, err := exec.CommandContext(ctx, name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, out)
	}
	return nil
}
