package channel_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/theupdateframework/go-tuf/v2/metadata"

	"piwork/pack/trust"
	"piwork/pack/trust/channel"
	"piwork/pack/trust/channel/repo"
)

// TestRotation replaces the keys of every role; the old ones are worth nothing
// afterwards.
func TestRotation(t *testing.T) {
	for _, role := range []string{"root", "targets", "snapshot", "timestamp", "stable"} {
		t.Run(role, func(t *testing.T) {
			w := newWorld(t)
			w.knows()
			stolen := w.keys[role]
			n := len(stolen)
			var fresh []*trust.Signer
			for range n {
				fresh = append(fresh, newSigner(t))
			}
			threshold := map[string]int{"root": 2, "targets": 2}[role]
			w.keys[role] = append(fresh, stolen...)
			w.change(func(r *repo.Repo) error { return r.SetRole(role, roleOf(t, max(1, threshold), fresh...)) })
			w.keys[role] = fresh
			w.publish("1.1.0", time.Hour)
			w.offers("1.1.0")

			// The thief has the old keys of the role, and those of snapshot and timestamp.
			snapshot, timestamp := w.keys["snapshot"][0], w.keys["timestamp"][0]
			want := channel.KindBadSignature
			switch role {
			case "root":
				data := w.read(w.meta("root"))
				w.srv.files["metadata/3.root.json"] = forge(w, data, func(s *rootT) { s.Version = 3 }, stolen...)
			case "timestamp":
				w.srv.files["metadata/timestamp.json"] = forge(w, w.read("metadata/timestamp.json"), func(s *timestampT) { s.Version++ }, stolen...)
			case "snapshot":
				w.serve("snapshot", forge(w, w.read(w.meta("snapshot")), func(s *snapshotT) { s.Version++ }, stolen...), nil, timestamp)
			default:
				w.serve(role, forge(w, w.read(w.meta(role)), func(s *targetsT) { s.Version++ }, stolen...), snapshot, timestamp)
			}
			w.refuses(want, "1.1.0")
			clear(w.srv.files)

			// A client that starts from the first root finds its way through.
			w.home = filepath.Join(t.TempDir(), "fresh")
			w.c = w.client("stable", host)
			w.offers("1.1.0")
		})
	}
}

// TestFastForward: a thief signs the highest versions, which the client believes
// and remembers. A root that takes the stolen keys out makes it forget them, also
// when only one of the two roles gets new keys.
func TestFastForward(t *testing.T) {
	const far = 1 << 52
	for name, roles := range map[string][]string{
		"timestamp": {"timestamp"}, "snapshot": {"snapshot"}, "both": {"timestamp", "snapshot"},
		"timestamp, by a newer program": {"timestamp"}, "snapshot, by a newer program": {"snapshot"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.knows()
			snapshot, timestamp := w.keys["snapshot"][0], w.keys["timestamp"][0]
			stable := forge(w, w.read(w.meta("stable")), func(s *targetsT) { s.Version = far }, w.keys["stable"][0])
			w.srv.files["metadata/4503599627370496.stable.json"] = stable
			snap := forge(w, w.read(w.meta("snapshot")), func(s *snapshotT) {
				s.Version = far
				s.Meta["stable.json"] = metaFile(w, far, stable)
			}, snapshot)
			w.srv.files["metadata/4503599627370496.snapshot.json"] = snap
			w.srv.files["metadata/timestamp.json"] = forge(w, w.read("metadata/timestamp.json"), func(s *timestampT) {
				s.Version = far
				s.Meta["snapshot.json"] = metaFile(w, far, snap)
			}, timestamp)
			w.offers("1.0.0")
			clear(w.srv.files)
			w.publish("1.1.0", time.Hour)
			w.refuses(channel.KindRollback, "1.0.0")

			for _, role := range roles {
				fresh := newSigner(t)
				w.keys[role] = append(w.keys[role], fresh)
				w.change(func(r *repo.Repo) error { return r.SetRole(role, roleOf(t, 1, fresh)) })
			}
			if strings.Contains(name, "newer program") {
				w.root = w.read(w.meta("root"))
				w.c = w.client("stable", host)
			}
			w.offers("1.1.0")
		})
	}
}

// TestAddedKeyKeepsTheFloor: a root that only adds a key is no reason to forget
// what was seen.
func TestAddedKeyKeepsTheFloor(t *testing.T) {
	w := newWorld(t)
	before := w.copyRepo()
	w.publish("1.1.0", time.Hour)
	w.offers("1.1.0")
	second := newSigner(t)
	w.change(func(r *repo.Repo) error { return r.SetRole("timestamp", roleOf(t, 1, w.keys["timestamp"][0], second)) })
	w.srv.files["metadata/timestamp.json"] = before["metadata/timestamp.json"]
	w.refuses(channel.KindRollback, "1.1.0")
}

// TestRolledBackRoot: a client that saw a root does not go back to the one before
// when the server hides it.
func TestRolledBackRoot(t *testing.T) {
	w := newWorld(t)
	stolen := w.keys["timestamp"][0]
	fresh := newSigner(t)
	w.keys["timestamp"] = append(w.keys["timestamp"], fresh)
	w.change(func(r *repo.Repo) error { return r.SetRole("timestamp", roleOf(t, 1, fresh)) })
	w.offers("1.0.0")
	w.offers("1.0.0") // and keeps it
	w.srv.files["metadata/2.root.json"] = nil
	w.srv.files["metadata/timestamp.json"] = forge(w, w.read("metadata/timestamp.json"), func(s *timestampT) { s.Version++ }, stolen)
	w.refuses(channel.KindBadSignature, "1.0.0")
}

// TestExpiredRootChain: a program that lay in a drawer for years updates through
// roots that have all expired, but for the last one.
func TestExpiredRootChain(t *testing.T) {
	w := newWorld(t)
	for range 3 {
		w.now = w.now.Add(300 * 24 * time.Hour)
		w.change(func(r *repo.Repo) error {
			if err := r.Renew("targets"); err != nil {
				return err
			}
			if err := r.Renew("stable"); err != nil {
				return err
			}
			return r.Renew("root")
		})
	}
	w.offers("1.0.0")
	w.home = filepath.Join(t.TempDir(), "fresh")
	w.c = w.client("stable", host)
	w.srv.files["metadata/3.root.json"] = nil // the server hides what came after
	w.refuses(channel.KindExpired, "")
}

// TestWrongClock: a clock that was years ahead for a while is no harm once it is
// right again.
func TestWrongClock(t *testing.T) {
	w := newWorld(t)
	w.knows()
	w.now = start.AddDate(73, 0, 0)
	w.refuses(channel.KindExpired, "1.0.0")
	w.now = start.Add(7*24*time.Hour - time.Second) // just not too far ahead: believed
	w.offers("1.0.0")
	w.now = start.Add(time.Hour)
	w.publish("1.1.0", 0)
	w.offers("1.1.0")

	file := filepath.Join(w.home, "trusted.json")
	data, err := os.ReadFile(file)
	w.must(err)
	before, _, ok := strings.Cut(string(data), `"seen":`)
	if !ok {
		t.Fatalf("no time in %s", data)
	}
	w.must(os.WriteFile(file, []byte(before+`"seen":"9999-12-31T23:59:59Z"}`), 0o600))
	w.offers("1.1.0")
}

// TestStolenChannelKey: it can name any archive, and cannot make its signature
// trusted, nor speak for another channel.
func TestStolenChannelKey(t *testing.T) {
	w := newWorld(t)
	w.keys["beta"] = append(w.keys["beta"], newSigner(t))
	w.change(func(r *repo.Repo) error { return r.AddChannel("beta", roleOf(t, 1, w.keys["beta"]...)) })
	w.offers("1.0.0")
	evil, _ := signingKey(t, "evil", newSigner(t))
	list, err := channel.EncodeKeyList(channel.KeyList{Signing: []channel.SigningKey{evil}})
	w.must(err)
	f := metaFile(w, 1, list)
	w.serve("beta", forge(w, w.read(w.meta("beta")), func(s *targetsT) {
		s.Version++
		for _, path := range []string{"keys.json", "stable/linux-amd64.json", "beta/keys.json"} {
			s.Targets[path] = targetFile(f)
			w.srv.files[channel.TargetPath(f.Hashes["sha256"].String(), path)] = list
		}
	}, w.keys["beta"][0]), w.keys["snapshot"][0], w.keys["timestamp"][0])
	w.offers("1.0.0")
	_, _ = w.client("beta", host).Refresh(context.Background())
	l, err := channel.Keys(w.root, w.home)
	w.must(err)
	if len(l.Signing) != 1 || l.Signing[0].Name != "release-2026" {
		t.Errorf("keys: %+v", l.Signing)
	}
}

// TestRevokedStaysRevoked: when new keys of targets leave nothing that verifies,
// no pack key is taken from it, and a revoked one is not forgotten.
func TestRevokedStaysRevoked(t *testing.T) {
	w := newWorld(t)
	k, _ := signingKey(t, "release-2027", newSigner(t))
	w.change(func(r *repo.Repo) error {
		return r.SetKeyList(channel.KeyList{Signing: []channel.SigningKey{k}, Revoked: []channel.RevokedKey{{ID: strings.Repeat("ab", 32), Reason: "stolen"}}})
	})
	w.offers("1.0.0")
	fresh := []*trust.Signer{newSigner(t), newSigner(t)}
	w.keys["targets"] = append(fresh, w.keys["targets"]...)
	w.change(func(r *repo.Repo) error { return r.SetRole("targets", roleOf(t, 2, fresh...)) })
	w.srv.files["metadata/timestamp.json"] = nil // the new root arrives, nothing else does
	if _, err := w.c.Refresh(context.Background()); channel.KindOf(err) != channel.KindUnreachable {
		t.Fatalf("got %v", err)
	}
	l, err := channel.Keys(w.root, w.home)
	w.must(err)
	if len(l.Signing) != 0 || len(l.Revoked) != 1 || l.Revoked[0].Reason != "stolen" {
		t.Errorf("got %+v", l)
	}
	clear(w.srv.files)
	w.offers("1.0.0")
	if l, err = channel.Keys(w.root, w.home); err != nil || len(l.Signing) != 1 || len(l.Revoked) != 1 {
		t.Errorf("afterwards: %+v, %v", l, err)
	}
}

// TestNewOnlineKeyKeepsPackKeys: a root with another key of timestamp or snapshot
// arrives and nothing else does, or a newer program brings it. The keys that may
// sign packs stay, so that an installed runtime goes on, without a network too.
func TestNewOnlineKeyKeepsPackKeys(t *testing.T) {
	for _, role := range []string{"timestamp", "snapshot"} {
		for _, how := range []string{"refresh", "newer program"} {
			t.Run(role+" by "+how, func(t *testing.T) {
				w := newWorld(t)
				w.knows()
				fresh := newSigner(t)
				w.keys[role] = append(w.keys[role], fresh)
				w.change(func(r *repo.Repo) error { return r.SetRole(role, roleOf(t, 1, fresh)) })
				w.srv.files["metadata/timestamp.json"] = nil
				if how == "refresh" {
					if _, err := w.c.Refresh(context.Background()); channel.KindOf(err) != channel.KindUnreachable {
						t.Fatalf("got %v", err)
					}
				} else {
					w.root = w.read(w.meta("root"))
				}
				l, err := channel.Keys(w.root, w.home)
				w.must(err)
				if len(l.Signing) != 1 || l.Signing[0].Name != "release-2026" {
					t.Errorf("keys that may sign packs: %+v", l.Signing)
				}
			})
		}
	}
}

// TestWithdrawnStaysWithdrawn: what the key list says about versions is kept like
// its revocations, also when nothing verifies any more, and can be taken back.
func TestWithdrawnStaysWithdrawn(t *testing.T) {
	w := newWorld(t)
	says := func(version string, want bool) {
		t.Helper()
		l, err := channel.Keys(w.root, w.home)
		w.must(err)
		if _, got := l.Withdraws(version); got != want {
			t.Errorf("%s withdrawn: %v, want %v", version, got, want)
		}
	}
	w.change(func(r *repo.Repo) error {
		l, err := r.KeyList()
		w.must(err)
		l.Withdrawn, l.Minimum = []channel.WithdrawnVersion{{Version: "1.2.0", Reason: "it loses files"}}, "1.0.0"
		return r.SetKeyList(*l)
	})
	says("1.2.0", false) // nobody told it yet
	w.offers("1.0.0")
	kept := func() {
		t.Helper()
		for version, want := range map[string]bool{"1.2.0": true, "1.2.0+x": true, "1.1.0": false, "1.0.0": false, "1.0.0-rc.1": true, "0.9.0": true} {
			says(version, want)
		}
	}
	kept()
	fresh := []*trust.Signer{newSigner(t), newSigner(t)}
	w.keys["targets"] = append(fresh, w.keys["targets"]...)
	w.change(func(r *repo.Repo) error { return r.SetRole("targets", roleOf(t, 2, fresh...)) })
	w.srv.files["metadata/timestamp.json"] = nil // the new root arrives, nothing else does
	w.refuses(channel.KindUnreachable, "")
	kept()
	clear(w.srv.files)
	r := w.open()
	if err := r.AddRelease("stable", host, channel.Release{Version: "1.2.0"}); err == nil {
		t.Error("a withdrawn version is offered")
	}
	w.change(func(r *repo.Repo) error {
		l, err := r.KeyList()
		w.must(err)
		l.Withdrawn, l.Minimum = nil, ""
		return r.SetKeyList(*l)
	})
	w.offers("1.0.0")
	says("1.2.0", false)
	says("0.9.0", false)
}

// TestNewerProgram: the root compiled into the program moves on, also past what
// the client has seen, and back when an older program is installed again.
func TestNewerProgram(t *testing.T) {
	w := newWorld(t)
	first := w.root
	w.offers("1.0.0")
	fresh := newSigner(t)
	w.keys["timestamp"] = append(w.keys["timestamp"], fresh)
	w.change(func(r *repo.Repo) error { return r.SetRole("timestamp", roleOf(t, 1, fresh)) })
	w.change(func(r *repo.Repo) error { return r.Renew("root") })
	w.root = w.read("metadata/3.root.json")
	w.c = w.client("stable", host)
	if r, err := w.c.Last(); err == nil {
		t.Errorf("verifies %+v, signed by a key that is gone", r)
	}
	w.offers("1.0.0")
	w.root = first
	w.c = w.client("stable", host)
	w.offers("1.0.0")
	w.root = w.read("metadata/2.root.json")
	m, err := metadata.Root().FromBytes(w.root)
	w.must(err)
	m.Signatures = m.Signatures[:2] // the same root, handed on before all had signed
	w.root, err = m.ToBytes(false)
	w.must(err)
	w.c = w.client("stable", host)
	if r, err := w.c.Last(); err != nil || r.Version != "1.0.0" {
		t.Errorf("last: %+v, %v", r, err)
	}
}

// TestDamagedCache: whatever happened to the file, a refresh mends it, and
// nothing in it is believed because it stands there.
func TestDamagedCache(t *testing.T) {
	for name, damage := range map[string]func(data []byte) []byte{
		"empty":            func([]byte) []byte { return nil },
		"cut":              func(d []byte) []byte { return d[:len(d)/2] },
		"garbage":          func([]byte) []byte { return []byte("\x00garbage") },
		"of another form":  func(d []byte) []byte { return []byte(strings.Replace(string(d), `"schema":1`, `"schema":2`, 1)) },
		"no roots":         func(d []byte) []byte { return []byte(strings.Replace(string(d), `"roots"`, `"rooms"`, 1)) },
		"a flipped letter": func(d []byte) []byte { d[len(d)*3/4] ^= 1; return d },
		"null":             func([]byte) []byte { return []byte("null") },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.knows()
			file := filepath.Join(w.home, "trusted.json")
			data, err := os.ReadFile(file)
			w.must(err)
			w.must(os.WriteFile(file, damage(data), 0o600))
			w.must(os.WriteFile(file+".123.new", []byte("interrupted"), 0o600))
			_, _ = w.c.Last() // no panic; what it says is covered by signatures
			w.offers("1.0.0")
			if files, err := os.ReadDir(w.home); err != nil || len(files) != 1 {
				t.Errorf("left behind: %v, %v", files, err)
			}
		})
	}
}

// TestAnotherRepository: what was learnt of one repository says nothing of
// another, whose root has the same version.
func TestAnotherRepository(t *testing.T) {
	w := newWorld(t)
	w.change(func(r *repo.Repo) error {
		return r.SetKeyList(channel.KeyList{Revoked: []channel.RevokedKey{{ID: strings.Repeat("ab", 32)}}})
	})
	for range 3 { // its versions are ahead
		w.change(func(r *repo.Repo) error { return r.Renew("stable") })
	}
	w.offers("1.0.0")
	key := newSigner(t)
	other := t.TempDir()
	roles := map[string]repo.Role{}
	for _, name := range []string{"root", "targets", "snapshot", "timestamp"} {
		roles[name] = roleOf(t, 1, key)
	}
	r, err := repo.Init(other, roles, channel.KeyList{}, repo.Options{Now: w.now})
	w.must(err)
	w.must(r.AddChannel("stable", roleOf(t, 1, key)))
	w.add(r, "0.5.0")
	w.must(r.Publish(key))
	w.root, err = r.Root()
	w.must(err)
	w.srv.fsys = os.DirFS(other)
	w.c = w.client("stable", host)
	if l, err := channel.Keys(w.root, w.home); err != nil || len(l.Revoked) != 0 || len(l.Signing) != 0 {
		t.Errorf("keys of the other one: %+v, %v", l, err)
	}
	if r, err := w.c.Last(); err == nil {
		t.Errorf("release of the other one: %+v", r)
	}
	w.offers("0.5.0")
}

// TestRevokedThoughNothingIsOffered: a revocation counts also where what the channel offers
// cannot be had: a mirror lacks it, or this program is too old for it.
func TestRevokedThoughNothingIsOffered(t *testing.T) {
	w := newWorld(t)
	w.offers("1.0.0")
	w.change(func(r *repo.Repo) error {
		l, err := r.KeyList()
		w.must(err)
		l.Revoked = append(l.Revoked, channel.RevokedKey{ID: l.Signing[0].ID, Reason: "it was stolen"})
		l.Signing = nil
		w.must(r.SetKeyList(*l))
		return r.Renew("stable")
	})
	w.srv.files[w.meta("stable")] = nil
	w.refuses(channel.KindMissing, "1.0.0")
	l, err := channel.Keys(w.root, w.home)
	w.must(err)
	if len(l.Revoked) != 1 || len(l.Signing) != 0 {
		t.Errorf("keys: %+v", l)
	}
}
