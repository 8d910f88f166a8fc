// Package room makes what the suites run in: a root file system for a guest with
// programs that test file systems, none of them ours.
//
// # Parties
//
//   - Debian has most of them ([packages]), and a compiler for those that come as
//     source: GNU's tests of POSIX functions, in the package gnulib.
//   - npm is a package of its own registry, as are the packages that it installs
//     in the test; their archives lie in the image ([Packages]).
//   - The room in which all this is put together (pack/image/workshop) is the root
//     file system too: what is in it goes into the image.
//
// Versions and hashes stand in debian-amd64.json and npm.json. A list that is
// missing, answers another question than the recipe's, or names what a mirror has no
// longer (nor an archive of snapshots, PIWORK_DEBIAN_SNAPSHOT) is an error. With
// TestSuites -update it is made anew, and the test that asked for the room says to commit it.
//
// # Licences
//
// Nothing of it is shipped: images stay in the build cache. gnulib GPL-3, nfstest
// GPL-2, stress-ng GPL-2, fio GPL-2, dbench GPL-3, rsync GPL-3, git GPL-2, SQLite
// public domain, Python PSF-2, Node MIT, npm Artistic-2.0, lodash MIT, TypeScript
// Apache-2.0; of what runs beside the image Go's tests and go-fuse's posixtest
// BSD-3.
package room

import (
	"context"
	"crypto/sha256"
	_ "embed" // of the recipe
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"piwork/pack/image/debian"
	"piwork/pack/image/npm"
	"piwork/pack/image/workshop"
)

const (
	suite = "trixie"
	arch  = "amd64"
	set   = "suites"

	imageFile = "suites.img"
	limit     = time.Hour // far more than a slow machine needs
)

// packages of the room.
var packages = []string{
	"?and(?essential,?not(?exact-name(apt)))",
	// What is tested with.
	"stress-ng", "fio", "dbench", "nfstest", "libpython3.13-testsuite", "git", "sqlite3", "rsync", "attr", "procps", "nodejs",
	// What is built here, and with what.
	"gnulib", "patch", "gcc", "libc6-dev", "make", "autoconf", "automake", "erofs-utils",
}

// installed are the packages that npm installs in the test, npm among them.
var installed = []npm.Want{
	{Name: "npm", Version: "10.9.2"},
	{Name: "lodash", Version: "4.17.21"},
	{Name: "typescript", Version: "5.8.3"},
}

// Packages is where their archives lie in the image, NAME.tgz.
const Packages = "/opt/packages"

// Gnulib is where its tests lie in the image, each a program or a script that
// ends with 0 for passed and 77 for skipped.
const Gnulib = "/opt/gnulib"

//go:embed room.sh
var recipe []byte

// Image returns the image, an erofs without compression. It is made when it is not
// in the build cache; dir is the directory of this package's source. With relock
// lock files that do not fit are written anew, and changed names them: they are to
// be committed.
func Image(ctx context.Context, dir string, relock bool, log func(format string, a ...any)) (file string, changed []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", nil, fmt.Errorf("build cache: %w", err)
	}
	cache = filepath.Join(cache, "piwork-build") // pack/image has it too (DefaultCacheDir)
	base := filepath.Join(cache, "suites")
	if err := os.MkdirAll(base, 0o755); err != nil {
		return "", nil, err
	}
	l := flock.New(filepath.Join(base, "lock"))
	if _, err := l.TryLockContext(ctx, 200*time.Millisecond); err != nil {
		return "", nil, fmt.Errorf("build cache: %w", err)
	}
	defer func() { err = errors.Join(err, l.Unlock()) }()
	m := maker{cache: cache, base: base, dir: dir, relock: relock, log: log}
	return m.image(ctx)
}

// maker is one build.
type maker struct {
	cache, base, dir string
	relock           bool
	log              func(format string, a ...any)
	changed          []string
}

func (m *maker) image(ctx context.Context) (string, []string, error) {
	debs, store, err := m.debian(ctx)
	if err != nil {
		return "", nil, fmt.Errorf("packages of Debian: %w", err)
	}
	archives, err := m.npm(ctx)
	if err != nil {
		return "", nil, err
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s %x", debs.Digest(), sha256.Sum256(recipe))
	for _, name := range slices.Sorted(maps.Keys(archives)) {
		fmt.Fprintf(h, " %s %s", name, filepath.Base(archives[name]))
	}
	place := filepath.Join(m.base, fmt.Sprintf("%.16x", h.Sum(nil)))
	file := filepath.Join(place, imageFile)
	if _, err := os.Stat(file); err == nil {
		return file, m.changed, nil
	}
	m.log("building the room of the suites (some minutes)")
	scratch, err := os.MkdirTemp(m.base, ".making-")
	if err != nil {
		return "", nil, err
	}
	defer os.RemoveAll(scratch)
	for _, d := range []string{"room", "out"} {
		if err := os.Mkdir(filepath.Join(scratch, d), 0o755); err != nil {
			return "", nil, err
		}
	}
	out := filepath.Join(scratch, "out")
	err = workshop.Job{
		Lock: debs, Store: store, Time: debs.Time, Files: archives, Texts: map[string][]byte{"room.sh": recipe}, Script: "room.sh",
		Scratch: filepath.Join(scratch, "room"), Log: filepath.Join(out, "build.log"),
	}.Run(ctx, out)
	if err != nil {
		return "", nil, err
	}
	return file, m.changed, os.Rename(out, place)
}

// debian returns the lock, everything in it fetched.
func (m *maker) debian(ctx context.Context) (*debian.Lock, *debian.Store, error) {
	file := filepath.Join(m.dir, "debian-"+arch+".json")
	store, err := debian.OpenStore(filepath.Join(m.cache, "debs"))
	if err != nil {
		return nil, nil, err
	}
	mirrors, err := debian.FindMirrors(os.Getenv, os.DirFS("/etc/apt"))
	if err != nil {
		return nil, nil, err
	}
	apt, err := debian.NewApt(filepath.Join(m.base, "apt"), suite, arch, mirrors)
	if err != nil {
		return nil, nil, err
	}
	l, err := debian.ReadLock(file)
	switch {
	case err == nil && l.For(suite, arch, packages):
		err = m.fetch(ctx, store, apt, l)
		if gone := (*debian.GoneError)(nil); err == nil || !errors.As(err, &gone) {
			return l, store, err
		}
		if !m.relock {
			return nil, nil, fmt.Errorf("%w; set %s to an archive of snapshots, or change to today's versions with TestSuites -update", err, debian.EnvSnapshots)
		}
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, nil, err
	case !m.relock:
		return nil, nil, errUnlocked(file)
	}
	m.log("resolving the packages of Debian again")
	if err := apt.Update(ctx); err != nil {
		return nil, nil, err
	}
	l = &debian.Lock{Schema: debian.LockSchema, Set: set, Suite: suite, Architecture: arch, Want: packages}
	if l.Packages, err = apt.Resolve(ctx, packages); err != nil {
		return nil, nil, err
	}
	if l.Time, err = apt.Time(); err != nil {
		return nil, nil, err
	}
	m.changed = append(m.changed, file)
	return l, store, errors.Join(l.Write(file), store.Fetch(ctx, apt, l.All(), m.progress))
}

// errUnlocked says that a lock file is missing, or not for what is wanted now.
func errUnlocked(file string) error {
	return fmt.Errorf("the lock file %s is missing or was made for other packages; write it with TestSuites -update", filepath.Base(file))
}

// fetch gets what a lock names, from an archive of snapshots what left the mirror.
func (m *maker) fetch(ctx context.Context, store *debian.Store, apt *debian.Apt, l *debian.Lock) error {
	err := store.Fetch(ctx, apt, l.All(), m.progress)
	var gone *debian.GoneError
	if !errors.As(err, &gone) {
		return err
	}
	from, bad := debian.FindSnapshots(os.Getenv)
	if bad != nil || from == "" {
		return errors.Join(err, bad)
	}
	m.log("%v: from the archive of snapshots", gone)
	return store.FetchSnapshot(ctx, apt, from, l.Time, gone.Packages, m.progress)
}

func (m *maker) progress(files int, bytes int64) {
	m.log("downloading %d packages (%d MB)", files, bytes/1e6)
}

// npm returns the archives to lie in the room, by their path there.
func (m *maker) npm(ctx context.Context) (map[string]string, error) {
	file := filepath.Join(m.dir, "npm.json")
	store, err := npm.OpenStore(filepath.Join(m.cache, "npm"))
	if err != nil {
		return nil, err
	}
	l, err := npm.ReadLock(file)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !l.For(installed) {
		if !m.relock {
			return nil, errUnlocked(file)
		}
		m.changed = append(m.changed, file)
		if l, err = store.Resolve(ctx, installed); err == nil {
			err = l.Write(file)
		}
	}
	if err != nil {
		return nil, err
	}
	archives := map[string]string{}
	for _, p := range l.Packages {
		if err := store.Fetch(ctx, p); err != nil {
			return nil, err
		}
		archives["packages/"+p.Name+".tgz"] = store.Path(p)
	}
	return archives, nil
}
