package repo

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sigstore/sigstore/pkg/signature"
	"github.com/theupdateframework/go-tuf/v2/metadata"

	"piwork/pack/trust/channel"
)

// Lifetimes say how long signatures of each role hold. Zero values are the
// defaults.
type Lifetimes struct {
	Root      time.Duration // a year
	Targets   time.Duration // half a year: channels too
	Snapshot  time.Duration // 30 days
	Timestamp time.Duration // 7 days: how long a freeze can go unnoticed
}

const day = 24 * time.Hour

func (l Lifetimes) of(role string) time.Duration {
	pick := func(d, def time.Duration) time.Duration {
		if d == 0 {
			return def
		}
		return d
	}
	switch role {
	case metadata.ROOT:
		return pick(l.Root, 365*day)
	case metadata.SNAPSHOT:
		return pick(l.Snapshot, 30*day)
	case metadata.TIMESTAMP:
		return pick(l.Timestamp, 7*day)
	}
	return pick(l.Targets, 180*day)
}

// Role is the public keys of a role, of which Threshold must sign.
type Role struct {
	Keys      []crypto.PublicKey // ECDSA on P-256
	Threshold int
}

// Repo is a repository in a directory. It is for one goroutine.
type Repo struct {
	dir   string
	life  Lifetimes
	now   time.Time
	root  *metadata.Metadata[metadata.RootType] // published; nil in a new repository
	snap  *metadata.Metadata[metadata.SnapshotType]
	stamp *metadata.Metadata[metadata.TimestampType]
	// Staged metadata has the version it will be published with.
	newRoot *metadata.Metadata[metadata.RootType]
	staged  map[string]*metadata.Metadata[metadata.TargetsType] // targets and channels
}

// Options of [Init] and [Open].
type Options struct {
	Now       time.Time // of this change; zero is the clock
	Lifetimes Lifetimes
}

// stagedDir holds what is not published yet; nobody serves it.
const stagedDir = "staged"

// Init starts a repository in dir, which must hold none: the four roles of TUF
// (root, targets, snapshot, timestamp) in roles, the list of keys that sign
// packs. It is staged; [Repo.Publish] makes it real.
func Init(dir string, roles map[string]Role, keys channel.KeyList, o Options) (*Repo, error) {
	r, err := Open(dir, o)
	if err != nil {
		return nil, fmt.Errorf("make repository: %w", err)
	}
	if r.root != nil || r.newRoot != nil {
		return nil, fmt.Errorf("make repository: %s has one: %w", dir, fs.ErrExist)
	}
	r.newRoot = metadata.Root(r.expires(metadata.ROOT))
	for _, name := range []string{metadata.ROOT, metadata.TARGETS, metadata.SNAPSHOT, metadata.TIMESTAMP} {
		role, ok := roles[name]
		if !ok {
			return nil, fmt.Errorf("make repository: no keys for the role %s", name)
		}
		if err := setRootRole(&r.newRoot.Signed, name, role); err != nil {
			return nil, fmt.Errorf("make repository: %w", err)
		}
	}
	r.staged[metadata.TARGETS] = metadata.Targets(r.expires(metadata.TARGETS))
	if err := r.SetKeyList(keys); err != nil {
		return nil, err
	}
	return r, r.stage()
}

// Open reads the repository in dir and what is staged in it.
func Open(dir string, o Options) (*Repo, error) {
	if o.Now.IsZero() {
		o.Now = time.Now()
	}
	r := &Repo{dir: dir, life: o.Lifetimes, now: o.Now.UTC().Truncate(time.Second),
		staged: map[string]*metadata.Metadata[metadata.TargetsType]{}}
	if err := r.load(); err != nil {
		return nil, fmt.Errorf("open repository %s: %w", dir, err)
	}
	return r, nil
}

func (r *Repo) load() error {
	if data, err := os.ReadFile(r.path("metadata", "timestamp.json")); err == nil {
		if r.stamp, err = metadata.Timestamp().FromBytes(data); err != nil {
			return fmt.Errorf("timestamp.json: %w", err)
		}
		version := r.stamp.Signed.Meta["snapshot.json"].Version
		if r.snap, err = load(metadata.Snapshot(), r.metadata(version, metadata.SNAPSHOT)); err != nil {
			return err
		}
		newest, err := r.newestRoot()
		if err != nil {
			return err
		}
		if r.root, err = load(metadata.Root(), r.metadata(newest, metadata.ROOT)); err != nil {
			return err
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	files, err := fs.Glob(os.DirFS(r.dir), stagedDir+"/*.json")
	if err != nil {
		return err
	}
	for _, f := range files {
		name := strings.TrimSuffix(path.Base(f), ".json")
		f = r.path(filepath.FromSlash(f))
		if name == metadata.ROOT {
			if r.newRoot, err = load(metadata.Root(), f); err != nil {
				return err
			}
			continue
		}
		if r.staged[name], err = load(metadata.Targets(), f); err != nil {
			return err
		}
	}
	return nil
}

func load[T metadata.Roles](m *metadata.Metadata[T], file string) (*metadata.Metadata[T], error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if m, err = m.FromBytes(data); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Base(file), err)
	}
	return m, nil
}

// newestRoot returns the highest version of root that is published.
func (r *Repo) newestRoot() (int64, error) {
	files, err := fs.Glob(os.DirFS(r.dir), "metadata/*.root.json")
	if err != nil {
		return 0, err
	}
	var newest int64
	for _, f := range files {
		n, err := strconv.ParseInt(strings.TrimSuffix(path.Base(f), ".root.json"), 10, 64)
		if err != nil {
			return 0, fmt.Errorf("%s is not a version of root", f)
		}
		newest = max(newest, n)
	}
	if newest == 0 {
		return 0, errors.New("no root")
	}
	return newest, nil
}

func (r *Repo) path(parts ...string) string {
	return filepath.Join(append([]string{r.dir}, parts...)...)
}

func (r *Repo) metadata(version int64, role string) string {
	return r.path("metadata", fmt.Sprintf("%d.%s.json", version, role))
}

func (r *Repo) expires(role string) time.Time { return r.now.Add(r.life.of(role)) }

// edit returns the staged metadata of targets or a channel, made of what is
// published when nothing is staged. Signatures under older content are gone.
func (r *Repo) edit(role string) (*metadata.TargetsType, error) {
	m, ok := r.staged[role]
	if !ok {
		if r.snap == nil || r.snap.Signed.Meta[role+".json"] == nil {
			return nil, fmt.Errorf("the repository has no %s: %w", role, fs.ErrNotExist)
		}
		var err error
		if m, err = load(metadata.Targets(), r.metadata(r.snap.Signed.Meta[role+".json"].Version, role)); err != nil {
			return nil, err
		}
		m.Signed.Version++
		r.staged[role] = m
	}
	m.ClearSignatures()
	m.Signed.Expires = r.expires(role)
	return &m.Signed, nil
}

// current returns the metadata of targets or a channel, staged or published.
func (r *Repo) current(role string) (*metadata.TargetsType, error) {
	if m, ok := r.staged[role]; ok {
		return &m.Signed, nil
	}
	if r.snap == nil || r.snap.Signed.Meta[role+".json"] == nil {
		return nil, fmt.Errorf("the repository has no %s: %w", role, fs.ErrNotExist)
	}
	m, err := load(metadata.Targets(), r.metadata(r.snap.Signed.Meta[role+".json"].Version, role))
	if err != nil {
		return nil, err
	}
	return &m.Signed, nil
}

// editRoot returns the staged root.
func (r *Repo) editRoot() *metadata.RootType {
	if r.newRoot == nil {
		c := *r.root
		c.Signed.Roles = map[string]*metadata.Role{}
		for name, role := range r.root.Signed.Roles {
			n := *role
			c.Signed.Roles[name] = &n
		}
		c.Signed.Keys = map[string]*metadata.Key{}
		for id, k := range r.root.Signed.Keys {
			c.Signed.Keys[id] = k
		}
		c.Signed.Version++
		r.newRoot = &c
	}
	r.newRoot.ClearSignatures()
	r.newRoot.Signed.Expires = r.expires(metadata.ROOT)
	return &r.newRoot.Signed
}

// Channels returns the names of the channels, in the order of their delegation.
func (r *Repo) Channels() ([]string, error) {
	top, err := r.current(metadata.TARGETS)
	if err != nil {
		return nil, err
	}
	var names []string
	if top.Delegations != nil {
		for _, d := range top.Delegations.Roles {
			names = append(names, d.Name)
		}
	}
	return names, nil
}

// keysOf returns keys in TUF's form, with their ids in order.
func keysOf(role Role) (map[string]*metadata.Key, []string, error) {
	keys := map[string]*metadata.Key{}
	var ids []string
	for _, public := range role.Keys {
		id, k, err := keyOf(public)
		if err != nil {
			return nil, nil, err
		}
		if _, twice := keys[id]; twice {
			return nil, nil, fmt.Errorf("key %.16s is there twice", id)
		}
		keys[id] = k
		ids = append(ids, id)
	}
	if role.Threshold < 1 || role.Threshold > len(ids) {
		return nil, nil, fmt.Errorf("a threshold of %d of %d keys", role.Threshold, len(ids))
	}
	slices.Sort(ids)
	return keys, ids, nil
}

func keyOf(public crypto.PublicKey) (string, *metadata.Key, error) {
	// go-tuf would take any curve and call it P-256.
	if ec, ok := public.(*ecdsa.PublicKey); !ok || ec.Curve != elliptic.P256() {
		return "", nil, fmt.Errorf("%T is not an ECDSA key on P-256", public)
	}
	k, err := metadata.KeyFromPublicKey(public)
	if err != nil {
		return "", nil, err
	}
	id, err := k.ID()
	return id, k, err
}

// signerID is the id of the key that s signs with.
func signerID(s signature.Signer) (string, error) {
	public, err := s.PublicKey()
	if err != nil {
		return "", err
	}
	id, _, err := keyOf(public)
	return id, err
}
