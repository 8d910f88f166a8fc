package repo_test

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sigstore/sigstore/pkg/cryptoutils"
	"github.com/sigstore/sigstore/pkg/signature"

	"piwork/pack/trust"
	"piwork/pack/trust/channel"
	"piwork/pack/trust/channel/repo"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

type key struct {
	*trust.Signer
	public crypto.PublicKey
}

func newKey(t *testing.T) key {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	s, err := trust.NewSigner(private)
	if err != nil {
		t.Fatal(err)
	}
	return key{s, private.Public()}
}

func role(threshold int, keys ...key) repo.Role {
	r := repo.Role{Threshold: threshold}
	for _, k := range keys {
		r.Keys = append(r.Keys, k.public)
	}
	return r
}

func signers(keys ...key) []signature.Signer {
	var out []signature.Signer
	for _, k := range keys {
		out = append(out, k)
	}
	return out
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, dir string, at time.Time) *repo.Repo {
	t.Helper()
	r, err := repo.Open(dir, repo.Options{Now: at})
	must(t, err)
	return r
}

func list(t *testing.T, k key) channel.KeyList {
	t.Helper()
	pem, err := cryptoutils.MarshalPublicKeyToPEM(k.public)
	must(t, err)
	return channel.KeyList{Signing: []channel.SigningKey{{Name: "release", PEM: string(pem)}}}
}

// one makes a repository with one key for everything and a release of version.
func one(t *testing.T, dir string, k key, version string) *repo.Repo {
	t.Helper()
	r, err := repo.Init(dir, map[string]repo.Role{
		"root": role(1, k), "targets": role(1, k), "snapshot": role(1, k), "timestamp": role(1, k),
	}, list(t, k), repo.Options{Now: now})
	must(t, err)
	must(t, r.AddChannel("stable", role(1, k)))
	offer(t, r, version)
	must(t, r.Publish(k))
	return r
}

func offer(t *testing.T, r *repo.Repo, version string) {
	t.Helper()
	name := "piwork-runtime-linux-amd64-" + version + ".tar.zst"
	file := filepath.Join(t.TempDir(), "some-pack")
	must(t, os.WriteFile(file, []byte("archive of "+version), 0o600))
	target, err := r.AddArchive(file, name, 7, fmt.Sprintf("%064x", version))
	must(t, err)
	must(t, r.AddRelease("stable", "linux-amd64", channel.Release{Version: version, Archive: target}))
}

func tree(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	must(t, fs.WalkDir(os.DirFS(dir), ".", func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			out[p], err = os.ReadFile(filepath.Join(dir, p))
		}
		return err
	}))
	return out
}

func restore(t *testing.T, dir string, files map[string][]byte) {
	t.Helper()
	must(t, os.RemoveAll(dir))
	for p, data := range files {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, p)), 0o755))
		must(t, os.WriteFile(filepath.Join(dir, p), data, 0o644))
	}
}

func offers(t *testing.T, r *repo.Repo, root []byte, version string) {
	t.Helper()
	rel, err := r.Check(context.Background(), root, "stable", "linux-amd64")
	if err != nil || rel.Version != version {
		t.Fatalf("offers %+v, %v; want %s", rel, err, version)
	}
}

// TestSameBytes: the same keys, times and files make the same repository.
func TestSameBytes(t *testing.T) {
	k := newKey(t)
	a, b := filepath.Join(t.TempDir(), "a [b"), t.TempDir()
	for _, dir := range []string{a, b} {
		one(t, dir, k, "1.0.0")
		r := open(t, dir, now.Add(time.Hour))
		offer(t, r, "1.1.0")
		must(t, r.SetRole("stable", role(1, k)))
		must(t, r.Publish(k))
	}
	if x, y := tree(t, a), tree(t, b); !maps.EqualFunc(x, y, bytes.Equal) {
		t.Errorf("differ: %v and %v", slices.Sorted(maps.Keys(x)), slices.Sorted(maps.Keys(y)))
	}
	if _, err := os.Stat(filepath.Join(a, "staged")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("staged is still there: %v", err)
	}
}

// TestCeremony: keys that never meet on one machine publish together; nothing of
// it is visible before the last one signed.
func TestCeremony(t *testing.T) {
	dir := t.TempDir()
	a, b, c, online := newKey(t), newKey(t), newKey(t), newKey(t)
	r, err := repo.Init(dir, map[string]repo.Role{
		"root": role(2, a, b, c), "targets": role(2, a, b), "snapshot": role(1, online), "timestamp": role(1, online),
	}, channel.KeyList{}, repo.Options{Now: now})
	must(t, err)
	must(t, r.AddChannel("stable", role(1, c)))
	offer(t, r, "1.0.0")
	var pending *repo.PendingError
	for i, step := range []struct {
		key  key
		want string // lacks
	}{{a, "root targets stable"}, {a, "root targets stable"}, {b, "stable"}} {
		if err := open(t, dir, now).Publish(step.key); !errors.As(err, &pending) {
			t.Fatalf("step %d: %v", i, err)
		}
		for _, role := range strings.Fields("root targets stable") {
			lacks := slices.ContainsFunc(pending.Roles, func(s string) bool { return strings.HasPrefix(s, role+":") })
			if lacks != strings.Contains(step.want, role) {
				t.Errorf("step %d: %v, want %s", i, pending, step.want)
			}
		}
		if files, _ := filepath.Glob(filepath.Join(dir, "metadata", "*")); len(files) > 0 {
			t.Errorf("step %d: published %v", i, files)
		}
	}
	if err := open(t, dir, now).Publish(c); err == nil {
		t.Error("published without a timestamp's key")
	}
	r = open(t, dir, now)
	must(t, r.Publish(signers(c, online)...))
	root, err := r.Root()
	must(t, err)
	offers(t, r, root, "1.0.0")

	// A new root: the old keys and the new ones.
	d := newKey(t)
	must(t, r.SetRole("root", role(2, c, d)))
	for _, k := range []key{d, c} {
		if err := open(t, dir, now).Publish(k, online); !errors.As(err, &pending) {
			t.Fatalf("got %v", err)
		}
	}
	r = open(t, dir, now)
	must(t, r.Publish(a, online))
	offers(t, r, root, "1.0.0")

	// An edit takes away what was signed before it.
	must(t, r.SetKeyList(channel.KeyList{}))
	_ = open(t, dir, now).Publish(a)
	r = open(t, dir, now)
	must(t, r.SetKeyList(list(t, a)))
	if err := r.Publish(b, online); !errors.As(err, &pending) {
		t.Errorf("a signature under other content counted: %v", err)
	}
	must(t, r.Discard())
	must(t, r.Publish(online))
	offers(t, r, root, "1.0.0")
}

// TestKilledAnywhere leaves out the last writes of a publication, one more each
// time: readers see the old release or the new one, and the same call ends it.
func TestKilledAnywhere(t *testing.T) {
	dir := t.TempDir()
	k := newKey(t)
	r := one(t, dir, k, "1.0.0")
	root, err := r.Root()
	must(t, err)
	r = open(t, dir, now.Add(time.Hour))
	offer(t, r, "1.1.0")
	must(t, r.Renew("targets"))
	must(t, r.Renew("root"))
	before := tree(t, dir) // staged
	must(t, r.Publish(k))
	after := tree(t, dir)
	order := []string{"metadata/2.stable.json", "metadata/2.targets.json", "metadata/2.snapshot.json", "metadata/2.root.json", "metadata/timestamp.json"}
	for n := range len(order) + 1 {
		files := maps.Clone(before)
		for _, f := range order[:n] {
			if after[f] == nil {
				t.Fatalf("no %s", f)
			}
			files[f] = after[f]
		}
		restore(t, dir, files)
		want := "1.0.0"
		if n == len(order) {
			want = "1.1.0"
		}
		r := open(t, dir, now.Add(time.Hour))
		offers(t, r, root, want)
		must(t, r.Publish(k))
		offers(t, r, root, "1.1.0")
		if _, err := os.Stat(filepath.Join(dir, "staged")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("after %d writes: staged is still there", n)
		}
	}
}

// TestSnapshotOfNewRoot: a root that asks more of the snapshot's keys is published
// with a snapshot that clients accept, also after a kill between the two.
func TestSnapshotOfNewRoot(t *testing.T) {
	dir := t.TempDir()
	k, second := newKey(t), newKey(t)
	r := one(t, dir, k, "1.0.0")
	root, err := r.Root()
	must(t, err)
	must(t, r.SetRole("snapshot", role(1, k, second)))
	must(t, r.Publish(k))
	offers(t, r, root, "1.0.0")
	must(t, r.SetRole("snapshot", role(2, k, second)))
	must(t, r.Publish(signers(k, second)...))
	offers(t, r, root, "1.0.0")

	third := newKey(t)
	must(t, r.SetRole("snapshot", role(1, third)))
	files := tree(t, dir) // staged
	must(t, r.Publish(signers(k, third)...))
	for name, data := range tree(t, dir) {
		if name != "metadata/timestamp.json" {
			files[name] = data
		}
	}
	for what, end := range map[string]func(*repo.Repo) error{
		"publish": func(r *repo.Repo) error { return r.Publish(signers(k, third)...) },
		"refresh": func(r *repo.Repo) error { return r.Refresh(signers(k, third)...) },
	} {
		restore(t, dir, files)
		r := open(t, dir, now.Add(time.Hour))
		must(t, end(r))
		if rel, err := r.Check(context.Background(), root, "stable", "linux-amd64"); err != nil || rel.Version != "1.0.0" {
			t.Errorf("%s after a kill: offers %+v, %v", what, rel, err)
		}
	}
}

func TestRefresh(t *testing.T) {
	dir := t.TempDir()
	k := newKey(t)
	root, err := one(t, dir, k, "1.0.0").Root()
	must(t, err)
	other := newKey(t)
	for day := range 60 {
		r := open(t, dir, now.AddDate(0, 0, day))
		if day == 10 { // what waits for signatures does not let the channel expire
			must(t, r.SetRole("targets", role(1, other)))
		}
		must(t, r.Refresh(k))
		if day%20 == 0 {
			offers(t, r, root, "1.0.0")
		}
	}
	snapshots, err := filepath.Glob(filepath.Join(dir, "metadata", "*.snapshot.json"))
	if err != nil || len(snapshots) > 6 {
		t.Errorf("%d snapshots in 60 days, %v", len(snapshots), err)
	}
	r := open(t, dir, now.AddDate(0, 0, 60))
	if err := r.Refresh(other); err == nil {
		t.Error("refreshed with a foreign key")
	}
	must(t, r.Publish(k, other))
	offers(t, r, root, "1.0.0")
	if err := open(t, t.TempDir(), now).Refresh(k); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("refreshed nothing: %v", err)
	}
}

// TestRefused: what clients would refuse is not made in the first place.
func TestRefused(t *testing.T) {
	dir := t.TempDir()
	k := newKey(t)
	r := one(t, dir, k, "1.0.0")
	before := tree(t, dir)
	p384, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	must(t, err)
	for name, do := range map[string]func() error{
		"a second repository": func() error {
			_, err := repo.Init(dir, map[string]repo.Role{}, channel.KeyList{}, repo.Options{})
			return err
		},
		"a role without keys": func() error {
			_, err := repo.Init(t.TempDir(), map[string]repo.Role{"root": role(1, k)}, channel.KeyList{}, repo.Options{})
			return err
		},
		"a threshold below 0":      func() error { return r.SetRole("targets", role(-1, k)) },
		"a threshold out of reach": func() error { return r.SetRole("stable", role(2, k)) },
		"a key twice":              func() error { return r.SetRole("stable", role(2, k, k)) },
		"a key on another curve": func() error {
			return r.SetRole("stable", repo.Role{Threshold: 1, Keys: []crypto.PublicKey{p384.Public()}})
		},
		"a role that is not there":  func() error { return r.SetRole("beta", role(1, k)) },
		"a channel twice":           func() error { return r.AddChannel("stable", role(1, k)) },
		"a channel that climbs":     func() error { return r.AddChannel("../x", role(1, k)) },
		"a channel named as a role": func() error { return r.AddChannel("root", role(1, k)) },
		"an archive that is not there": func() error {
			return r.AddRelease("stable", "linux-amd64", channel.Release{Version: "2.0.0",
				Archive: channel.Target{Name: "piwork-runtime-linux-amd64-2.0.0.tar.zst", Length: 1, SHA256: strings.Repeat("0", 64)}})
		},
		"a platform that climbs": func() error { return r.AddRelease("stable", "../x", channel.Release{}) },
		"a key both valid and revoked": func() error {
			l := list(t, k)
			id, err := trust.KeyID(k.public)
			must(t, err)
			l.Revoked = []channel.RevokedKey{{ID: id}}
			return r.SetKeyList(l)
		},
	} {
		if err := do(); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	must(t, r.Discard())
	if after := tree(t, dir); !maps.EqualFunc(before, after, bytes.Equal) {
		t.Errorf("refusals left %v, before %v", slices.Sorted(maps.Keys(after)), slices.Sorted(maps.Keys(before)))
	}
}
