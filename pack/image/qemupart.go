package image

import (
	"context"
	"errors"
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

// qemuQuestion is the set of a QEMU that is built here.
func qemuQuestion(t qemu.Target) set {
	return set{name: qemuSet(t), arch: qemu.BuildArch, want: t.Packages(), sources: t.Sources()}
}

// everySet is what all hosts' packs are made from: the sets of this build, and
// those of QEMU for other systems, so that all follow Debian's updates at once.
func (b *builder) everySet() []set {
	all := slices.DeleteFunc(slices.Clone(b.sets), func(s set) bool { return s.given != nil })
	for _, t := range qemu.Targets() {
		q := qemuQuestion(t)
		if !slices.ContainsFunc(all, func(s set) bool { return s.name == q.name }) {
			all = append(all, q)
		}
	}
	return all
}

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

// emulator makes QEMU for the host.
func (b *builder) emulator(ctx context.Context) (string, error) {
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
	set := qemuSet(b.qemu)
	return b.compiled(ctx, part, recipe, []string{set}, nil, b.scratch(func(ctx context.Context, dir, scratch string) error {
		o := qemu.Options{Target: b.qemu, Lock: b.locks[set], Store: b.store, Time: b.timeOf(set), Scratch: scratch}
		if err := qemu.Build(ctx, o, dir); err != nil {
			return err
		}
		return writeUsed(dir, b.qemu.Linked())
	}))
}
