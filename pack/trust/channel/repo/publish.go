package repo

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
	"time"

	"github.com/sigstore/sigstore/pkg/signature"
	"github.com/theupdateframework/go-tuf/v2/metadata"

	"piwork/pack/durable"
	"piwork/pack/trust/channel"
)

// PendingError says which staged metadata lacks signatures. What was signed is
// kept; another [Repo.Publish], also on another machine with a copy of the
// directory, goes on.
type PendingError struct {
	Roles []string // with what each lacks, for people
}

func (e *PendingError) Error() string {
	return "staged, signatures are missing: " + strings.Join(e.Roles, "; ")
}

// Publish signs what is staged with the signers whose keys it wants, and when
// nothing is missing, makes the new snapshot and timestamp and puts all in
// place. Without anything staged it does what [Repo.Refresh] does.
func (r *Repo) Publish(signers ...signature.Signer) error {
	byID, err := index(signers)
	if err != nil {
		return fmt.Errorf("publish: %w", err)
	}
	if err := r.signStaged(byID); err != nil {
		return err
	}
	if err := r.place(byID); err != nil {
		return fmt.Errorf("publish: %w", err)
	}
	if err := os.RemoveAll(r.path(stagedDir)); err != nil {
		return fmt.Errorf("publish: %w", err)
	}
	return r.reload()
}

// Refresh makes a new timestamp (and snapshot, when half its time is over), which
// keeps a channel alive. It needs the keys of these two alone, and what is staged
// goes on waiting.
func (r *Repo) Refresh(signers ...signature.Signer) error {
	byID, err := index(signers)
	if err != nil {
		return fmt.Errorf("refresh: %w", err)
	}
	if r.root == nil {
		return fmt.Errorf("refresh: nothing is published: %w", fs.ErrNotExist)
	}
	plain := *r
	plain.newRoot, plain.staged = nil, nil
	if err := plain.place(byID); err != nil {
		return fmt.Errorf("refresh: %w", err)
	}
	return r.reload()
}

func index(signers []signature.Signer) (map[string]signature.Signer, error) {
	byID := map[string]signature.Signer{}
	for _, s := range signers {
		id, err := signerID(s)
		if err != nil {
			return nil, err
		}
		byID[id] = s
	}
	return byID, nil
}

// place composes the new metadata and writes it.
func (r *Repo) place(byID map[string]signature.Signer) error {
	files, err := r.compose(byID)
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := writeFile(r.path("metadata", f.name), f.data); err != nil {
			return err
		}
	}
	return nil
}

func (r *Repo) reload() error {
	again, err := Open(r.dir, Options{Now: r.now, Lifetimes: r.life})
	if err != nil {
		return err
	}
	*r = *again
	return nil
}

// signStaged adds signatures to what is staged, and fails when some are missing.
func (r *Repo) signStaged(byID map[string]signature.Signer) error {
	pending := &PendingError{}
	lacks := func(name string, err error) {
		if err != nil {
			pending.Roles = append(pending.Roles, name+": "+err.Error())
		}
	}
	root := r.root
	if r.newRoot != nil {
		root = r.newRoot
		ids := slices.Clone(root.Signed.Roles[metadata.ROOT].KeyIDs)
		if r.root != nil {
			ids = append(ids, r.root.Signed.Roles[metadata.ROOT].KeyIDs...)
		}
		if err := sign(root, ids, byID); err != nil {
			return fmt.Errorf("sign root: %w", err)
		}
		lacks("root", root.VerifyDelegate(metadata.ROOT, root))
		if r.root != nil {
			lacks("root (keys of the root before)", r.root.VerifyDelegate(metadata.ROOT, root))
		}
	}
	if root == nil {
		return errors.New("publish: the repository is empty")
	}
	for _, name := range slices.Sorted(maps.Keys(r.staged)) {
		m := r.staged[name]
		var ids []string
		check := func() error { return root.VerifyDelegate(metadata.TARGETS, m) }
		if name == metadata.TARGETS {
			ids = root.Signed.Roles[metadata.TARGETS].KeyIDs
		} else {
			top, err := r.current(metadata.TARGETS)
			if err != nil {
				return err
			}
			by := &metadata.Metadata[metadata.TargetsType]{Signed: *top}
			check = func() error { return by.VerifyDelegate(name, m) }
			if top.Delegations != nil {
				for _, d := range top.Delegations.Roles {
					if d.Name == name {
						ids = d.KeyIDs
					}
				}
			}
		}
		if err := sign(m, ids, byID); err != nil {
			return fmt.Errorf("sign %s: %w", name, err)
		}
		lacks(name, check())
	}
	if err := r.stage(); err != nil {
		return err
	}
	if len(pending.Roles) > 0 {
		return pending
	}
	return nil
}

// sign adds the signatures of those of ids that there is a signer for and that
// have not signed yet, in the order of their ids.
func sign[T metadata.Roles](m *metadata.Metadata[T], ids []string, byID map[string]signature.Signer) error {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		s, ok := byID[id]
		if !ok || slices.ContainsFunc(m.Signatures, func(s metadata.Signature) bool { return s.KeyID == id }) {
			continue
		}
		if _, err := m.Sign(s); err != nil {
			return err
		}
	}
	slices.SortFunc(m.Signatures, func(a, b metadata.Signature) int { return strings.Compare(a.KeyID, b.KeyID) })
	return nil
}

type namedFile struct {
	name string
	data []byte
}

// compose makes snapshot and timestamp, and returns all new metadata in the
// order in which it may appear: what leads to other files comes after them.
func (r *Repo) compose(byID map[string]signature.Signer) ([]namedFile, error) {
	var files []namedFile
	root := r.root
	snap := metadata.Snapshot(r.expires(metadata.SNAPSHOT))
	snap.Signed.Meta = map[string]*metadata.MetaFiles{}
	if r.snap != nil {
		snap.Signed.Version = r.snap.Signed.Version + 1
		snap.Signed.Meta = maps.Clone(r.snap.Signed.Meta)
	}
	for _, name := range slices.Sorted(maps.Keys(r.staged)) {
		m := r.staged[name]
		data, err := m.ToBytes(false)
		if err != nil {
			return nil, err
		}
		files = append(files, namedFile{fmt.Sprintf("%d.%s.json", m.Signed.Version, name), data})
		if snap.Signed.Meta[name+".json"], err = metaFile(m.Signed.Version, data); err != nil {
			return nil, err
		}
	}
	stamp := metadata.Timestamp(r.expires(metadata.TIMESTAMP))
	if r.stamp != nil {
		stamp.Signed.Version = r.stamp.Signed.Version + 1
	}
	if r.newRoot != nil {
		root = r.newRoot
	}
	// The published root can be newer than the snapshot: after a kill in place.
	rotated := r.snap == nil || root.VerifyDelegate(metadata.SNAPSHOT, r.snap) != nil
	if len(r.staged) > 0 || rotated || r.snap.Signed.Expires.Before(r.now.Add(r.life.of(metadata.SNAPSHOT)/2)) {
		data, err := signed(root, metadata.SNAPSHOT, snap, byID)
		if err != nil {
			return nil, err
		}
		files = append(files, namedFile{fmt.Sprintf("%d.snapshot.json", snap.Signed.Version), data})
		if stamp.Signed.Meta["snapshot.json"], err = metaFile(snap.Signed.Version, data); err != nil {
			return nil, err
		}
	} else {
		stamp.Signed.Meta = maps.Clone(r.stamp.Signed.Meta)
	}
	data, err := signed(root, metadata.TIMESTAMP, stamp, byID)
	if err != nil {
		return nil, err
	}
	if r.newRoot != nil {
		rootData, err := r.newRoot.ToBytes(false)
		if err != nil {
			return nil, err
		}
		files = append(files, namedFile{fmt.Sprintf("%d.root.json", r.newRoot.Signed.Version), rootData})
	}
	return append(files, namedFile{"timestamp.json", data}), nil
}

// signed signs metadata whose keys are at hand whenever something is published.
func signed[T metadata.Roles](root *metadata.Metadata[metadata.RootType], role string, m *metadata.Metadata[T], byID map[string]signature.Signer) ([]byte, error) {
	if err := sign(m, root.Signed.Roles[role].KeyIDs, byID); err != nil {
		return nil, fmt.Errorf("sign %s: %w", role, err)
	}
	if err := root.VerifyDelegate(role, m); err != nil {
		return nil, fmt.Errorf("sign %s: %w", role, err)
	}
	return m.ToBytes(false)
}

func metaFile(version int64, data []byte) (*metadata.MetaFiles, error) {
	f, err := metadata.TargetFile().FromBytes("", data, "sha256")
	if err != nil {
		return nil, err
	}
	return &metadata.MetaFiles{Version: version, Length: f.Length, Hashes: f.Hashes}, nil
}

// stage writes what is staged.
func (r *Repo) stage() error {
	if r.newRoot != nil {
		if err := stageOne(r, metadata.ROOT, r.newRoot); err != nil {
			return err
		}
	}
	for name, m := range r.staged {
		if err := stageOne(r, name, m); err != nil {
			return err
		}
	}
	return nil
}

func stageOne[T metadata.Roles](r *Repo, name string, m *metadata.Metadata[T]) error {
	data, err := m.ToBytes(true)
	if err != nil {
		return fmt.Errorf("stage %s: %w", name, err)
	}
	if err := writeFile(r.path(stagedDir, name+".json"), data); err != nil {
		return fmt.Errorf("stage %s: %w", name, err)
	}
	return nil
}

// Discard takes back what is staged.
func (r *Repo) Discard() error {
	if err := os.RemoveAll(r.path(stagedDir)); err != nil {
		return fmt.Errorf("discard what is staged: %w", err)
	}
	r.newRoot = nil
	clear(r.staged)
	return r.load()
}

// Root returns the newest root.json that is published.
func (r *Repo) Root() ([]byte, error) {
	if r.root == nil {
		return nil, fmt.Errorf("no root is published: %w", fs.ErrNotExist)
	}
	return os.ReadFile(r.metadata(r.root.Signed.Version, metadata.ROOT))
}

// Check asks a client that knows nothing but root what a channel offers for a
// platform.
func (r *Repo) Check(ctx context.Context, root []byte, name, host string) (*channel.Release, error) {
	dir, err := os.MkdirTemp("", "piwork-channel-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	c, err := channel.Open(channel.Options{Root: root, Dir: dir, Name: name, Host: host,
		Fetch: channel.FromFS(os.DirFS(r.dir)), Now: func() time.Time { return r.now }})
	if err != nil {
		return nil, err
	}
	return c.Refresh(ctx)
}

// writeFile puts a file in place in one step, durably.
func writeFile(name string, data []byte) error {
	if err := makeDir(filepath.Dir(name)); err != nil {
		return err
	}
	return durable.WriteFile(name, data, 0o644)
}

// makeDir makes a directory and those above it that are missing, durably.
func makeDir(dir string) error {
	var parents []string // of those that are missing
	for d, up := dir, filepath.Dir(dir); up != d; d, up = up, filepath.Dir(up) {
		if _, err := os.Stat(d); err == nil {
			break
		}
		parents = append(parents, up)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, d := range parents {
		if err := durable.SyncDir(d); err != nil {
			return err
		}
	}
	return nil
}
