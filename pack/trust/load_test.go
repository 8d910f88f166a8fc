package trust_test

import (
	"context"
	"crypto"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/sigstore/sigstore/pkg/signature"

	"piwork/pack/trust"
	"piwork/pack/trust/channel"
	"piwork/pack/trust/channel/repo"
)

// authority is a channel of a developer, with one key for everything.
type authority struct {
	t      *testing.T
	dir    string // repository
	config string // of the program
	cache  string
	signer *trust.Signer
}

func newKey(t *testing.T, name string) (trust.Key, *trust.Signer) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "key")
	k, err := trust.GenerateDeveloperKey(file, name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := trust.LoadSigner(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	return k, s
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{t: t, dir: t.TempDir(), config: t.TempDir(), cache: filepath.Join(t.TempDir(), "channel")}
	_, a.signer = newKey(t, "authority")
	r, err := repo.Init(a.dir, a.roles(a.signer), channel.KeyList{}, repo.Options{})
	a.must(err)
	a.must(r.Publish(a.signer))
	root, err := r.Root()
	a.must(err)
	a.must(os.WriteFile(filepath.Join(a.config, trust.ChannelRootFile), root, 0o600))
	return a
}

func (a *authority) must(err error) {
	a.t.Helper()
	if err != nil {
		a.t.Fatal(err)
	}
}

func (a *authority) roles(s *trust.Signer) map[string]repo.Role {
	public, err := s.PublicKey()
	a.must(err)
	roles := map[string]repo.Role{}
	for _, name := range []string{"root", "targets", "snapshot", "timestamp"} {
		roles[name] = repo.Role{Keys: []crypto.PublicKey{public}, Threshold: 1}
	}
	return roles
}

// vouch publishes a key list, and lets the program learn it.
func (a *authority) vouch(l channel.KeyList, signers ...signature.Signer) {
	a.t.Helper()
	r, err := repo.Open(a.dir, repo.Options{})
	a.must(err)
	a.must(r.SetKeyList(l))
	a.must(r.Publish(append(signers, a.signer)...))
	a.learn()
}

func (a *authority) learn() {
	a.t.Helper()
	root, err := trust.ChannelRoot(a.options())
	a.must(err)
	c, err := channel.Open(channel.Options{Root: root, Dir: a.cache, Name: "stable", Fetch: channel.FromFS(os.DirFS(a.dir))})
	a.must(err)
	if _, err := c.Refresh(context.Background()); channel.KindOf(err) != channel.KindNotOffered {
		a.t.Fatal(err)
	}
}

func (a *authority) options() trust.Options {
	return trust.Options{ConfigDir: a.config, Developer: true, ChannelDir: a.cache}
}

func (a *authority) says(sig []byte, want error) {
	a.t.Helper()
	ring, err := trust.Load(a.options())
	a.must(err)
	if _, err := ring.Verify([]byte("manifest"), sig); !errors.Is(err, want) {
		a.t.Errorf("got %v, want %v", err, want)
	}
}

func listed(t *testing.T, k trust.Key) channel.SigningKey {
	t.Helper()
	pem, err := k.PEM()
	if err != nil {
		t.Fatal(err)
	}
	return channel.SigningKey{Name: k.Name, PEM: string(pem)}
}

// TestKeysOfTheChannel follows a pack key through its life: unknown, added,
// joined by its successor, revoked.
func TestKeysOfTheChannel(t *testing.T) {
	a := newAuthority(t)
	k1, s1 := newKey(t, "release-2026")
	k2, s2 := newKey(t, "release-2027")
	sign := func(s *trust.Signer) []byte {
		sig, err := trust.Sign(s, []byte("manifest"))
		a.must(err)
		return sig
	}
	a.says(sign(s1), trust.ErrNoMatch)
	a.vouch(channel.KeyList{Signing: []channel.SigningKey{listed(t, k1)}})
	a.says(sign(s1), nil)
	a.vouch(channel.KeyList{Signing: []channel.SigningKey{listed(t, k1), listed(t, k2)}})
	a.says(sign(s1), nil)
	a.says(sign(s2), nil)
	a.vouch(channel.KeyList{Signing: []channel.SigningKey{listed(t, k2)}, Revoked: []channel.RevokedKey{{ID: k1.ID, Reason: "stolen"}}})
	a.says(sign(s1), trust.ErrNoMatch) // its public part is not known any more: the id in a manifest names it
	a.says(sign(s2), nil)
	ring, err := trust.Load(a.options())
	a.must(err)
	if v, ok := ring.Revoked(k1.ID); !ok || v.Reason != "stolen" {
		t.Errorf("revocation: %+v", ring.Revocations())
	}
	if k := ring.Keys(); len(k) != 1 || k[0].Kind != trust.Developer {
		t.Errorf("keys of a developer's channel: %+v", k)
	}

	// Only by explicit choice.
	o := a.options()
	o.Developer = false
	if ring, err = trust.Load(o); err != nil || len(ring.Keys()) != 0 {
		t.Errorf("a released program trusts %+v, %v", ring.Keys(), err)
	}
	if _, err := trust.ChannelRoot(o); !errors.Is(err, trust.ErrNoChannel) {
		t.Errorf("a released program has a developer's root: %v", err)
	}
}

// TestRevokedDeveloperKey: a key in the developer's own ring is revoked by the
// channel all the same, and named when it signed.
func TestRevokedDeveloperKey(t *testing.T) {
	a := newAuthority(t)
	k, s := newKey(t, "ada")
	a.must(trust.AddDeveloperKey(filepath.Join(a.config, trust.DeveloperFile), k))
	sig, err := trust.Sign(s, []byte("manifest"))
	a.must(err)
	a.says(sig, nil)
	a.vouch(channel.KeyList{Revoked: []channel.RevokedKey{{ID: k.ID}}})
	a.says(sig, trust.ErrRevoked)
}

// TestCacheOfTheChannel: a damaged or foreign cache adds no key and does not keep
// the program from starting; a revocation outlives what verifies it.
func TestCacheOfTheChannel(t *testing.T) {
	k1, s1 := newKey(t, "release-2026")
	k2, _ := newKey(t, "release-2026") // the same name, as another list may have it
	sig, err := trust.Sign(s1, []byte("manifest"))
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		do   func(a *authority)
		want error
	}{
		"as it was": {func(*authority) {}, nil},
		"gone":      {func(a *authority) { a.must(os.RemoveAll(a.cache)) }, trust.ErrNoMatch},
		"garbage": {func(a *authority) {
			a.must(os.WriteFile(filepath.Join(a.cache, "trusted.json"), []byte("{"), 0o600))
		}, trust.ErrNoMatch},
		"of another root": {func(a *authority) {
			b := newAuthority(t)
			a.must(os.Rename(filepath.Join(b.config, trust.ChannelRootFile), filepath.Join(a.config, trust.ChannelRootFile)))
		}, trust.ErrNoMatch},
		"a name that is taken": {func(a *authority) {
			a.must(trust.AddDeveloperKey(filepath.Join(a.config, trust.DeveloperFile), k2))
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAuthority(t)
			a.vouch(channel.KeyList{Signing: []channel.SigningKey{listed(t, k1)}})
			tc.do(a)
			a.says(sig, tc.want)
		})
	}
}
