package image

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"piwork/pack/image/debian"
)

// set is a question to apt: what a lock file answers.
type set struct {
	name string
	arch string // Debian's name
	want []string
	// keep, when not nil, says which of the resolved packages are of use.
	keep func(debian.Package) bool
}

// sets of a pack for host and guest.
func setsFor(host, guest platform) []set {
	return []set{
		{name: setGuest, arch: guest.debian, want: guestPackages},
		{name: setKernel, arch: guest.debian, want: []string{guest.kernel}, keep: func(p debian.Package) bool {
			version := strings.TrimPrefix(p.Name, "linux-image-")
			return version != p.Name && version[0] >= '0' && version[0] <= '9'
		}},
		{name: setQEMU, arch: host.debian, want: qemuPackages},
		{name: setTools, arch: host.debian, want: toolPackages},
	}
}

func (s set) file(sourceDir string) string {
	return filepath.Join(sourceDir, "pack", "image", "lock", s.name+"-"+s.arch+".json")
}

// archive is what packages come from: the Debian archive for one architecture.
type archive interface {
	Update(ctx context.Context) error
	Time() (time.Time, error)
	Resolve(ctx context.Context, want []string) ([]debian.Package, error)
	// Fetch is debian.Store.Fetch.
	Fetch(ctx context.Context, p []debian.Package, progress func(files int, bytes int64)) error
}

// aptArchive is the archive on the mirror of this machine's apt.
type aptArchive struct {
	*debian.Apt
	store *debian.Store
}

func (a aptArchive) Fetch(ctx context.Context, p []debian.Package, progress func(files int, bytes int64)) error {
	return a.store.Fetch(ctx, a.Apt, p, progress)
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

// packages turns locks into files: it asks the mirror only when something is
// missing, and at most once for its lists.
type packages struct {
	src      string // the checkout
	log      func(format string, a ...any)
	open     func(arch string) (archive, error)
	archives map[string]archive // by architecture
	fresh    map[string]bool    // architectures whose lists were fetched in this run
}

// lock reads the lock file of a set. A missing one, or one that answers another
// question than the recipe's, is made anew, with an announcement.
func (p *packages) lock(ctx context.Context, s set) (*debian.Lock, error) {
	l, err := debian.ReadLock(s.file(p.src))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return p.resolve(ctx, s, nil, "there is no lock file yet")
	case err != nil:
		return nil, err
	case !l.For(suite, s.arch, s.want):
		return p.resolve(ctx, s, l, "the recipe asks for other packages than the lock file was made for")
	}
	return l, nil
}

// fetch gets the packages of a lock. Where one has left the mirror, the whole
// set is resolved again; the lock that holds in the end is returned.
func (p *packages) fetch(ctx context.Context, s set, l *debian.Lock) (*debian.Lock, error) {
	from, err := p.archive(l.Architecture)
	if err != nil {
		return nil, err
	}
	progress := func(files int, bytes int64) {
		p.log("Downloading %d packages of the set %s (%s)", files, s.name, megabytes(bytes))
	}
	err = from.Fetch(ctx, l.Packages, progress)
	var gone *debian.GoneError
	if !errors.As(err, &gone) {
		return l, err
	}
	l, err = p.resolve(ctx, s, l, gone.Error())
	if err != nil {
		return nil, err
	}
	return l, from.Fetch(ctx, l.Packages, progress)
}

// resolve asks the mirror for today's versions, writes the lock file, and says
// what changed.
func (p *packages) resolve(ctx context.Context, s set, old *debian.Lock, why string) (*debian.Lock, error) {
	p.log("LOCK FILE %s: resolving again, because %s", filepath.Base(s.file(p.src)), why)
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
	found, err := from.Resolve(ctx, s.want)
	if err != nil {
		return nil, fmt.Errorf("set %s: %w", s.name, err)
	}
	l := &debian.Lock{Schema: debian.LockSchema, Set: s.name, Suite: suite, Architecture: s.arch, Want: s.want}
	for _, q := range found {
		if s.keep == nil || s.keep(q) {
			l.Packages = append(l.Packages, q)
		}
	}
	if len(l.Packages) == 0 {
		return nil, fmt.Errorf("set %s: none of the packages that %v brings is of use", s.name, s.want)
	}
	if l.Time, err = from.Time(); err != nil {
		return nil, err
	}
	changes := debian.Diff(old, l)
	if old != nil && len(changes) == 0 && old.For(suite, s.arch, s.want) {
		p.log("LOCK FILE %s: nothing changed", filepath.Base(s.file(p.src)))
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

// archive opens the archive for an architecture once.
func (p *packages) archive(arch string) (archive, error) {
	if a := p.archives[arch]; a != nil {
		return a, nil
	}
	a, err := p.open(arch)
	if err == nil {
		p.archives[arch] = a
	}
	return a, err
}
