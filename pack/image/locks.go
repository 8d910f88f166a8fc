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
	"sync"
	"time"

	"piwork/pack/image/debian"
	"piwork/pack/image/qemu"
	"piwork/pack/spec"
)

// set is a question to apt: what a lock file answers. There is one lock for each set of
// packages that is resolved by itself:
//
//	guest         the root file system
//	addon-<name>  what an add-on has that the guest has not
//	kernel        the guest's kernel: its source and what builds it
//	kernel-stock  the guest's kernel: Debian's
//	qemu          QEMU for the host: its source and what builds it
//	qemu-stock    QEMU for the host: Debian's, with its libraries
//	qemu-sysroot  what QEMU is linked with for a host of another processor
//	tools         what writes file systems, run on the building machine
//	swift         what the SDK for Swift is compiled with
//	wine          what tests of the pack for Windows run in
//
// kernel and qemu have the guest or the host in their name where it is not the usual one
// (kernel-aarch64, qemu-windows). What comes from npm is no set, but has lock files, too: npm has
// Node, npm and the AI program, npm-<name> what an add-on has from there.
type set struct {
	name string
	arch string // Debian's name
	want []string
	// sources are source packages that something is built from.
	sources []string
	// given, when not nil, is the lock: there is no file of it.
	given *debian.Lock
	// without are packages that others depend on and that are left out.
	without []string
	// over, when not nil, is what the set adds to.
	over *debian.Lock
	// alone sets have no more than is wanted by name: their files are used, and
	// nothing is installed.
	alone bool
	// keep, when not nil, says which of the packages that were found are of use.
	keep func(debian.Package) bool
}

// setsFor are the sets of a pack of a flavour with a guest and a QEMU.
func setsFor(f spec.Flavour, guest platform, q qemu.Target) []set {
	sets := []set{
		{name: setGuest, arch: guest.debian, want: guestPackages, without: guestWithout},
		{name: setTools, arch: rooms.debian, want: toolPackages},
	}
	if f == spec.FlavourStock {
		return append(sets, stockQuestions(guest)...)
	}
	return append(append(sets, kernelQuestion(guest)), qemuQuestions(q)...)
}

// everySet is what the packs for all hosts are made from, so that all of them
// follow Debian's updates at once. Sets of one name differ in their architecture.
func everySet() []set {
	var all []set
	add := func(sets []set) {
		for _, s := range sets {
			if !slices.ContainsFunc(all, func(o set) bool { return o.name == s.name && o.arch == s.arch }) {
				all = append(all, s)
			}
		}
	}
	for _, t := range qemu.Targets() {
		for _, f := range []spec.Flavour{spec.FlavourOwn, spec.FlavourStock} {
			if checkFlavour(f, t) == nil {
				add(setsFor(f, platforms[t.Arch], t))
			}
		}
	}
	add([]set{wineSet, swiftSet})
	return all
}

// wineSet is what Windows' part is played by in tests.
var wineSet = set{name: "wine", arch: rooms.debian, want: []string{essential, "wine64"}}

// swiftSet is what the SDK for Swift is compiled with (scripts/lib/swiftroom).
var swiftSet = set{name: "swift", arch: rooms.debian, want: []string{essential, "g++", "swiftlang"}}

// group is what the set is named by for --lock: sets that fit together only when
// they are resolved at one time, such as the kernels of all guests, are a group.
func (s set) group() string { return groupOf(s.name) }

func groupOf(set string) string {
	group, _, _ := strings.Cut(set, "-")
	return group
}

func (s set) file(sourceDir string) string {
	return filepath.Join(sourceDir, "pack", "image", "lock", s.name+"-"+s.arch+".json")
}

// answeredBy tells whether a lock was made for this question.
func (s set) answeredBy(l *debian.Lock) bool {
	return l.For(suite, s.arch, s.want) && slices.Equal(l.WantSources, s.sources) &&
		slices.Equal(l.Without, s.without) && l.Over == s.digestOver()
}

// digestOver is the digest of what the set adds to, "" when it stands alone.
func (s set) digestOver() string {
	if s.over == nil {
		return ""
	}
	return s.over.Digest()
}

// archive is what packages come from: the Debian archive for one architecture.
type archive interface {
	Update(ctx context.Context) error
	Time() (time.Time, error)
	Resolve(ctx context.Context, want []string) ([]debian.Package, error)
	// ResolveOver is debian.Apt.ResolveOver.
	ResolveOver(ctx context.Context, want, without []string, installed string) ([]debian.Package, error)
	ResolveSources(ctx context.Context, want []string) ([]debian.Source, error)
	// Fetch is debian.Store.Fetch.
	Fetch(ctx context.Context, p []debian.Package, progress func(files int, bytes int64)) error
	// FetchSnapshot is debian.Store.FetchSnapshot.
	FetchSnapshot(ctx context.Context, from debian.Snapshots, at time.Time, p []debian.Package, progress func(files int, bytes int64)) error
}

// aptArchive is the archive on the mirror of this machine's apt.
type aptArchive struct {
	*debian.Apt
	store *debian.Store
}

func (a aptArchive) Fetch(ctx context.Context, p []debian.Package, progress func(files int, bytes int64)) error {
	return a.store.Fetch(ctx, a.Apt, p, progress)
}

func (a aptArchive) FetchSnapshot(ctx context.Context, from debian.Snapshots, at time.Time, p []debian.Package, progress func(files int, bytes int64)) error {
	return a.store.FetchSnapshot(ctx, a.Apt, from, at, p, progress)
}

// openArchive prepares apt in a directory, for one architecture.
func openArchive(dir string, store *debian.Store) func(arch string) (archive, error) {
	return func(arch string) (archive, error) {
		mirrors, err := debian.FindMirrors(os.Getenv, os.DirFS("/etc/apt"))
		if err != nil {
			return nil, err
		}
		a, err := debian.NewApt(filepath.Join(dir, suite+"-"+arch), suite, arch, mirrors)
		return aptArchive{a, store}, err
	}
}

// packages turns locks into files. Only resolve writes a lock file, and only
// [Relock] calls it.
type packages struct {
	src       string // the checkout
	log       func(format string, a ...any)
	open      func(arch string) (archive, error)
	snapshots debian.Snapshots // where to get what left the mirror; "" is nowhere
	// installed is debian.Installed for what a set adds to.
	installed func(ctx context.Context, l *debian.Lock) (string, error)
	archives  map[string]archive // by architecture
	fresh     map[string]bool    // architectures whose lists were fetched in this run
	opening   sync.Mutex         // held while archives is used: sets are fetched beside each other
}

// lock reads the lock file of a set. It must be there and answer what the recipe
// asks for now.
func (p *packages) lock(s set) (*debian.Lock, error) {
	if s.given != nil {
		return s.given, nil
	}
	l, err := debian.ReadLock(s.file(p.src))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, s.unlocked("is missing")
	case err != nil:
		return nil, fmt.Errorf("set %s: %w; restore it, or write it anew with %s", s.name, err, s.relock())
	case s.answeredBy(l):
		return l, nil
	case l.Over != s.digestOver():
		return nil, s.unlocked("was made for another version of the guest's packages")
	}
	return nil, s.unlocked("was made for other packages than the recipe asks for now")
}

// unlocked is the error of a build whose recipe and lock files do not fit.
func (s set) unlocked(why string) error {
	return fmt.Errorf("set %s: the lock file %s %s; write it with %s", s.name, filepath.Base(s.file("")), why, s.relock())
}

func (s set) relock() string { return relockCommand(s.name, s.arch) }

// relockCommand is the command that writes the lock file of a set. Those of add-ons
// are written for one architecture.
func relockCommand(set, arch string) string {
	command := "./scripts/pack --lock=" + groupOf(set)
	if groupOf(set) == groupAddOn {
		command += " --arch " + arch
	}
	return command
}

// fetch gets the packages of a lock, those that left the mirror from the archive of
// snapshots.
func (p *packages) fetch(ctx context.Context, l *debian.Lock) error {
	from, err := p.archive(l.Architecture)
	if err != nil {
		return err
	}
	progress := func(files int, bytes int64) {
		p.log("Downloading %d packages of the set %s (%s)", files, l.Set, megabytes(bytes))
	}
	err = from.Fetch(ctx, l.All(), progress)
	var gone *debian.GoneError
	if !errors.As(err, &gone) {
		return err
	}
	follow := relockCommand(l.Set, l.Architecture)
	if p.snapshots == "" {
		return fmt.Errorf("set %s: %w; the build stopped, because it takes only what the lock file names. "+
			"Get the locked files from an archive of snapshots (set %s to its address), or change to today's versions with %s",
			l.Set, gone, debian.EnvSnapshots, follow)
	}
	p.log("Set %s: %v. Getting these from the archive of snapshots", l.Set, gone)
	err = from.FetchSnapshot(ctx, p.snapshots, l.Time, gone.Packages, progress)
	if errors.As(err, &gone) {
		return fmt.Errorf("set %s: %w; the archive of snapshots (%s) does not have these either. Change to today's versions with %s", l.Set, gone, debian.EnvSnapshots, follow)
	}
	if err != nil {
		return fmt.Errorf("set %s: from the archive of snapshots (%s): %w; change to today's versions with %s", l.Set, debian.EnvSnapshots, err, follow)
	}
	return nil
}

// resolve asks the mirror for today's versions, writes the lock file, and says
// what changed since old, which may be nil.
func (p *packages) resolve(ctx context.Context, s set, old *debian.Lock) (*debian.Lock, error) {
	from, err := p.archive(s.arch)
	if err != nil {
		return nil, err
	}
	if !p.fresh[s.arch] {
		if err := from.Update(ctx); err != nil {
			return nil, err
		}
		p.fresh[s.arch] = true
	}
	found, err := p.find(ctx, from, s)
	if err != nil {
		return nil, fmt.Errorf("set %s: %w", s.name, err)
	}
	l := &debian.Lock{Schema: debian.LockSchema, Set: s.name, Suite: suite, Architecture: s.arch, Want: s.want, Without: s.without, Over: s.digestOver()}
	l.Packages = found
	l.WantSources = s.sources
	if l.Sources, err = from.ResolveSources(ctx, s.sources); err != nil {
		return nil, fmt.Errorf("set %s: %w", s.name, err)
	}
	if l.Time, err = from.Time(); err != nil {
		return nil, err
	}
	changes := debian.Diff(old, l)
	if old != nil && len(changes) == 0 && s.answeredBy(old) {
		p.log("LOCK FILE %s: unchanged", filepath.Base(s.file(p.src)))
		return old, nil
	}
	if old != nil {
		for _, c := range changes {
			p.log("  %s", c)
		}
	}
	if err := os.MkdirAll(filepath.Dir(s.file(p.src)), 0o755); err != nil {
		return nil, err
	}
	if err := l.Write(s.file(p.src)); err != nil {
		return nil, fmt.Errorf("set %s: %w", s.name, err)
	}
	p.log("LOCK FILE %s: CHANGED, %d packages differ; commit it", filepath.Base(s.file(p.src)), len(changes))
	return l, nil
}

// find asks the mirror for what a set needs.
func (p *packages) find(ctx context.Context, from archive, s set) ([]debian.Package, error) {
	if s.over == nil && len(s.without) == 0 {
		found, err := from.Resolve(ctx, s.want)
		if s.alone {
			found = slices.DeleteFunc(found, func(p debian.Package) bool { return !slices.Contains(s.want, p.Name) })
		}
		if s.keep != nil {
			found = slices.DeleteFunc(found, func(p debian.Package) bool { return !s.keep(p) })
		}
		return found, err
	}
	installed := ""
	if s.over != nil {
		var err error
		if installed, err = p.installed(ctx, s.over); err != nil {
			return nil, err
		}
	}
	return from.ResolveOver(ctx, s.want, s.without, installed)
}

// archive opens the archive for an architecture once.
func (p *packages) archive(arch string) (archive, error) {
	p.opening.Lock()
	defer p.opening.Unlock()
	if a := p.archives[arch]; a != nil {
		return a, nil
	}
	a, err := p.open(arch)
	if err == nil {
		p.archives[arch] = a
	}
	return a, err
}
