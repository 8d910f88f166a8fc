package channel_test

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sigstore/sigstore/pkg/cryptoutils"
	"github.com/sigstore/sigstore/pkg/signature"
	"github.com/theupdateframework/go-tuf/v2/metadata"

	"piwork/pack/trust"
	"piwork/pack/trust/channel"
	"piwork/pack/trust/channel/repo"
)

const host = "linux-amd64"

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// world is a repository with its keys, a server between it and a client, and the
// client's clock.
type world struct {
	t    *testing.T
	dir  string // of the repository
	now  time.Time
	keys map[string][]*trust.Signer // by role
	root []byte                     // compiled into the client
	srv  *server
	c    *channel.Client
	home string // of the client
}

func newSigner(t testing.TB) *trust.Signer {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	s, err := trust.NewSigner(private)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func public(t testing.TB, s signature.Signer) crypto.PublicKey {
	t.Helper()
	p, err := s.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func roleOf(t testing.TB, threshold int, signers ...*trust.Signer) repo.Role {
	r := repo.Role{Threshold: threshold}
	for _, s := range signers {
		r.Keys = append(r.Keys, public(t, s))
	}
	return r
}

func signingKey(t testing.TB, name string, s signature.Signer) (channel.SigningKey, string) {
	t.Helper()
	pem, err := cryptoutils.MarshalPublicKeyToPEM(public(t, s))
	if err != nil {
		t.Fatal(err)
	}
	id, err := trust.KeyID(public(t, s))
	if err != nil {
		t.Fatal(err)
	}
	return channel.SigningKey{Name: name, PEM: string(pem)}, id
}

// template is what is made once for all worlds: signing and syncing take time.
type template struct {
	*world
	before, after map[string][]byte // the repository with 1.0.0, and an hour later with 1.1.0
	state         []byte            // of a client that knows 1.0.0
}

var made *template

var making sync.Mutex

// newWorld publishes version 1.0.0 on the channel stable: root 2 of 3 keys,
// targets 2 of 2, the others 1 of 1.
func newWorld(t *testing.T) *world {
	t.Helper()
	making.Lock()
	defer making.Unlock()
	if made == nil {
		made = makeTemplate(t)
	}
	w := &world{t: t, dir: t.TempDir(), home: filepath.Join(t.TempDir(), "a [b", "channel"), now: start, keys: map[string][]*trust.Signer{}, root: made.root}
	for role, keys := range made.keys {
		w.keys[role] = slices.Clone(keys)
	}
	w.put(made.before)
	w.srv = &server{fsys: os.DirFS(w.dir), files: map[string][]byte{}}
	w.c = w.client("stable", host)
	return w
}

// newAttacked is a world whose client knows 1.0.0 when 1.1.0 is published, and
// what the repository held before.
func newAttacked(t *testing.T) (*world, map[string][]byte) {
	t.Helper()
	w := newWorld(t)
	w.knows()
	w.put(made.after)
	w.now = start.Add(time.Hour)
	return w, made.before
}

// knows gives the world a new client that was told of 1.0.0 already.
func (w *world) knows() {
	w.t.Helper()
	w.home = filepath.Join(w.t.TempDir(), "a [b", "channel")
	w.must(os.MkdirAll(w.home, 0o700))
	w.must(os.WriteFile(filepath.Join(w.home, "trusted.json"), made.state, 0o600))
	w.c = w.client("stable", host)
}

func (w *world) put(files map[string][]byte) {
	w.t.Helper()
	for p, data := range files {
		file := filepath.Join(w.dir, filepath.FromSlash(p))
		w.must(os.MkdirAll(filepath.Dir(file), 0o755))
		w.must(os.WriteFile(file, data, 0o600))
	}
}

func makeTemplate(t *testing.T) *template {
	t.Helper()
	w := &world{t: t, dir: t.TempDir(), home: t.TempDir(), now: start, keys: map[string][]*trust.Signer{}}
	for role, n := range map[string]int{"root": 3, "targets": 2, "snapshot": 1, "timestamp": 1, "stable": 1, "pack": 1} {
		for range n {
			w.keys[role] = append(w.keys[role], newSigner(t))
		}
	}
	pack, _ := signingKey(t, "release-2026", w.keys["pack"][0])
	r, err := repo.Init(w.dir, map[string]repo.Role{
		"root":      roleOf(t, 2, w.keys["root"]...),
		"targets":   roleOf(t, 2, w.keys["targets"]...),
		"snapshot":  roleOf(t, 1, w.keys["snapshot"]...),
		"timestamp": roleOf(t, 1, w.keys["timestamp"]...),
	}, channel.KeyList{Signing: []channel.SigningKey{pack}}, repo.Options{Now: w.now})
	w.must(err)
	w.must(r.AddChannel("stable", roleOf(t, 1, w.keys["stable"]...)))
	w.add(r, "1.0.0")
	w.must(r.Publish(w.all()...))
	w.root, err = r.Root()
	w.must(err)
	m := &template{world: w, before: w.copyRepo()}
	w.srv = &server{fsys: os.DirFS(w.dir)}
	w.c = w.client("stable", host)
	w.offers("1.0.0")
	m.state, err = os.ReadFile(filepath.Join(w.home, "trusted.json"))
	w.must(err)
	w.publish("1.1.0", time.Hour)
	m.after = w.copyRepo()
	return m
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) client(name, host string) *channel.Client {
	w.t.Helper()
	c, err := channel.Open(channel.Options{Root: w.root, Dir: w.home, Name: name, Host: host, Fetch: w.srv,
		Now: func() time.Time { return w.now }})
	w.must(err)
	return c
}

// all returns every signer of the repository.
func (w *world) all() []signature.Signer {
	var out []signature.Signer
	for _, role := range w.keys {
		for _, s := range role {
			out = append(out, s)
		}
	}
	return out
}

func (w *world) open() *repo.Repo {
	w.t.Helper()
	r, err := repo.Open(w.dir, repo.Options{Now: w.now})
	w.must(err)
	return r
}

// add stages a release with an archive of its own.
func (w *world) add(r *repo.Repo, version string) {
	w.t.Helper()
	file := filepath.Join(w.t.TempDir(), "piwork-runtime-"+host+"-"+version+".tar.zst")
	w.must(os.WriteFile(file, []byte("archive of "+version), 0o600))
	target, err := r.AddArchive(file, filepath.Base(file), 7, strings.Repeat("0c", 32))
	w.must(err)
	w.must(r.AddRelease("stable", host, channel.Release{Version: version, Archive: target, Notes: "What is new in " + version}))
}

// publish publishes a release, after d.
func (w *world) publish(version string, d time.Duration) {
	w.t.Helper()
	w.now = w.now.Add(d)
	r := w.open()
	w.add(r, version)
	w.must(r.Publish(w.all()...))
}

func (w *world) change(change func(*repo.Repo) error) {
	w.t.Helper()
	r := w.open()
	w.must(change(r))
	w.must(r.Publish(w.all()...))
}

// offers wants the client to be told version.
func (w *world) offers(version string) *channel.Release {
	w.t.Helper()
	r, err := w.c.Refresh(context.Background())
	w.must(err)
	if r.Version != version {
		w.t.Fatalf("offered %s, want %s", r.Version, version)
	}
	return r
}

// refuses wants an error of a kind, and that the client goes on knowing version.
func (w *world) refuses(kind channel.Kind, version string) {
	w.t.Helper()
	r, err := w.c.Refresh(context.Background())
	got := channel.KindOf(err)
	if kind == channel.KindWrongContent && got == channel.KindTooLarge {
		got = kind // other bytes that happen to be longer
	}
	if got != kind {
		w.t.Errorf("refresh: %+v, %v; want %s", r, err, kind)
	}
	last, err := w.c.Last()
	if version == "" {
		if err == nil {
			w.t.Errorf("knows %s afterwards", last.Version)
		}
		return
	}
	if err != nil || last.Version != version {
		w.t.Errorf("afterwards: %+v, %v; want %s", last, err, version)
	}
}

// copyRepo remembers what the repository serves now.
func (w *world) copyRepo() map[string][]byte {
	w.t.Helper()
	out := map[string][]byte{}
	w.must(fs.WalkDir(os.DirFS(w.dir), ".", func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			out[p], err = os.ReadFile(filepath.Join(w.dir, p))
		}
		return err
	}))
	return out
}

// server hands out the repository, but for what an attacker puts in its place.
type server struct {
	fsys  fs.FS
	files map[string][]byte // instead of the repository's; nil is "not there"
	hook  func(ctx context.Context, path string, max int64) ([]byte, error, bool)
	mu    sync.Mutex // a fetch may outlive the refresh that gave it up
	log   []string   // see asked
}

func (s *server) Fetch(ctx context.Context, path string, max int64) ([]byte, error) {
	s.mu.Lock()
	s.log = append(s.log, path)
	s.mu.Unlock()
	if s.hook != nil {
		if data, err, done := s.hook(ctx, path, max); done {
			return data, err
		}
	}
	if data, ok := s.files[path]; ok {
		if data == nil {
			return nil, fmt.Errorf("%s: %w", path, fs.ErrNotExist)
		}
		return data, nil // whatever max says: the client must see to it
	}
	return channel.FromFS(s.fsys).Fetch(ctx, path, max)
}

// asked returns what was fetched so far.
func (s *server) asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.log)
}

// forget starts what was fetched anew.
func (s *server) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = nil
}

// meta is the path of the newest version of a role in the repository.
func (w *world) meta(role string) string {
	w.t.Helper()
	if role == "timestamp" {
		return "metadata/timestamp.json"
	}
	files, err := filepath.Glob(filepath.Join(w.dir, "metadata", "*."+role+".json"))
	w.must(err)
	newest, path := int64(0), ""
	for _, f := range files {
		var n int64
		if _, err := fmt.Sscanf(filepath.Base(f), "%d.", &n); err == nil && n > newest {
			newest, path = n, "metadata/"+filepath.Base(f)
		}
	}
	return path
}

func (w *world) read(path string) []byte {
	w.t.Helper()
	if data, ok := w.srv.files[path]; ok {
		return data
	}
	data, err := os.ReadFile(filepath.Join(w.dir, filepath.FromSlash(path)))
	w.must(err)
	return data
}

// forge changes a file of metadata and signs it again with signers.
func forge[T metadata.Roles](w *world, data []byte, change func(*T), signers ...*trust.Signer) []byte {
	w.t.Helper()
	m, err := new(metadata.Metadata[T]).FromBytes(data)
	w.must(err)
	if change != nil {
		change(&m.Signed)
	}
	m.ClearSignatures()
	for _, s := range signers {
		_, err := m.Sign(s)
		w.must(err)
	}
	out, err := m.ToBytes(false)
	w.must(err)
	return out
}

// serve puts forged metadata of a role in place, and a snapshot and timestamp
// that vouch for it: what somebody can do who holds the keys given.
func (w *world) serve(role string, data []byte, snapshot, timestamp *trust.Signer) {
	w.t.Helper()
	version := w.versionOf(data)
	w.srv.files[fmt.Sprintf("metadata/%d.%s.json", version, role)] = data
	var snap []byte
	if role == "snapshot" {
		snap = data
	} else {
		snap = forge(w, w.read(w.meta("snapshot")), func(s *metadata.SnapshotType) {
			s.Version++
			s.Meta[role+".json"] = metaFile(w, version, data)
		}, snapshot)
		w.srv.files[fmt.Sprintf("metadata/%d.snapshot.json", w.versionOf(snap))] = snap
	}
	w.srv.files["metadata/timestamp.json"] = forge(w, w.read("metadata/timestamp.json"), func(s *metadata.TimestampType) {
		s.Version++
		s.Meta["snapshot.json"] = metaFile(w, w.versionOf(snap), snap)
	}, timestamp)
}

func (w *world) versionOf(data []byte) int64 {
	w.t.Helper()
	i := bytes.LastIndex(data, []byte(`"version":`)) // the last key of the signed part
	if i < 0 {
		w.t.Fatal("no version")
	}
	var n int64
	if _, err := fmt.Sscanf(string(data[i:]), `"version":%d`, &n); err != nil {
		w.t.Fatal(err)
	}
	return n
}

func metaFile(w *world, version int64, data []byte) *metadata.MetaFiles {
	w.t.Helper()
	f, err := metadata.TargetFile().FromBytes("", data, "sha256")
	w.must(err)
	return &metadata.MetaFiles{Version: version, Length: f.Length, Hashes: f.Hashes}
}

func fetched(log []string, part string) bool {
	return slices.ContainsFunc(log, func(p string) bool { return strings.Contains(p, part) })
}

func targetFile(f *metadata.MetaFiles) *metadata.TargetFiles {
	return &metadata.TargetFiles{Length: f.Length, Hashes: f.Hashes}
}
