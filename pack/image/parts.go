package image

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"golang.org/x/sync/errgroup"

	"piwork/pack/durable"
	"piwork/pack/image/disk"
	"piwork/pack/image/kernel"
	"piwork/pack/image/qemu"
	"piwork/pack/spec"
	"piwork/pack/tools"
)

// toolSources are the files of this package that decide how the tools are laid
// out. Roots have the key of the tools in theirs, and take minutes.
var toolSources = []string{"relocated.go", "unpack.go", "debian/", "internal/", "relocate/"}

// parts makes all parts and puts them together.
func (b *builder) parts(ctx context.Context) (Result, error) {
	made, err := b.base(ctx)
	defer made.own.remove()
	if err != nil {
		return Result{}, err
	}
	initramfs, err := b.initramfs(ctx, made)
	if err != nil {
		return Result{}, err
	}
	rootDir, err := b.rootfs(ctx, made.tools, made.own)
	if err != nil {
		return Result{}, err
	}
	maker := b.maker()
	base := contents{
		name: "piwork-runtime", hostOS: b.HostOS, hostArch: b.HostArch,
		sets:  append([]string{setGuest, maker.kernelSet()}, maker.emulatorSets()...),
		extra: []string{setTools},
		npm:   b.npmLock.Packages,
		files: map[string]string{
			kernelPath:    filepath.Join(made.kernel, kernel.ImageFile),
			initramfsPath: filepath.Join(initramfs, path.Base(initramfsPath)),
			rootfsPath:    filepath.Join(rootDir, path.Base(rootfsPath)),
			workPath:      filepath.Join(made.work, path.Base(workPath)),
		},
		parts: []string{made.emulator, made.kernel, initramfs, rootDir, made.work},
	}
	if base.modules, err = linkedModules(ctx, b.SourceDir, made.own.all()...); err != nil {
		return Result{}, err
	}
	if base.tools, err = toolList(b.locks[setGuest], tools.Catalogue()); err != nil {
		return Result{}, err
	}
	if base.shipped, err = b.shipped(map[string]string{setGuest: rootDir}); err != nil {
		return Result{}, err
	}
	machine, err := maker.shipped(made.kernel, made.emulator)
	if err != nil {
		return Result{}, err
	}
	base.shipped = append(base.shipped, machine...)
	v, err := verityOf(rootDir)
	if err != nil {
		return Result{}, err
	}
	base.layer = spec.Layer{Name: spec.BaseLayer, Path: rootfsPath, Verity: v}
	if err := listInto(base.files, filepath.Join(made.emulator, qemu.FilesDir), "qemu"); err != nil {
		return Result{}, err
	}
	r, err := b.assemble(ctx, base)
	if err != nil {
		return Result{}, err
	}
	for _, a := range b.addOns {
		layer, err := b.addOn(ctx, a, made.tools, rootDir, r.Header)
		if err != nil {
			return Result{}, fmt.Errorf("add-on %s: %w", a.name, err)
		}
		r.AddOns = append(r.AddOns, layer)
	}
	return r, nil
}

// baseParts are the parts that need none but each other in their group.
type baseParts struct {
	tools, work      string
	kernel, emulator string
	own              ownPrograms
}

// base makes the parts that wait for nothing but the network, all at once: what
// one downloads, another computes meanwhile. The own programs are to be removed,
// also after an error.
func (b *builder) base(ctx context.Context) (p baseParts, err error) {
	maker := b.maker()
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() (err error) { // takes longest
		_, err = b.bootstrap(ctx)
		return err
	})
	g.Go(func() (err error) {
		p.emulator, err = maker.emulator(ctx)
		return err
	})
	g.Go(func() (err error) {
		p.kernel, err = maker.kernel(ctx)
		return err
	})
	g.Go(func() (err error) {
		if p.own, err = b.buildOwn(ctx); err == nil {
			_, err = b.programsPart(ctx)
		}
		return err
	})
	g.Go(func() (err error) {
		if p.tools, err = b.toolsPart(ctx); err == nil {
			p.work, err = b.workPart(ctx, p.tools)
		}
		return err
	})
	return p, g.Wait()
}

// toolsPart takes the tools that write file systems out of packages.
func (b *builder) toolsPart(ctx context.Context) (string, error) {
	recipe, err := sourceHash(toolSources...)
	if err != nil {
		return "", err
	}
	return b.compiled(ctx, setTools, recipe, []string{setTools}, []any{toolPrograms}, b.scratch(func(ctx context.Context, dir, scratch string) error {
		used, err := relocation{platform: rooms, programs: toolPrograms}.into(ctx, dir, scratch, b.locks[setTools], b.store)
		if err != nil {
			return err
		}
		return writeUsed(dir, used)
	}))
}

// workPart makes the empty work disk.
func (b *builder) workPart(ctx context.Context, toolDir string) (string, error) {
	return b.part(ctx, "work", nil, []any{path.Base(toolDir), b.timeOf(setTools)}, b.scratch(func(ctx context.Context, dir, scratch string) error {
		w := disk.Work{Size: workSize, Time: b.timeOf(setTools), Mke2fs: relocatedCommand(toolDir, rooms, "mke2fs")}
		return w.Make(ctx, filepath.Join(dir, path.Base(workPath)), scratch)
	}))
}

// scratch gives a part an empty directory for what lies between.
func (b *builder) scratch(make func(ctx context.Context, dir, scratch string) error) func(context.Context, string) error {
	return func(ctx context.Context, dir string) error {
		scratch, err := os.MkdirTemp(filepath.Join(b.CacheDir, "parts"), ".making-scratch-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(scratch)
		return make(ctx, dir, scratch)
	}
}

// alone is scratch for what keeps all processors busy for minutes: one of them is
// made at a time.
func (b *builder) alone(make func(ctx context.Context, dir, scratch string) error) func(context.Context, string) error {
	return b.scratch(func(ctx context.Context, dir, scratch string) error {
		b.compiling.Lock()
		defer b.compiling.Unlock()
		return make(ctx, dir, scratch)
	})
}

// initramfs makes the part with the program that the guest boots from, and the
// kernel's modules.
func (b *builder) initramfs(ctx context.Context, made baseParts) (string, error) {
	hash, err := durable.SHA256(made.own.init)
	if err != nil {
		return "", err
	}
	t := b.timeOf(b.maker().kernelSet())
	return b.part(ctx, b.flavoured("initramfs"), nil, []any{hash, t, path.Base(made.kernel)}, func(_ context.Context, dir string) error {
		return makeInitramfs(dir, made.kernel, made.own.init, t)
	})
}

// listInto adds the files of a part to what goes into the pack, below a
// directory. What a part keeps for the build alone stays out.
func listInto(files map[string]string, part, at string) error {
	return filepath.WalkDir(part, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(part, file)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		if name == usedFile || name == licencesFile || name == verityFile || name == treeFile {
			return nil
		}
		files[path.Join(at, name)] = file
		return nil
	})
}
