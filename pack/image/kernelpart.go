package image

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"piwork/pack/image/debian"
	"piwork/pack/image/kernel"
)

// kernelRecipe is where in piwork's source stands how the kernel is built.
const kernelRecipe = "pack/image/kernel/recipe"

// kernelSet names the set of packages that the kernel of a guest is built with
// and from. That for the usual guest has no more to its name.
func kernelSet(guest platform) string {
	if guest.qemu == "x86_64" {
		return "kernel"
	}
	return "kernel-" + guest.qemu
}

// kernelQuestion is what that set asks for.
func kernelQuestion(guest platform) set {
	want, err := kernel.Packages(guest.qemu)
	if err != nil {
		want = nil // the build says why, before anything is asked
	}
	return set{name: kernelSet(guest), arch: kernel.BuildArch, want: want}
}

// kernel makes the part with the guest's kernel from source, and says which
// performance patches are not in it each time.
func (m ownMaker) kernel(ctx context.Context) (string, error) {
	b := m.b
	recipe, err := kernel.Hash(b.guest.qemu)
	if err != nil {
		return "", err
	}
	set := kernelSet(b.guest)
	part, err := b.compiled(ctx, "kernel."+b.guest.qemu, recipe, []string{set}, nil, b.alone(func(ctx context.Context, dir, scratch string) error {
		o := kernel.Options{Guest: b.guest.qemu, Lock: b.locks[set], Store: b.store, Time: b.timeOf(set), Scratch: scratch}
		if err := kernel.Build(ctx, o, dir); err != nil {
			return err
		}
		return writeUsed(dir, []string{kernel.Source})
	}))
	if err != nil {
		return "", err
	}
	patched, err := kernel.ReadPatched(part)
	patched.Say(b.log)
	return part, err
}

// followsKernel tells whether another source of the kernel is in a lock than was in
// the old one, which may be nil. The kernels of all guests are of one source.
func (s set) followsKernel(old, now *debian.Lock) bool {
	return s.name == kernelSet(rooms) && kernel.SourceVersion(old) != kernel.SourceVersion(now)
}

// tryPatches tells whether our patches still apply to the kernel's source.
func (m ownMaker) tryPatches(ctx context.Context, l *debian.Lock) error {
	b := m.b
	b.log("kernel: applying our patches to %s %s", kernel.Source, kernel.SourceVersion(l))
	if err := b.packages.fetch(ctx, l); err != nil {
		return err
	}
	return b.scratch(func(ctx context.Context, _, scratch string) error {
		ctx, cancel := context.WithTimeout(ctx, maximumTools)
		defer cancel()
		patched, err := kernel.CheckPatches(ctx, kernel.Options{Guest: rooms.qemu, Lock: l, Store: b.store, Time: l.Time, Scratch: scratch})
		patched.Say(b.log)
		return err
	})(ctx, "")
}

// kernelChanges are those of our patches that are in the kernel of a part, as files
// of a pack.
func kernelChanges(part string) (map[string][]byte, error) {
	patched, err := kernel.ReadPatched(part)
	if err != nil {
		return nil, err
	}
	patches, err := kernel.Patches()
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, p := range patches {
		if slices.Contains(patched.Applied, p.Name) {
			files["licenses/linux/changes/"+p.Name] = p.Text
		}
	}
	return files, nil
}

// makeInitramfs wraps the guest's program, and the kernel's modules where it has
// some, for the kernel.
func makeInitramfs(dir, kernelDir, agent string, t time.Time) error {
	program, err := os.ReadFile(agent)
	if err != nil {
		return fmt.Errorf("initramfs: %w", err)
	}
	i := kernel.Initramfs{Init: program, Time: t}
	for list, to := range map[string]*[]kernel.Module{earlyFile: &i.Early, lateFile: &i.Late} {
		if *to, err = readModules(kernelDir, list); err != nil {
			return fmt.Errorf("initramfs: %w", err)
		}
	}
	var out bytes.Buffer
	if err := i.Write(&out); err != nil {
		return err
	}
	return writeNew(filepath.Join(dir, path.Base(initramfsPath)), &out, 0o644)
}
