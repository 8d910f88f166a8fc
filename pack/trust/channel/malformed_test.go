package channel_test

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"piwork/pack/trust/channel"
)

// malformed files of metadata that made parsers stumble, or could. %T stands for
// the type of the role.
var malformed = map[string]string{
	"empty":                      ``,
	"not JSON":                   `<html>sign in to this network</html>`,
	"cut":                        `{"signed":{"_type":"%T"`,
	"null":                       `null`,
	"a list":                     `[]`,
	"a number":                   `1`,
	"nothing signed":             `{"signatures":[]}`,
	"signed null":                `{"signatures":[],"signed":null}`,
	"signed text":                `{"signatures":[],"signed":"x"}`,
	"no type":                    `{"signatures":[],"signed":{}}`,
	"type only":                  `{"signatures":[],"signed":{"_type":"%T"}}`,
	"null target":                `{"signatures":[],"signed":{"_type":"targets","spec_version":"1.0.31","version":1,"expires":"2030-01-01T00:00:00Z","targets":{"a":null}}}`,
	"null key":                   `{"signatures":[],"signed":{"_type":"root","spec_version":"1.0.31","version":2,"expires":"2030-01-01T00:00:00Z","consistent_snapshot":true,"keys":{"a":null},"roles":{"root":null}}}`,
	"null meta":                  `{"signatures":[],"signed":{"_type":"%T","spec_version":"1.0.31","version":2,"expires":"2030-01-01T00:00:00Z","meta":{"snapshot.json":null}}}`,
	"no meta":                    `{"signatures":[],"signed":{"_type":"%T","spec_version":"1.0.31","version":2,"expires":"2030-01-01T00:00:00Z","meta":{}}}`,
	"null signature":             `{"signatures":[null],"signed":{"_type":"%T","spec_version":"1.0.31","version":2,"expires":"2030-01-01T00:00:00Z"}}`,
	"odd hex":                    `{"signatures":[{"keyid":"` + strings.Repeat("a", 64) + `","sig":"abc"}],"signed":{"_type":"%T"}}`,
	"a key twice":                `{"signatures":[],"signed":{"_type":"%T","version":1,"version":2}}`,
	"a key twice, in two cases":  `{"signatures":[],"signed":{"_type":"%T","version":1,"VERSION":2}}`,
	"a fraction":                 `{"signatures":[],"signed":{"_type":"%T","version":1.5}}`,
	"a large number":             `{"signatures":[],"signed":{"_type":"%T","version":99999999999999999999999999}}`,
	"an exponent":                `{"signatures":[],"signed":{"_type":"%T","version":1e3}}`,
	"deep":                       strings.Repeat(`{"signed":`, 900) + `1` + strings.Repeat(`}`, 900),
	"deep lists":                 strings.Repeat(`[`, 8000) + strings.Repeat(`]`, 8000),
	"broken UTF-8":               "{\"signatures\":[],\"signed\":{\"_type\":\"%T\",\"x\":\"\xff\"}}",
	"more after the end":         `{"signatures":[],"signed":{"_type":"%T"}} {}`,
	"a letter that folds to s":   `{"ſigned":{"_type":"%T"}}`,
	"an expiry that is no time":  `{"signatures":[],"signed":{"_type":"%T","spec_version":"1.0.31","version":2,"expires":"soon"}}`,
	"negative threshold":         `{"signatures":[],"signed":{"_type":"%T","roles":{"root":{"threshold":-1}}}}`,
	"bins beyond 32 bits":        `{"signatures":[],"signed":{"_type":"targets","version":1,"targets":{},"delegations":{"succinct_roles":{"bit_length":99}}}}`,
	"roles of delegations a map": `{"signatures":[],"signed":{"_type":"targets","version":1,"targets":{},"delegations":{"roles":{}}}}`,
}

// TestMalformed: no answer of a server makes the client panic, or pass; before a
// signature was looked at, and also where the keys of snapshot and timestamp
// vouch for the bytes.
func TestMalformed(t *testing.T) {
	for name, text := range malformed {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.knows()
			for role, path := range map[string]string{"root": "metadata/2.root.json", "timestamp": "metadata/timestamp.json"} {
				clear(w.srv.files)
				w.srv.files[path] = []byte(strings.ReplaceAll(text, "%T", role))
				w.refuses(channel.KindMalformed, "1.0.0")
			}
			for role, kind := range map[string]string{"snapshot": "snapshot", "targets": "targets", "stable": "targets"} {
				clear(w.srv.files)
				data := []byte(strings.ReplaceAll(text, "%T", kind))
				if len(data) == 0 {
					continue // cannot even be vouched for
				}
				w.knows()
				vouch(w, role, data)
				w.refuses(channel.KindMalformed, "1.0.0")
			}
		})
	}
}

// vouch serves bytes as metadata of a role under signatures of snapshot and
// timestamp.
func vouch(w *world, role string, data []byte) {
	w.t.Helper()
	snap := data
	if role != "snapshot" {
		snap = forge(w, w.read(w.meta("snapshot")), func(s *snapshotT) {
			s.Version++
			s.Meta[role+".json"] = metaFile(w, 2, data)
		}, w.keys["snapshot"][0])
		w.srv.files["metadata/2."+role+".json"] = data
	}
	w.srv.files["metadata/2.snapshot.json"] = snap
	w.srv.files["metadata/timestamp.json"] = forge(w, w.read("metadata/timestamp.json"), func(s *timestampT) {
		s.Version++
		s.Meta["snapshot.json"] = metaFile(w, 2, snap)
	}, w.keys["timestamp"][0])
}

// FuzzServed hands bytes to a client as each file that it parses before, or
// without, a signature.
func FuzzServed(f *testing.F) {
	for _, text := range malformed {
		f.Add([]byte(strings.ReplaceAll(text, "%T", "timestamp")), uint8(1))
		f.Add([]byte(strings.ReplaceAll(text, "%T", "root")), uint8(0))
	}
	var root []byte
	base := fstest.MapFS{}
	f.Fuzz(func(t *testing.T, data []byte, which uint8) {
		if root == nil {
			w := newWorld(t)
			root = w.root
			for path, content := range w.copyRepo() {
				base[path] = &fstest.MapFile{Data: content}
			}
		}
		path := []string{"metadata/2.root.json", "metadata/timestamp.json"}[which%2]
		served := fstest.MapFS{path: {Data: data}}
		for p, file := range base {
			if p != path {
				served[p] = file
			}
		}
		c, err := channel.Open(channel.Options{Root: root, Dir: t.TempDir(), Name: "stable", Host: host,
			Fetch: channel.FromFS(served), Now: func() time.Time { return start }})
		if err != nil {
			t.Fatal(err)
		}
		if original := base[path]; original != nil && bytes.Equal(original.Data, data) {
			return
		}
		if r, err := c.Refresh(context.Background()); err == nil {
			t.Errorf("accepted %q, offered %s", data, r.Version)
		}
	})
}

// FuzzRoot: no root.json makes Open panic; one that is not signed by itself is
// refused.
func FuzzRoot(f *testing.F) {
	for _, text := range malformed {
		f.Add([]byte(strings.ReplaceAll(text, "%T", "root")))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := channel.Open(channel.Options{Root: data, Dir: t.TempDir(), Name: "stable"})
		if err == nil && c == nil {
			t.Error("no client and no error")
		}
	})
}

func FuzzRelease(f *testing.F) {
	data, err := channel.EncodeRelease(channel.Release{Version: "1.0.0", Published: start, RequiresApp: ">=0.1.0", Notes: "new",
		Archive: channel.Target{Name: "piwork-runtime-linux-amd64-1.0.0.tar.zst", Length: 9, SHA256: strings.Repeat("0a", 32), Head: 3, Manifest: strings.Repeat("0c", 32)},
		AddOns:  map[string]channel.Target{"media": {Name: "piwork-addon-media-x86_64-1.0.0.tar.zst", Length: 9, SHA256: strings.Repeat("0b", 32), Head: 4, Manifest: strings.Repeat("0d", 32)}},
	}, host)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`{"schema":1,"version":"1.0.0","archive":{"name":"../x.tar.zst","length":1,"sha256":""}}`))
	f.Add([]byte(`{"schema":1,"addOns":{"../x":{}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := channel.ParseRelease(data, host)
		if err != nil {
			return
		}
		for _, a := range append([]channel.Target{r.Archive}, values(r.AddOns)...) {
			if strings.Contains(a.Path, "..") || strings.Contains(a.Path, `\`) || !strings.HasPrefix(a.Path, "targets/packs/") ||
				a.Length < 1 || a.Head < 1 || a.Head > a.Length || strings.Count(a.Path, "/") != 2 {
				t.Errorf("accepted %+v", a)
			}
		}
		again, err := channel.EncodeRelease(*r, host)
		if err != nil {
			t.Fatalf("read and not written: %v", err)
		}
		if b, err := channel.ParseRelease(again, host); err != nil || b.Version != r.Version || b.Archive != r.Archive {
			t.Errorf("read %+v, written and read %+v, %v", r, b, err)
		}
	})
}

func values(m map[string]channel.Target) []channel.Target {
	var out []channel.Target
	for _, t := range m {
		out = append(out, t)
	}
	return out
}

func FuzzKeyList(f *testing.F) {
	k, id := signingKey(f, "release-2026", newSigner(f))
	data, err := channel.EncodeKeyList(channel.KeyList{Signing: []channel.SigningKey{k}, Revoked: []channel.RevokedKey{{ID: strings.Repeat("ab", 32), Reason: "stolen"}}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`{"schema":1,"signing":[{"id":"` + id + `","name":"a","public":""}],"revoked":[]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := channel.ParseKeyList(data)
		if err != nil {
			return
		}
		if _, err := channel.EncodeKeyList(*l); err != nil {
			t.Errorf("read and not written: %v", err)
		}
	})
}

// FuzzState: whatever stands in the cache, reading it neither panics nor yields a
// release or a key that the root does not vouch for.
func FuzzState(f *testing.F) {
	f.Add([]byte(`{"schema":1,"roots":["bnVsbA=="],"good":{"timestamp":"bnVsbA==","snapshot":"bnVsbA==","targets":"bnVsbA==","keys":"","offered":{"channel":"stable","host":"linux-amd64"}},"seen":"2026-03-01T12:00:00Z"}`))
	f.Add([]byte(`{"schema":1,"revoked":[{"id":"x"}]}`))
	f.Add([]byte(`{"schema":1,"seen":"9999-12-31T23:59:59Z"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		w := newWorld(t)
		if err := os.MkdirAll(w.home, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(w.home+"/trusted.json", data, 0o600); err != nil {
			t.Fatal(err)
		}
		if r, err := w.c.Last(); err == nil && r.Version != "1.0.0" {
			t.Errorf("offers %s", r.Version)
		}
		if l, err := channel.Keys(w.root, w.home); err == nil && len(l.Signing) > 1 {
			t.Errorf("keys %+v", l)
		}
	})
}
