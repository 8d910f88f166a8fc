package pack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"piwork/pack/trust"
)

// spaceReserve stays free on the disk, in bytes: tasks need some too.
const spaceReserve = 64 << 20

// InstallOptions of [Install]; the zero value is valid.
type InstallOptions struct {
	Policy      Policy
	Progress    Progress
	KeepCurrent bool // leave the pointer alone: the caller promotes after a first boot
	Wait        bool // for another installation, instead of ErrBusy
}

// Install verifies an archive while it unpacks it into the store, and makes it
// the current version. Nothing of it is visible before all of it is verified and
// durable; a refusal ([VerifyError]), a full disk ([SpaceError], before anything
// is written) and a cancelled ctx leave nothing.
//
// A version that is there already is checked in full: when it is sound, the
// archive is only verified, else its files are replaced.
func Install(ctx context.Context, file string, s *Store, keys *trust.KeyRing, o InstallOptions) (*Installed, error) {
	in, err := install(ctx, file, s, keys, o)
	if err != nil {
		return nil, fmt.Errorf("install %s: %w", file, err)
	}
	return in, nil
}

func install(ctx context.Context, file string, s *Store, keys *trust.KeyRing, o InstallOptions) (_ *Installed, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	unlock, err := s.lock(ctx, o.Wait)
	if err != nil {
		return nil, err
	}
	defer unlock()
	root, err := os.OpenRoot(s.dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if err := s.sweep(root); err != nil {
		return nil, fmt.Errorf("tidy up: %w", err)
	}

	if o.KeepCurrent {
		// "None" must be written down: a lost pointer would be taken for the newest.
		if err := s.ensurePointer(root); err != nil {
			return nil, err
		}
	}
	p := newPump(ctx, o.Progress)
	u := &unpacker{pump: p, store: s, root: root, keys: keys, policy: o.Policy}
	h, err := p.run(f, keys, o.Policy, u)
	if err == nil {
		err = ctx.Err() // the last moment at which leaving nothing is possible
	}
	if err == nil {
		err = u.publish()
	}
	if err = errors.Join(err, u.close()); err != nil {
		return nil, err
	}
	if !o.KeepCurrent {
		if err := s.point(root, h.manifest.Version); err != nil {
			return nil, err
		}
	}
	return s.Open(h.manifest.Version, keys, o.Policy)
}

// unpacker is the sink that keeps an archive.
type unpacker struct {
	*pump
	store  *Store
	root   *os.Root // of the store
	keys   *trust.KeyRing
	policy Policy

	version string
	staging string   // name in the store; "" when the version is there and sound
	dir     *os.Root // of staging
	dirs    []string // made in staging, parents first
	made    map[string]bool
}

func (u *unpacker) begin(ctx context.Context, h *head) error {
	u.total = h.manifest.Bytes()
	u.version = h.manifest.Version
	old, err := u.store.Open(u.version, u.keys, u.policy)
	if err == nil && old.ManifestSHA256 == h.digest {
		switch err := old.Verify(ctx, LevelFull); {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return &localError{ctx.Err()}
		}
	}
	if err := u.space(h); err != nil {
		return &localError{err}
	}
	if err := u.stage(h); err != nil {
		return &localError{err}
	}
	return nil
}

// space refuses to begin what would not fit.
func (u *unpacker) space(h *head) error {
	need := uint64(spaceReserve)
	for _, f := range h.manifest.Files {
		need += uint64(f.Size) + 8<<10 // block rounding and metadata
	}
	free, err := u.store.free(u.store.dir)
	if err != nil {
		return err
	}
	if free < need {
		return &SpaceError{Dir: u.store.dir, Need: need, Free: free}
	}
	return nil
}

// stage makes the staging directory with manifest and signature.
func (u *unpacker) stage(h *head) error {
	u.store.step("stage")
	name := tempName(stagingPrefix)
	if err := u.root.Mkdir(name, 0o755); err != nil {
		return err
	}
	u.staging = name
	dir, err := u.root.OpenRoot(name)
	if err != nil {
		return err
	}
	u.dir, u.made = dir, map[string]bool{}
	for _, f := range []struct {
		name string
		data []byte
	}{{ManifestName, h.raw}, {SignatureName, h.sig}} {
		u.store.step("head")
		t, err := u.create(f.name, 0o644)
		if err != nil {
			return err
		}
		if _, err := t.Write(f.data); err != nil {
			return errors.Join(err, t.Close())
		}
		if err := t.Close(); err != nil {
			return err
		}
	}
	return nil
}

func (u *unpacker) file(_ context.Context, f File, r io.Reader) error {
	if u.staging == "" {
		return u.copy(f, r, nil)
	}
	u.store.step("file")
	t, err := u.create(f.Path, fs.FileMode(f.Mode))
	if err != nil {
		return &localError{err}
	}
	return u.copy(f, r, t)
}

// create makes a new file and the directories above it in staging.
func (u *unpacker) create(name string, mode fs.FileMode) (target, error) {
	for _, d := range parents(name) {
		if u.made[d] {
			continue
		}
		if err := u.dir.Mkdir(filepath.FromSlash(d), 0o755); err != nil {
			return nil, err
		}
		u.made[d] = true
		u.dirs = append(u.dirs, d)
	}
	f, err := u.dir.OpenFile(filepath.FromSlash(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return nil, err
	}
	return &diskTarget{f}, nil
}

// diskTarget is a new file in staging.
type diskTarget struct{ *os.File }

func (d *diskTarget) flush(off, n int64) { startFlush(d.File, off, n) }

func (d *diskTarget) Close() error {
	if err := syncFile(d.File); err != nil {
		return errors.Join(err, d.File.Close())
	}
	return d.File.Close()
}

// publish makes a complete staging directory durable and gives it the name of its
// version. A version that is replaced is put aside first, and brought back by
// [Store.Sweep] when this ends between the two renames.
func (u *unpacker) publish() error {
	if u.staging == "" {
		return nil
	}
	u.store.step("sync")
	for _, d := range append(u.dirs, ".") {
		if err := syncDir(u.dir, d); err != nil {
			return err
		}
	}
	if err := u.dir.Close(); err != nil { // Windows renames no open directory
		return err
	}
	u.dir = nil
	aside := tempName(asidePrefix) + "-" + u.version
	u.store.step("aside")
	err := u.root.Rename(u.version, aside)
	replaced := err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("put version %s aside: %w", u.version, err)
	}
	u.store.step("rename")
	if err := u.root.Rename(u.staging, u.version); err != nil {
		if replaced {
			err = errors.Join(err, u.root.Rename(aside, u.version))
		}
		return err
	}
	u.staging = ""
	u.store.step("sync the store")
	if err := syncDir(u.root, "."); err != nil {
		return err
	}
	if replaced {
		u.store.step("delete")
		return u.root.RemoveAll(aside)
	}
	return nil
}

// close removes what is left of staging.
func (u *unpacker) close() error {
	var err error
	if u.dir != nil {
		err = u.dir.Close()
	}
	if u.staging != "" {
		if gone := u.root.RemoveAll(u.staging); gone != nil {
			err = errors.Join(err, fmt.Errorf("remove %s: %w", u.staging, gone))
		}
	}
	return err
}
