package main

import (
	"archive/tar"
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
	"piwork/pack/spec"
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
func (b *B) updates(keys *trust.KeyRing) {
	if _, err := exec.LookPath("fsck.erofs"); err != nil {
		fmt.Fprintln(os.Stderr, "bench: nothing about updates, which needs fsck.erofs (of erofs-utils)")
		return
	}
	dir := must(os.MkdirTemp(b.dir, "update"))
	defer b.remove(dir)
	in := installPack(b.ctx, b.pack, filepath.Join(dir, "original"), keys)
	w := &updater{B: b, work: dir, root: filepath.Join(dir, "root"), mkfs: b.mkfs(), files: in.Dir, header: in.Manifest}
	key := filepath.Join(dir, "key")
	w.keys = must(trust.NewKeyRing(must(trust.GenerateDeveloperKey(key, "bench"))))
	w.signer = must(trust.LoadSigner(key, nil))
	b.extract(must(in.Path(spec.RoleRootFS)), w.root)
	old, before := w.build("1.0.0"), len(b.rows)
	for i, c := range changed {
		if undo := w.change(c.files); undo != nil { // else it is not in this pack
			w.measure("update/"+c.row, old, fmt.Sprintf("1.0.%d", i+1))
			undo()
		}
	}
	if len(b.rows) == before {
		failf("no tool to change in the root image")
	}
}

// updater makes packs that differ in one tool.
type updater struct {
	*B
	work   string
	root   string        // what the root image is made of
	files  string        // an unpacked pack
	header spec.Manifest // of it
	mkfs   []string
	signer *trust.Signer
	keys   *trust.KeyRing
}

// build makes a pack of the files and the root.
func (w *updater) build(version string) string {
	image := filepath.FromSlash("guest/rootfs.img")
	dir := filepath.Join(w.work, "files-"+version)
	defer w.remove(dir)
	check(filepath.WalkDir(w.files, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(w.files, name)
		if err != nil || rel == image {
			return err
		}
		return errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(dir, rel)), 0o755), os.Link(name, filepath.Join(dir, rel)))
	}))
	w.image(filepath.Join(dir, image))
	h := w.header
	h.Version, h.Layers, h.Built = version, nil, time.Unix(1_700_000_000, 0)
	out := filepath.Join(w.work, version+".tar.zst")
	must(pack.Build(w.ctx, pack.BuildOptions{Dir: dir, Header: h, Signer: w.signer, Out: out}))
	return out
}

// image makes a root image with its hash tree.
func (w *updater) image(file string) {
	archive := filepath.Join(w.work, "root.tar")
	defer w.remove(archive)
	t := must(os.Create(archive))
	out := tar.NewWriter(t)
	check(errors.Join(out.AddFS(os.DirFS(w.root)), out.Close(), t.Close()))
	args := append(slices.Clone(w.mkfs), "--quiet", "--tar=f", "--sort=path", "-Enoinline_data", "-x-1", "-T1700000000",
		"-U00000000-0000-0000-0000-000000000001", file, archive)
	w.program(args[0], args[1:]...)
	must(verity.Append(file, make([]byte, 32)))
}

// extract unpacks the image of a root file system into a directory that is made.
func (b *B) extract(image, dir string) {
	b.program("fsck.erofs", "--no-preserve", "--extract="+dir, image)
}

// mkfs is the command of the mkfs.erofs that packs are built with: the newest that
// ./scripts/pack has left in the build cache, with its own loader.
func (b *B) mkfs() []string {
	var newest string
	var when time.Time
	for _, loader := range must(filepath.Glob(filepath.Join(b.cache, "parts", "tools*", "lib", "ld-linux*"))) {
		program := filepath.Join(filepath.Dir(loader), "..", "bin", "mkfs.erofs")
		if info, err := os.Stat(program); err == nil && info.ModTime().After(when) {
			newest, when = loader, info.ModTime()
		}
	}
	if newest == "" {
		failf("there is no mkfs.erofs in the build cache")
	}
	lib := filepath.Dir(newest)
	return []string{newest, "--library-path", lib, filepath.Join(lib, "..", "bin", "mkfs.erofs")}
}

// change gives a tool other content of the same kind, a little longer. It returns
// how to take that back, nil where there is no such tool.
func (w *updater) change(prefixes []string) (undo func()) {
	was := map[string][]byte{}
	check(filepath.WalkDir(w.root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || !strings.Contains(name, "/bin/") && !strings.Contains(name, "/lib/") {
			return err
		}
		for _, p := range prefixes {
			rest, ok := strings.CutPrefix(d.Name(), p)
			if !ok || rest != "" && rest[0] != '.' {
				continue
			}
			data := must(os.ReadFile(name))
			was[name] = data
			other := make([]byte, 0, len(data)+10_000)
			for _, b := range data {
				other = append(other, b^0x55)
			}
			return os.WriteFile(name, append(other, other[:min(10_000, len(other))]...), 0o755)
		}
		return nil
	}))
	if len(was) == 0 {
		return nil
	}
	return func() {
		for name, data := range was {
			check(os.WriteFile(name, data, 0o755))
		}
	}
}

// measure updates from the old pack to one that is built now.
func (w *updater) measure(name, old, version string) {
	file := w.build(version)
	store := must(pack.OpenStore(filepath.Join(w.work, "store-"+version)))
	defer w.remove(store.Dir())
	have := must(pack.Install(w.ctx, old, store, w.keys, pack.InstallOptions{}))
	began := time.Now()
	h := w.head(file, w.keys)
	a := must(pack.Assemble(w.ctx, h, store, w.keys, pack.AssembleOptions{From: []*pack.Installed{have}}))
	defer a.Close()
	f := must(os.Open(file))
	defer f.Close()
	fetched := h.Length
	for _, c := range a.Missing() {
		packed := make([]byte, c.Packed)
		must(f.ReadAt(packed, c.Offset))
		check(a.Put(c, packed))
		fetched += c.Packed
	}
	in := must(a.Finish(w.ctx))
	took := time.Since(began)
	check(in.Verify(w.ctx, pack.LevelFull))
	check(store.Remove(w.ctx, version))
	whole := timed(func() { must(pack.Install(w.ctx, file, store, w.keys, pack.InstallOptions{})) })
	w.megabytes(name+"/fetched", fetched, "the whole pack", h.Size())
	w.times(name+"/time", "installing the whole pack from a file", []time.Duration{took}, []time.Duration{whole})
}
