package image

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"piwork/pack/image/debian"
	"piwork/pack/image/npm"
)

// groupNPM is the group of what comes from npm, groupAddOn that of the add-ons.
const (
	groupNPM   = "npm"
	groupAddOn = "addon"
)

// LockGroups are what Relock can follow without the rest.
func LockGroups() []string {
	groups := []string{groupNPM, groupAddOn}
	for _, s := range everySet() {
		groups = append(groups, s.group())
	}
	slices.Sort(groups)
	return slices.Compact(groups)
}

// Relock resolves sets of packages again, writes the lock files that change, and
// says what changed; nothing else writes a lock file. Groups are some of
// [LockGroups], none are all. Add-ons follow the guest when it changes, because
// they are made over its packages. Where the kernel's source is another one
// afterwards, our patches are tried on it.
//
// What comes from npm has its versions in the recipe: its lock files are written
// when they are missing or made for other versions. Another release of Node is
// locked for the guest that is asked for, since not all have it.
func Relock(ctx context.Context, o Options, groups ...string) error {
	b, err := newBuilder(o)
	if err != nil {
		return fmt.Errorf("lock packages: %w", err)
	}
	unlock, err := b.cache.lock(ctx)
	if err != nil {
		return fmt.Errorf("lock packages: %w", err)
	}
	defer unlock()
	if err := b.relock(ctx, groups); err != nil {
		return fmt.Errorf("lock packages: %w", err)
	}
	return nil
}

// relock is Relock; the cache's lock is held.
func (b *builder) relock(ctx context.Context, groups []string) error {
	for _, g := range groups {
		if !slices.Contains(LockGroups(), g) {
			return fmt.Errorf("no group of sets %q (there is: %s)", g, strings.Join(LockGroups(), ", "))
		}
	}
	chosen := func(group string) bool { return len(groups) == 0 || slices.Contains(groups, group) }
	tryPatches := func() error { return nil }
	for _, s := range everySet() {
		if !chosen(s.group()) {
			continue
		}
		old := b.oldLock(s)
		l, err := b.packages.resolve(ctx, s, old)
		if err != nil {
			return err
		}
		if s.followsKernel(old, l) {
			tryPatches = func() error { return ownMaker{b}.tryPatches(ctx, l) }
		}
	}
	for _, arch := range slices.Sorted(maps.Keys(platforms)) {
		p := platforms[arch]
		if err := b.relockAddOns(ctx, p, chosen); err != nil {
			return err
		}
		if chosen(groupNPM) && (b.node == nodeVersion || p == b.guest) {
			if err := b.relockPrograms(ctx, p); err != nil {
				return err
			}
			for _, a := range addOns {
				if len(a.npm) == 0 || a.only != "" && a.only != p.debian {
					continue
				}
				if err := relockNPM(ctx, b, a.npmLockFile(b.SourceDir, p), a.wantNPM()); err != nil {
					return err
				}
			}
		}
	}
	return tryPatches() // at last: all locks are written
}

// oldLock is what a lock file says, nil when that cannot be read.
func (b *builder) oldLock(s set) *debian.Lock {
	l, err := debian.ReadLock(s.file(b.SourceDir))
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			b.log("LOCK FILE: %v", err)
		}
		return nil
	}
	return l
}

// relockAddOns resolves the add-ons of a guest over it as it is locked now, all at
// the same time: what two of them have in common is then the same. They are locked
// for the guest that is asked for, and wherever they were before.
func (b *builder) relockAddOns(ctx context.Context, guest platform, chosen func(group string) bool) error {
	if !chosen(groupAddOn) && !chosen(setGuest) {
		return nil
	}
	base, err := debian.ReadLock(set{name: setGuest, arch: guest.debian}.file(b.SourceDir))
	if err != nil {
		return err
	}
	var follow []set
	stale := false
	for _, a := range addOns {
		if len(a.want) == 0 {
			continue
		}
		s := a.set(guest, base)
		old := b.oldLock(s)
		if old == nil && guest != b.guest {
			continue
		}
		follow = append(follow, s)
		stale = stale || old == nil || !s.answeredBy(old)
	}
	if len(follow) == 0 || !chosen(groupAddOn) && !stale {
		return nil
	}
	// To resolve over the guest's packages, what is in them must be known.
	if err := b.packages.fetch(ctx, base); err != nil {
		return err
	}
	for _, s := range follow {
		if _, err := b.packages.resolve(ctx, s, b.oldLock(s)); err != nil {
			return err
		}
	}
	return nil
}

// relockPrograms writes the lock file of what comes from npm for a guest, unless it
// has the versions of the recipe already.
func (b *builder) relockPrograms(ctx context.Context, guest platform) error {
	return relockNPM(ctx, b, npmLockFile(b.SourceDir, guest, b.node), programs(guest, b.node))
}

// relockNPM is relockPrograms for a lock file.
func relockNPM(ctx context.Context, b *builder, file string, want []npm.Want) error {
	old, err := npm.ReadLock(file)
	switch {
	case err == nil && old.For(want):
		b.log("LOCK FILE %s: unchanged", filepath.Base(file))
		return nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		b.log("LOCK FILE: %v", err)
	}
	l, err := b.npm.Resolve(ctx, want)
	if err != nil {
		return err
	}
	if old != nil {
		for _, p := range l.Packages {
			if q, err := old.Find(p.Name); err == nil && q.Version == p.Version && q.Integrity != p.Integrity {
				return fmt.Errorf("the registry has another content for %s %s than before", p.Name, p.Version)
			}
		}
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	if err := l.Write(file); err != nil {
		return err
	}
	b.log("LOCK FILE %s: CHANGED; commit it", filepath.Base(file))
	return nil
}
