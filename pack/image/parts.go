package image

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"piwork/pack"
	"piwork/pack/image/disk"
	"piwork/pack/image/kernel"
	"piwork/pack/image/qemu"
	"piwork/pack/tools"
)

// toolSources are the files of this package that decide how the tools are laid
// out. Roots have the key of the tools in theirs, and take minutes.
var toolSources = []string{"relocated.go", "unpack.go", "debian/", "internal/", "relocate/"}

// parts makes all parts and puts them together.
func (b *builder) parts(ctx context.Context) (Result, error) {
	store := b.store
	recipe, err := sourceHash(toolSources...)
	if err != nil {
		return Result{}, err
	}
	toolDir, err := b.compiled(ctx, setTools, recipe, []string{setTools}, []any{toolPrograms}, b.scratch(func(ctx context.Context, dir, scratch string) error {
		r := relocation{platform: rooms, programs: toolPrograms}
		return r.into(ctx, dir, scratch, b.locks[setTools], store)
	}))
	if err != nil {
		return Result{}, err
	}
	own, err := b.buildOwn(ctx)
	if err != nil {
		return Result{}, err
	}
	defer own.remove()
	exit, err := b.nodeExit(ctx)
	if err != nil {
		return Result{}, err
	}
	// First what asks most of this system.
	rootDir, err := b.rootfs(ctx, toolDir, own, exit)
	if err != nil {
		return Result{}, err
	}
	emulator, err := b.emulator(ctx)
	if err != nil {
		return Result{}, err
	}
	kernelDir, err := b.kernel(ctx)
	if err != nil {
		return Result{}, err
	}
	work, err := b.part(ctx, "work", nil, []any{path.Base(toolDir), b.timeOf(setTools)}, b.scratch(func(ctx context.Context, dir, scratch string) error {
		w := disk.Work{Size: workSize, Time: b.timeOf(setTools), Mke2fs: relocatedCommand(toolDir, rooms, "mke2fs")}
		return w.Make(ctx, filepath.Join(dir, path.Base(workPath)), scratch)
	}))
	if err != nil {
		return Result{}, err
	}
	initramfs, err := b.initramfs(ctx, own)
	if err != nil {
		return Result{}, err
	}
	base := contents{
		name: "piwork-runtime", hostOS: b.HostOS, hostArch: b.HostArch,
		sets:  append([]string{setGuest, kernelSet(b.guest)}, qemuSets(b.qemu)...),
		extra: []string{setTools},
		npm:   b.npmLock.Packages,
		files: map[string]string{
			kernelPath:    filepath.Join(kernelDir, kernel.ImageFile),
			initramfsPath: filepath.Join(initramfs, path.Base(initramfsPath)),
			rootfsPath:    filepath.Join(rootDir, path.Base(rootfsPath)),
			workPath:      filepath.Join(work, path.Base(workPath)),
		},
		parts: []string{emulator, kernelDir, initramfs, rootDir, work},
	}
	if base.modules, err = linkedModules(ctx, b.SourceDir, own.all()...); err != nil {
		return Result{}, err
	}
	if base.tools, err = toolList(b.locks[setGuest], tools.Catalogue()); err != nil {
		return Result{}, err
	}
	if base.shipped, err = b.shipped(map[string]string{
		setGuest: rootDir, kernelSet(b.guest): kernelDir, qemuSet(b.qemu): emulator, sysrootSet: filepath.Join(emulator, sysrootPart),
	}); err != nil {
		return Result{}, err
	}
	for i := range base.shipped {
		switch base.shipped[i].lock.Set {
		case qemuSet(b.qemu):
			base.shipped[i].terms, base.shipped[i].recipe = filepath.Join(emulator, qemu.LicenceDir), "pack/image/qemu/recipe"
		case kernelSet(b.guest):
			base.shipped[i].recipe = kernelRecipe
			if base.shipped[i].changes, err = kernelChanges(kernelDir); err != nil {
				return Result{}, err
			}
		}
	}
	v, err := verityOf(rootDir)
	if err != nil {
		return Result{}, err
	}
	base.layer = pack.Layer{Name: pack.BaseLayer, Path: rootfsPath, Verity: v}
	if err := listInto(base.files, filepath.Join(emulator, qemu.FilesDir), "qemu"); err != nil {
		return Result{}, err
	}
	r, err := b.assemble(ctx, base)
	if err != nil {
		return Result{}, err
	}
	for _, a := range b.addOns {
		layer, err := b.addOn(ctx, a, toolDir, rootDir, r.Header)
		if err != nil {
			return Result{}, fmt.Errorf("add-on %s: %w", a.name, err)
		}
		r.AddOns = append(r.AddOns, layer)
	}
	return r, nil
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

// initramfs makes the part with the program that the guest boots from.
func (b *builder) initramfs(ctx context.Context, own ownPrograms) (string, error) {
	hash, err := fileHash(own.init)
	if err != nil {
		return "", err
	}
	t := b.timeOf(kernelSet(b.guest))
	return b.part(ctx, "initramfs", nil, []any{hash, t}, func(_ context.Context, dir string) error {
		return makeInitramfs(dir, own.init, t)
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
