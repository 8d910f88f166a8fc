package channel_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/theupdateframework/go-tuf/v2/metadata"

	"piwork/pack/trust"
	"piwork/pack/trust/channel"
	"piwork/pack/trust/channel/repo"
)

// The types of go-tuf, shorter.
type (
	rootT      = metadata.RootType
	timestampT = metadata.TimestampType
	snapshotT  = metadata.SnapshotType
	targetsT   = metadata.TargetsType
)

const hour = time.Hour

// TestAttacks: what a server, a thief of some keys, or a careless maker can put
// before a client that knows version 1.0.0, when 1.1.0 was published since. The
// client refuses, says why, and goes on knowing 1.0.0.
func TestAttacks(t *testing.T) {
	old := func(w *world, role string) *trust.Signer { return w.keys[role][0] }
	// byOnline serves forged metadata as a thief of the keys of snapshot and
	// timestamp can, who are online and the easiest to steal.
	byOnline := func(w *world, role string, data []byte) {
		w.serve(role, data, old(w, "snapshot"), old(w, "timestamp"))
	}
	stable := func(w *world, change func(*targetsT)) {
		byOnline(w, "stable", forge(w, w.read(w.meta("stable")), func(s *targetsT) { s.Version++; change(s) }, old(w, "stable")))
	}
	targets := func(w *world, change func(*targetsT)) {
		byOnline(w, "targets", forge(w, w.read(w.meta("targets")), func(s *targetsT) { s.Version++; change(s) }, w.keys["targets"]...))
	}
	snapshot := func(w *world, change func(*snapshotT)) {
		byOnline(w, "snapshot", forge(w, w.read(w.meta("snapshot")), func(s *snapshotT) { s.Version++; change(s) }, old(w, "snapshot")))
	}
	timestamp := func(w *world, change func(*timestampT)) {
		w.srv.files["metadata/timestamp.json"] = forge(w, w.read("metadata/timestamp.json"), func(s *timestampT) { s.Version++; change(s) }, old(w, "timestamp"))
	}
	root := func(w *world, change func(*rootT), signers ...*trust.Signer) {
		if signers == nil {
			signers = w.keys["root"]
		}
		w.srv.files["metadata/2.root.json"] = forge(w, w.read("metadata/1.root.json"), func(s *rootT) {
			s.Version = 2
			if change != nil {
				change(s)
			}
		}, signers...)
	}
	release := func(w *world, data string) {
		f, err := metadata.TargetFile().FromBytes("", []byte(data), "sha256")
		w.must(err)
		w.srv.files[channel.TargetPath(f.Hashes["sha256"].String(), "stable/linux-amd64.json")] = []byte(data)
		stable(w, func(s *targetsT) { s.Targets["stable/linux-amd64.json"] = f })
	}
	releaseFile := func(w *world, change func(string) string) {
		role, err := metadata.Targets().FromBytes(w.read(w.meta("stable")))
		w.must(err)
		f := role.Signed.Targets["stable/linux-amd64.json"]
		release(w, change(string(w.read(channel.TargetPath(f.Hashes["sha256"].String(), "stable/linux-amd64.json")))))
	}

	for _, tc := range []struct {
		name string
		do   func(w *world, before map[string][]byte)
		want channel.Kind
	}{
		// Rollback.
		{"an older timestamp", func(w *world, before map[string][]byte) {
			w.offers("1.1.0")
			w.srv.files["metadata/timestamp.json"] = before["metadata/timestamp.json"]
		}, channel.KindRollback},
		{"an older timestamp of the same snapshot", func(w *world, _ map[string][]byte) {
			older := w.read("metadata/timestamp.json")
			w.change(func(*repo.Repo) error { return nil })
			w.offers("1.1.0")
			w.srv.files["metadata/timestamp.json"] = older
		}, channel.KindRollback},
		{"a newer timestamp of an older snapshot", func(w *world, before map[string][]byte) {
			w.offers("1.1.0")
			timestamp(w, func(s *timestampT) {
				s.Meta["snapshot.json"] = metaFile(w, 1, before["metadata/1.snapshot.json"])
			})
		}, channel.KindRollback},
		{"a newer snapshot of an older channel", func(w *world, before map[string][]byte) {
			w.offers("1.1.0")
			snapshot(w, func(s *snapshotT) { s.Meta["stable.json"] = metaFile(w, 1, before["metadata/1.stable.json"]) })
		}, channel.KindRollback},
		{"a newer snapshot of older targets", func(w *world, _ map[string][]byte) {
			w.change(func(r *repo.Repo) error { return r.Renew("targets") })
			w.offers("1.1.0")
			snapshot(w, func(s *snapshotT) { s.Meta["targets.json"] = metaFile(w, 1, w.read("metadata/1.targets.json")) })
		}, channel.KindRollback},
		{"a snapshot without the channel", func(w *world, _ map[string][]byte) {
			snapshot(w, func(s *snapshotT) { delete(s.Meta, "stable.json") })
		}, channel.KindRollback},
		{"the old root as its successor", func(w *world, _ map[string][]byte) {
			w.srv.files["metadata/2.root.json"] = w.read("metadata/1.root.json")
		}, channel.KindRollback},
		{"a root that leaves versions out", func(w *world, _ map[string][]byte) {
			root(w, func(s *rootT) { s.Version = 3 })
		}, channel.KindRollback},

		// Freeze.
		{"an expired timestamp", func(w *world, _ map[string][]byte) { w.now = w.now.Add(8 * 24 * hour) }, channel.KindExpired},
		{"the old timestamp for ever", func(w *world, before map[string][]byte) {
			w.srv.files["metadata/timestamp.json"] = before["metadata/timestamp.json"]
			w.now = w.now.Add(8 * 24 * hour)
		}, channel.KindExpired},
		{"an expired snapshot", func(w *world, _ map[string][]byte) {
			snapshot(w, func(s *snapshotT) { s.Expires = start })
		}, channel.KindExpired},
		{"expired targets", func(w *world, _ map[string][]byte) {
			targets(w, func(s *targetsT) { s.Expires = start })
		}, channel.KindExpired},
		{"an expired channel", func(w *world, _ map[string][]byte) {
			stable(w, func(s *targetsT) { s.Expires = start })
		}, channel.KindExpired},
		{"an expired root", func(w *world, _ map[string][]byte) {
			root(w, func(s *rootT) { s.Expires = start })
		}, channel.KindExpired},
		{"an expired timestamp, and the clock set back", func(w *world, _ map[string][]byte) {
			w.now = start.Add(6 * 24 * hour)
			w.offers("1.1.0")
			timestamp(w, func(s *timestampT) { s.Expires = start.Add(4 * 24 * hour) })
			w.now = start.Add(3 * 24 * hour)
		}, channel.KindExpired},

		// Mix-and-match.
		{"the old channel under the new version", func(w *world, before map[string][]byte) {
			w.srv.files["metadata/2.stable.json"] = before["metadata/1.stable.json"]
		}, channel.KindWrongContent},
		{"the old snapshot under the new version", func(w *world, before map[string][]byte) {
			w.srv.files["metadata/2.snapshot.json"] = before["metadata/1.snapshot.json"]
		}, channel.KindWrongContent},
		{"metadata of one role as another", func(w *world, _ map[string][]byte) {
			byOnline(w, "stable", forge[targetsT](w, w.read(w.meta("targets")), func(s *targetsT) { s.Version = 4 }, w.keys["targets"]...))
		}, channel.KindBadSignature},
		{"another release file", func(w *world, before map[string][]byte) {
			for path, data := range before {
				if strings.HasSuffix(path, "linux-amd64.json") {
					releaseFile(w, func(s string) string { return s }) // put all of 1.1.0 in place
					for p := range w.srv.files {
						if strings.HasSuffix(p, "linux-amd64.json") {
							w.srv.files[p] = data
						}
					}
				}
			}
		}, channel.KindWrongContent},
		{"the release of another platform", func(w *world, _ map[string][]byte) {
			releaseFile(w, func(s string) string { return strings.ReplaceAll(s, "linux-amd64", "windows-amd64") })
		}, channel.KindMalformed},
		{"an archive with a longer name", func(w *world, _ map[string][]byte) {
			releaseFile(w, func(s string) string { return strings.Replace(s, "-1.1.0.tar.zst", "-beta-1.1.0.tar.zst", 1) })
		}, channel.KindMalformed},
		{"the archive of another version", func(w *world, _ map[string][]byte) {
			releaseFile(w, func(s string) string { return strings.Replace(s, "1.1.0.tar.zst", "1.0.0.tar.zst", 1) })
		}, channel.KindMalformed},

		// Thresholds and signatures.
		{"too few signatures under targets", func(w *world, _ map[string][]byte) {
			byOnline(w, "targets", forge(w, w.read(w.meta("targets")), func(s *targetsT) { s.Version++ }, w.keys["targets"][0]))
		}, channel.KindBadSignature},
		{"one signature twice under targets", func(w *world, _ map[string][]byte) {
			k := w.keys["targets"][0]
			byOnline(w, "targets", forge(w, w.read(w.meta("targets")), func(s *targetsT) { s.Version++ }, k, k))
		}, channel.KindMalformed},
		{"a signature by the wrong role", func(w *world, _ map[string][]byte) {
			w.srv.files["metadata/timestamp.json"] = forge(w, w.read("metadata/timestamp.json"), func(s *timestampT) { s.Version++ }, old(w, "snapshot"))
		}, channel.KindBadSignature},
		{"a timestamp without signatures", func(w *world, _ map[string][]byte) {
			w.srv.files["metadata/timestamp.json"] = forge(w, w.read("metadata/timestamp.json"), func(s *timestampT) { s.Version++ })
		}, channel.KindMalformed},
		{"a changed byte under the old signature", func(w *world, _ map[string][]byte) {
			w.srv.files["metadata/timestamp.json"] = bytes.Replace(w.read("metadata/timestamp.json"), []byte(`"version":2}}`), []byte(`"version":3}}`), 1)
		}, channel.KindBadSignature},
		{"a key twice, under a signature that fits", func(w *world, _ map[string][]byte) {
			w.srv.files["metadata/timestamp.json"] = bytes.Replace(w.read("metadata/timestamp.json"), []byte(`"version":2}}`), []byte(`"version":3,"version":2}}`), 1)
		}, channel.KindMalformed},
		{"a root signed by new keys alone", func(w *world, _ map[string][]byte) {
			k := []*trust.Signer{newSigner(w.t), newSigner(w.t)}
			root(w, func(s *rootT) { setRole(w, s, "root", 2, k...) }, k...)
		}, channel.KindBadSignature},
		{"a root signed by the old keys alone", func(w *world, _ map[string][]byte) {
			root(w, func(s *rootT) { setRole(w, s, "root", 2, newSigner(w.t), newSigner(w.t)) })
		}, channel.KindBadSignature},
		{"a root signed by one key of two", func(w *world, _ map[string][]byte) {
			root(w, nil, w.keys["root"][0])
		}, channel.KindBadSignature},
		{"threshold 0 in the root", func(w *world, _ map[string][]byte) {
			root(w, func(s *rootT) { s.Roles["timestamp"].Threshold = 0 })
		}, channel.KindMalformed},
		{"threshold -1 in the root", func(w *world, _ map[string][]byte) {
			root(w, func(s *rootT) { s.Roles["timestamp"].Threshold = -1 })
		}, channel.KindMalformed},
		{"a threshold nobody can reach", func(w *world, _ map[string][]byte) {
			root(w, func(s *rootT) { s.Roles["timestamp"].Threshold = 2 })
		}, channel.KindMalformed},
		{"threshold 0 of the channel", func(w *world, _ map[string][]byte) {
			targets(w, func(s *targetsT) { s.Delegations.Roles[0].Threshold = 0 })
		}, channel.KindMalformed},
		{"one key id twice", func(w *world, _ map[string][]byte) {
			root(w, func(s *rootT) {
				r := s.Roles["timestamp"]
				r.KeyIDs, r.Threshold = append(r.KeyIDs, r.KeyIDs[0]), 2
			})
		}, channel.KindMalformed},
		{"one key under two ids", func(w *world, _ map[string][]byte) {
			root(w, func(s *rootT) {
				r := s.Roles["timestamp"]
				k := *s.Keys[r.KeyIDs[0]]
				twin := metadata.Key{Type: metadata.KeyTypeECDSA_SHA2_P256_COMPAT, Scheme: k.Scheme, Value: k.Value}
				id, err := twin.ID()
				w.must(err)
				s.Keys[id] = &twin
				r.KeyIDs, r.Threshold = append(r.KeyIDs, id), 2
			})
		}, channel.KindMalformed},
		{"a key under another's id", func(w *world, _ map[string][]byte) {
			root(w, func(s *rootT) { s.Keys[s.Roles["timestamp"].KeyIDs[0]] = s.Keys[s.Roles["snapshot"].KeyIDs[0]] })
		}, channel.KindMalformed},
		{"a key of another kind", func(w *world, _ map[string][]byte) {
			root(w, func(s *rootT) {
				k := &metadata.Key{Type: metadata.KeyTypeEd25519, Scheme: metadata.KeySchemeEd25519, Value: metadata.KeyVal{PublicKey: "abcd"}}
				id, err := k.ID()
				w.must(err)
				s.Keys[id] = k
				s.Roles["timestamp"].KeyIDs = []string{id}
			})
		}, channel.KindMalformed},
		{"a root without consistent snapshots", func(w *world, _ map[string][]byte) {
			root(w, func(s *rootT) { s.ConsistentSnapshot = false })
		}, channel.KindMalformed},
		{"a root without a role", func(w *world, _ map[string][]byte) {
			root(w, func(s *rootT) { delete(s.Roles, "snapshot") })
		}, channel.KindMalformed},

		// Delegations.
		{"another role in charge before the channel", func(w *world, _ map[string][]byte) {
			targets(w, func(s *targetsT) {
				evil := s.Delegations.Roles[0]
				evil.Name, evil.Paths = "evil", []string{"*/*.json"}
				s.Delegations.Roles = append([]metadata.DelegatedRole{evil}, s.Delegations.Roles...)
			})
		}, channel.KindMalformed},
		{"a second role when the channel is silent", func(w *world, _ map[string][]byte) {
			targets(w, func(s *targetsT) {
				s.Delegations.Roles[0].Terminating = false
				evil := s.Delegations.Roles[0]
				evil.Name = "evil"
				s.Delegations.Roles = append(s.Delegations.Roles, evil)
			})
			files := w.srv.files
			w.srv.files = map[string][]byte{}
			for p, data := range files {
				w.srv.files[p] = data
			}
			stable(w, func(s *targetsT) {
				f := s.Targets["stable/linux-amd64.json"]
				s.Targets = map[string]*metadata.TargetFiles{"stable/else.json": f}
			})
		}, channel.KindNotOffered},
		{"the channel twice", func(w *world, _ map[string][]byte) {
			targets(w, func(s *targetsT) { s.Delegations.Roles = append(s.Delegations.Roles, s.Delegations.Roles[0]) })
		}, channel.KindMalformed},
		{"the release beside the channel", func(w *world, _ map[string][]byte) {
			targets(w, func(s *targetsT) { s.Targets["stable/linux-amd64.json"] = s.Targets["keys.json"] })
		}, channel.KindMalformed},
		{"delegation to bins", func(w *world, _ map[string][]byte) {
			targets(w, func(s *targetsT) {
				s.Delegations.SuccinctRoles = &metadata.SuccinctRoles{KeyIDs: s.Delegations.Roles[0].KeyIDs, Threshold: 1, BitLength: 4, NamePrefix: "bin"}
				s.Delegations.Roles = nil
			})
		}, channel.KindMalformed},
		{"a channel named as a role of TUF", func(w *world, _ map[string][]byte) {
			targets(w, func(s *targetsT) { s.Delegations.Roles[0].Name = "timestamp" })
		}, channel.KindMalformed},
		{"no list of keys", func(w *world, _ map[string][]byte) {
			targets(w, func(s *targetsT) { delete(s.Targets, "keys.json") })
		}, channel.KindMalformed},

		// Names.
		{"a role that climbs", func(w *world, _ map[string][]byte) {
			targets(w, func(s *targetsT) { s.Delegations.Roles[0].Name = "../../stable" })
		}, channel.KindMalformed},
		{"metadata that climbs", func(w *world, _ map[string][]byte) {
			snapshot(w, func(s *snapshotT) { s.Meta["../x.json"] = s.Meta["stable.json"] })
		}, channel.KindMalformed},
		{"a target that climbs", func(w *world, _ map[string][]byte) {
			stable(w, func(s *targetsT) { s.Targets["stable/../../x"] = s.Targets["stable/linux-amd64.json"] })
		}, channel.KindMalformed},
		{"an absolute target", func(w *world, _ map[string][]byte) {
			stable(w, func(s *targetsT) { s.Targets["/etc/passwd"] = s.Targets["stable/linux-amd64.json"] })
		}, channel.KindMalformed},
		{"a target with a backslash", func(w *world, _ map[string][]byte) {
			stable(w, func(s *targetsT) { s.Targets[`stable\x`] = s.Targets["stable/linux-amd64.json"] })
		}, channel.KindMalformed},
		{"an archive that climbs", func(w *world, _ map[string][]byte) {
			releaseFile(w, func(s string) string { return strings.Replace(s, "piwork-runtime", "../piwork-runtime", 1) })
		}, channel.KindMalformed},

		// Forms, lengths and hashes.
		{"hashes of another kind", func(w *world, _ map[string][]byte) {
			timestamp(w, func(s *timestampT) {
				h := s.Meta["snapshot.json"].Hashes
				h["sha512"] = append(h["sha256"], h["sha256"]...)
			})
		}, channel.KindMalformed},
		{"a snapshot without a hash", func(w *world, _ map[string][]byte) {
			timestamp(w, func(s *timestampT) { s.Meta["snapshot.json"].Hashes = nil })
		}, channel.KindMalformed},
		{"a snapshot without a length", func(w *world, _ map[string][]byte) {
			timestamp(w, func(s *timestampT) { s.Meta["snapshot.json"].Length = 0 })
		}, channel.KindMalformed},
		{"a wrong length", func(w *world, _ map[string][]byte) {
			timestamp(w, func(s *timestampT) { s.Meta["snapshot.json"].Length++ })
		}, channel.KindWrongContent},
		{"a wrong hash of the key list", func(w *world, _ map[string][]byte) {
			targets(w, func(s *targetsT) {
				f := s.Targets["keys.json"]
				path := channel.TargetPath(strings.Repeat("00", 32), "keys.json")
				w.srv.files[path] = w.read(channel.TargetPath(f.Hashes["sha256"].String(), "keys.json"))
				f.Hashes["sha256"] = make([]byte, 32)
			})
		}, channel.KindWrongContent},
		{"a version beyond bounds", func(w *world, _ map[string][]byte) {
			timestamp(w, func(s *timestampT) { s.Version = 1<<62 + 1 })
		}, channel.KindMalformed},
		{"version 0", func(w *world, _ map[string][]byte) {
			timestamp(w, func(s *timestampT) { s.Version = 0 })
		}, channel.KindMalformed},
		{"another specification", func(w *world, _ map[string][]byte) {
			timestamp(w, func(s *timestampT) { s.SpecVersion = "2.0.0" })
		}, channel.KindMalformed},
		{"a release that is not JSON", func(w *world, _ map[string][]byte) { release(w, "no") }, channel.KindMalformed},
		{"a release of a later form", func(w *world, _ map[string][]byte) {
			releaseFile(w, func(s string) string { return strings.Replace(s, `"schema": 1`, `"schema": 2`, 1) })
		}, channel.KindNewerForm},
		{"an archive larger than any", func(w *world, _ map[string][]byte) {
			releaseFile(w, func(s string) string { return strings.Replace(s, `"length": 16`, `"length": 99999999999999`, 1) })
		}, channel.KindMalformed},

		// Missing files.
		{"a snapshot that is not there", func(w *world, _ map[string][]byte) {
			w.srv.files["metadata/2.snapshot.json"] = nil
		}, channel.KindMissing},
		{"a timestamp that is not there", func(w *world, _ map[string][]byte) {
			w.srv.files["metadata/timestamp.json"] = nil
		}, channel.KindUnreachable},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w, before := newAttacked(t)
			tc.do(w, before)
			known := "1.0.0"
			if last, err := w.c.Last(); err == nil { // some attacks begin later
				known = last.Version
			}
			if tc.want == channel.KindNotOffered {
				known = "" // believed: the channel has the say
			}
			w.refuses(tc.want, known)
			if fetched(w.srv.asked(), "evil") {
				t.Error("asked the second role")
			}

			// When the attack ends, so does its effect. What was signed with
			// stolen keys may have to be outnumbered first.
			if w.now.Before(start.Add(7*24*hour)) && tc.name != "an expired root" && tc.want != channel.KindNotOffered {
				clear(w.srv.files)
				for range 2 {
					w.change(func(r *repo.Repo) error { return errors.Join(r.Renew("stable"), r.Renew("targets")) })
				}
				w.offers("1.1.0")
			}
		})
	}
}

// setRole gives a role of the root new keys.
func setRole(w *world, root *rootT, role string, threshold int, signers ...*trust.Signer) {
	w.t.Helper()
	r := &metadata.Role{Threshold: threshold}
	for _, s := range signers {
		k, err := metadata.KeyFromPublicKey(public(w.t, s))
		w.must(err)
		id, err := k.ID()
		w.must(err)
		root.Keys[id] = k
		r.KeyIDs = append(r.KeyIDs, id)
	}
	root.Roles[role] = r
}
