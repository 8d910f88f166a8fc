package image

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"piwork/pack/image/debian"
	"piwork/pack/image/qemu"
)

// qemuSet names the set of packages that a QEMU is built with and from. What is
// usual, Linux and the processor of the building room, is not in the name.
func qemuSet(t qemu.Target) string {
	name := "qemu"
	if t.OS != "linux" || t.Arch != qemu.BuildArch {
		name += "-" + t.OS
	}
	if t.Arch != qemu.BuildArch {
		name += "-" + t.Arch
	}
	return name
}

// sysrootSet names the set of what QEMU for a host of another processor than the
// rooms' is linked with.
const sysrootSet = "qemu-sysroot"

// qemuQuestions are the sets of a QEMU that is built here.
func qemuQuestions(t qemu.Target) []set {
	sets := []set{{name: qemuSet(t), arch: qemu.BuildArch, want: t.Packages(), sources: t.Sources()}}
	if want := t.Sysroot(); len(want) > 0 {
		sets = append(sets, set{name: sysrootSet, arch: platforms[t.Arch].debian, want: want, alone: true})
	}
	return sets
}

// qemuSets are the names of these sets.
func qemuSets(t qemu.Target) []string {
	var names []string
	for _, s := range qemuQuestions(t) {
		names = append(names, s.name)
	}
	return names
}

// sysrootPart is, in the part of a QEMU, where it is said which packages of
// sysrootSet are in it.
const sysrootPart = "sysroot"

// findEmulator says where QEMU comes from, and checks it when it was built
// elsewhere. Its lock, then, has what it was built from.
func (b *builder) findEmulator() error {
	if b.HostOS != "darwin" {
		if b.QEMUDir != "" {
			return errors.New("a directory with QEMU is for macOS only; for others it is built from source")
		}
		return b.qemu.Check()
	}
	if b.QEMUDir == "" {
		return errors.New("QEMU for macOS is not built here: name a directory with it")
	}
	d, err := qemu.OpenDirectory(b.QEMUDir, b.qemu)
	if err != nil {
		return err
	}
	if d.AdHoc {
		b.log("QEMU in %s is signed by nobody: macOS runs it on your own computer only", d.Dir)
	}
	b.qemuDir = d
	name := qemuSet(b.qemu)
	b.sets = slices.DeleteFunc(b.sets, func(s set) bool { return s.name == name })
	b.sets = append(b.sets, set{name: name, arch: b.host.debian, given: &debian.Lock{
		Schema: debian.LockSchema, Set: name, Suite: suite, Architecture: b.host.debian, Time: d.Lock.Time, Sources: d.Lock.Sources,
	}})
	return nil
}

// emulator makes the part with QEMU for the host, from source or of a
// directory.
func (m ownMaker) emulator(ctx context.Context) (string, error) {
	b := m.b
	part := "qemu." + b.qemu.String()
	if d := b.qemuDir; d != nil {
		return b.compiled(ctx, part, "directory", nil, []any{d.Hash}, func(_ context.Context, dir string) error {
			if err := d.Place(dir); err != nil {
				return err
			}
			return writeUsed(dir, []string{})
		})
	}
	recipe, err := b.qemu.Hash()
	if err != nil {
		return "", err
	}
	set, sets := qemuSet(b.qemu), qemuSets(b.qemu)
	return b.compiled(ctx, part, recipe, sets, nil, b.alone(func(ctx context.Context, dir, scratch string) error {
		o := qemu.Options{Target: b.qemu, Lock: b.locks[set], Sysroot: b.locks[sysrootSet], Store: b.store, Time: b.timeOf(sets...), Scratch: scratch}
		if err := qemu.Build(ctx, o, dir); err != nil {
			return err
		}
		if linked := b.qemu.Sysroot(); len(linked) > 0 {
			if err := os.Mkdir(filepath.Join(dir, sysrootPart), 0o755); err != nil {
				return err
			}
			if err := writeUsed(filepath.Join(dir, sysrootPart), linked); err != nil {
				return err
			}
		}
		return writeUsed(dir, b.qemu.Linked())
	}))
}
