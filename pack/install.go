package pack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"piwork/pack/spec"
	"piwork/pack/trust"
)

// spaceReserve stays free on the disk, in bytes: tasks need some too.
const spaceReserve = 64 << 20

// fileOverhead is what a file needs beyond its content, in bytes: rounding to
// blocks, and metadata.
const fileOverhead = 8 << 10

// InstallOptions of [Install]; the zero value is valid.
type InstallOptions struct {
	Policy      spec.Policy
	Progress    spec.Progress
	KeepCurrent bool // leave the pointer alone: the caller promotes after a first boot
	Wait        bool // for another installation, instead of ErrBusy
}

// Install verifies an archive while it unpacks it into the store, and makes it
// the current version. Nothing of it is visible before all of it is verified and
// durable; a refusal ([spec.VerifyError]), a full disk ([spec.SpaceError], before anything
// is written) and a cancelled ctx leave nothing.
//
// A version that is there already is checked in full: when it is sound, the
// archive is only verified, else its files are replaced, unless something runs on
// them ([ErrInUse]).
func Install(ctx context.Context, file string, s *Store, keys *trust.KeyRing, o InstallOptions) (*Installed, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("install %s: %w", file, err)
	}
	defer f.Close()
	in, err := install(ctx, f, s, keys, o, "")
	if err != nil {
		return nil, fmt.Errorf("install %s: %w", file, err)
	}
	return in, nil
}

// install does it from the present position of f. A digest that is not "" is that
// of the only manifest to be accepted.
func install(ctx context.Context, f io.Reader, s *Store, keys *trust.KeyRing, o InstallOptions, digest string) (_ *Installed, err error) {
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
	u := &unpacker{store: s, root: root, keys: keys, policy: o.Policy, digest: digest}
	h, err := extract(ctx, f, keys, o.Policy, u.begin, o.Progress)
	if err == nil {
		err = ctx.Err() // the last moment at which leaving nothing is possible
	}
	if err == nil && u.stage != nil {
		err = u.stage.publish(h.Manifest.Version)
	}
	if u.stage != nil {
		err = errors.Join(err, u.stage.discard())
	}
	if err != nil {
		return nil, err
	}
	if !o.KeepCurrent {
		if err := s.point(root, h.Manifest.Version); err != nil {
			return nil, err
		}
	}
	return s.Open(h.Manifest.Version, keys, o.Policy)
}

// unpacker decides what becomes of an archive.
type unpacker struct {
	store  *Store
	root   *os.Root // of the store
	keys   *trust.KeyRing
	policy spec.Policy
	digest string

	stage *stage // nil when the version is there and sound
}

// begin is called once, when the head of the archive is verified. It returns
// where the files go, nil for nowhere.
func (u *unpacker) begin(ctx context.Context, h *Head) (*stage, error) {
	if u.digest != "" && u.digest != h.Digest {
		return nil, spec.Refuse(spec.KindBadManifest, spec.ManifestName, "SHA-256 is %s, announced was %s", h.Digest, u.digest)
	}
	old, err := u.store.Open(h.Manifest.Version, u.keys, u.policy)
	if err == nil && old.ManifestSHA256 == h.Digest {
		switch err := old.Verify(ctx, LevelFull); {
		case err == nil:
			return nil, nil
		case ctx.Err() != nil:
			return nil, &localError{ctx.Err()}
		}
	}
	if err := u.store.replaceable(h.Manifest.Version); err != nil {
		return nil, &localError{err}
	}
	if err := u.store.space(need(h.Manifest)); err != nil {
		return nil, &localError{err}
	}
	if u.stage, err = newStage(u.store, u.root, tempName(stagingPrefix)); err != nil {
		return nil, &localError{err}
	}
	if err := u.stage.head(h.raw, h.sig); err != nil {
		return nil, &localError{err}
	}
	return u.stage, nil
}

// need is what the files of a manifest take on a disk, in bytes.
func need(m *spec.Manifest) uint64 {
	var n uint64
	for _, f := range m.Files {
		n += uint64(f.Size) + fileOverhead
	}
	return n
}

// space refuses to begin what would not fit.
func (s *Store) space(need uint64) error {
	need += spaceReserve
	free, err := s.free(s.dir)
	if err != nil {
		return err
	}
	if free < need {
		return &spec.SpaceError{Dir: s.dir, Need: need, Free: free}
	}
	return nil
}
