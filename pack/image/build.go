package image

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"time"

	"piwork/pack/image/bootstrap"
	"piwork/pack/image/debian"
	"piwork/pack/image/npm"
	"piwork/pack/image/qemu"
	"piwork/pack/spec"
)

// Options say what to build. The zero value builds in the current directory's
// checkout for this machine.
type Options struct {
	HostOS      string       // as GOOS; "" is this machine's
	HostArch    string       // as GOARCH; "" is this machine's
	Flavour     spec.Flavour // "" is own
	CacheDir    string       // "" is [DefaultCacheDir]
	SourceDir   string       // a checkout: lock files, the guest's program and its files; "" is "."
	OutDir      string       // a directory that is made to have exactly the result, file by file; "" leaves it in the cache
	OfferedBy   string       // name and address of who distributes the pack and offers the sources; "" is what PIWORK_OFFERED_BY says
	Version     string       // of the pack; "" is a developer's version that names the content
	QEMUDir     string       // with a QEMU for macOS, which cannot be built elsewhere (package qemu, OpenDirectory)
	NodeVersion string       // of the guest; "" is what PIWORK_NODE_VERSION says, else the recipe's
	// AddOns are names of add-ons to build too, see [AddOns].
	AddOns []string
	// Log is told about every step, a line at a time. nil is silent.
	Log func(line string)
}

// EnvOfferedBy names who distributes the packs that are built, and offers their
// sources.
const EnvOfferedBy = "PIWORK_OFFERED_BY"

// Result is a directory in the layout of a pack, without manifest, and what the
// manifest has to say besides its files.
type Result struct {
	Dir    string
	Header spec.Manifest // all but Key, Schema and Files
	AddOns []Result      // in the order of Options.AddOns
}

// DefaultCacheDir is $XDG_CACHE_HOME/piwork-build.
func DefaultCacheDir() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("build cache: %w", err)
	}
	return filepath.Join(dir, "piwork-build"), nil
}

// Build makes everything that goes into a runtime pack. Parts that were built
// before are taken from the cache. One build at a time uses a cache; others
// wait.
func Build(ctx context.Context, o Options) (Result, error) {
	b, err := newBuilder(o)
	if err != nil {
		return Result{}, fmt.Errorf("build runtime: %w", err)
	}
	unlock, err := b.cache.lock(ctx)
	if err != nil {
		return Result{}, fmt.Errorf("build runtime: %w", err)
	}
	defer unlock()
	r, err := b.build(ctx)
	if err != nil {
		return Result{}, fmt.Errorf("build runtime: %w", err)
	}
	return r, nil
}

// builder is one build.
type builder struct {
	Options
	host, guest platform
	qemu        qemu.Target
	qemuDir     *qemu.Directory // QEMU that was built elsewhere; nil: it is built here
	sets        []set
	addOns      []addOn
	cache       *cache
	store       *debian.Store
	npm         *npm.Store
	node        string               // version
	npmLock     *npm.Lock            // what the guest has from npm
	addOnNPM    map[string]*npm.Lock // and what an add-on has
	packages    *packages
	source      string                  // hash of this package
	epoch       *time.Time              // SOURCE_DATE_EPOCH when it is set
	locks       map[string]*debian.Lock // by set
	logging     sync.Mutex              // held while Options.Log is called
	compiling   sync.Mutex              // held while something is compiled that keeps all processors busy

	runBootstrap func(context.Context, bootstrap.Job) error
}

func newBuilder(o Options) (*builder, error) {
	o.HostOS = cmp.Or(o.HostOS, runtime.GOOS)
	o.HostArch = cmp.Or(o.HostArch, runtime.GOARCH)
	b := &builder{Options: o, locks: map[string]*debian.Lock{}, addOnNPM: map[string]*npm.Lock{}, runBootstrap: func(ctx context.Context, j bootstrap.Job) error { return j.Run(ctx) }}
	var err error
	if b.host, err = platformFor(o.HostArch); err != nil {
		return nil, err
	}
	b.guest = b.host // a guest runs fast only on a host of its own architecture
	if b.CacheDir == "" {
		if b.CacheDir, err = DefaultCacheDir(); err != nil {
			return nil, err
		}
	}
	if b.CacheDir, err = filepath.Abs(b.CacheDir); err != nil {
		return nil, err
	}
	if b.SourceDir, err = filepath.Abs(b.SourceDir); err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(b.SourceDir, "pack", "image", "recipe.go")); err != nil {
		return nil, fmt.Errorf("%s is not a checkout of piwork: %w", b.SourceDir, err)
	}
	if b.source, err = sourceHash(); err != nil {
		return nil, err
	}
	if s, ok := os.LookupEnv("SOURCE_DATE_EPOCH"); ok {
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil || n < 0 {
			return nil, fmt.Errorf("SOURCE_DATE_EPOCH is %q, not seconds since 1970", s)
		}
		t := time.Unix(n, 0).UTC()
		b.epoch = &t
	}
	if b.node, err = chooseNode(cmp.Or(b.NodeVersion, os.Getenv(EnvNodeVersion))); err != nil {
		return nil, err
	}
	for _, name := range b.AddOns {
		a, err := findAddOn(name)
		if err != nil {
			return nil, err
		}
		if a.only != "" && a.only != b.guest.debian {
			return nil, fmt.Errorf("the add-on %s is made for %s alone, not for %s: leave it out", name, a.only, b.guest.debian)
		}
		b.addOns = append(b.addOns, a)
	}
	store, err := debian.OpenStore(filepath.Join(b.CacheDir, "debs"))
	if err != nil {
		return nil, err
	}
	snapshots, err := debian.FindSnapshots(os.Getenv)
	if err != nil {
		return nil, err
	}
	if b.npm, err = npm.OpenStore(filepath.Join(b.CacheDir, "npm")); err != nil {
		return nil, err
	}
	b.qemu = qemu.Target{OS: b.HostOS, Arch: b.host.goarch, Guest: b.guest.qemu}
	b.Flavour = cmp.Or(b.Flavour, spec.FlavourOwn)
	if err := checkFlavour(b.Flavour, b.qemu); err != nil {
		return nil, err
	}
	b.sets = setsFor(b.Flavour, b.guest, b.qemu)
	if err := b.findEmulator(); err != nil {
		return nil, err
	}
	b.cache = &cache{dir: b.CacheDir, log: b.log}
	b.store = store
	b.packages = &packages{
		src: b.SourceDir, log: b.log, open: openArchive(filepath.Join(b.CacheDir, "apt"), store), snapshots: snapshots,
		archives: map[string]archive{}, fresh: map[string]bool{},
		installed: func(ctx context.Context, l *debian.Lock) (string, error) { return debian.Installed(ctx, l, store) },
	}
	return b, nil
}

func (b *builder) log(format string, a ...any) {
	if b.Log != nil {
		b.logging.Lock() // parts are made beside each other
		defer b.logging.Unlock()
		b.Log(fmt.Sprintf(format, a...))
	}
}

// build makes the parts from what is locked. The cache's lock is held.
func (b *builder) build(ctx context.Context) (_ Result, err error) {
	if err := b.cache.sweep(time.Now()); err != nil {
		return Result{}, fmt.Errorf("build cache: %w", err)
	}
	for _, s := range b.sets {
		if b.locks[s.name], err = b.packages.lock(s); err != nil {
			return Result{}, err
		}
	}
	if err := b.lockAddOns(); err != nil {
		return Result{}, err
	}
	if b.npmLock, err = b.lockPrograms(); err != nil {
		return Result{}, err
	}
	return b.parts(ctx)
}

// part makes a part that depends on sets and inputs, unless the cache has it.
// The packages of the sets are fetched only when it has not.
func (b *builder) part(ctx context.Context, name string, sets []string, inputs []any, make func(ctx context.Context, dir string) error) (string, error) {
	return b.compiled(ctx, name, b.source, sets, inputs, make)
}

// compiled is part for what takes minutes to compile: in place of all of this
// package, the recipe that it is made by is in its key.
func (b *builder) compiled(ctx context.Context, name, recipe string, sets []string, inputs []any, make func(ctx context.Context, dir string) error) (string, error) {
	all := append([]any{recipe, b.epoch, b.host.debian, b.guest.debian}, inputs...)
	for _, s := range sets {
		all = append(all, b.locks[s])
	}
	key, err := keyOf(name, all...)
	if err != nil {
		return "", err
	}
	if !b.cache.has(name, key) {
		for _, s := range sets {
			if l := b.locks[s]; l != nil {
				if err := b.packages.fetch(ctx, l); err != nil {
					return "", err
				}
			}
		}
	}
	ctx, cancel := context.WithTimeout(ctx, maximumTools)
	defer cancel()
	return b.cache.part(ctx, name, key, make)
}

// timeOf is the time in what is built from sets.
func (b *builder) timeOf(sets ...string) time.Time {
	if b.epoch != nil {
		return *b.epoch
	}
	var newest time.Time
	for _, s := range sets {
		if t := b.locks[s].Time; t.After(newest) {
			newest = t
		}
	}
	return newest
}
