//go:build unix

package review

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"piwork/vmhost/share/internal/wal"
)

// A log that says nonsense in whole frames (a line of the input each; damaged
// ones are cut off by internal/wal) never ends the program, reads or changes
// anything outside, or hurts the original; what is opened can be walked, listed,
// applied and forgotten.
func FuzzLog(f *testing.F) {
	w := crashSeeded(f, f.TempDir())
	w.begin()
	crashTask(w, func() {})
	w.end()
	var lines []byte
	l, err := wal.Open(filepath.Join(w.own, "log"), magic, func(body []byte, _ int64) error {
		lines = append(append(lines, body...), '\n')
		return nil
	}, nil)
	w.check(err)
	w.check(l.Close())
	f.Add(lines)
	for _, text := range []string{
		`{"n":[{"n":2,"k":2},{"n":3,"k":2}],"m":[{"e":4,"p":2,"n":"YQ==","o":3},{"e":5,"p":3,"n":"YQ==","o":2}]}`,
		`{"n":[{"n":2,"k":2,"b":"ZA==","s":{"k":2,"m":493,"t":{"s":0},"c":{"s":0},"i":{"d":0,"i":0}}}],"m":[{"e":3,"p":2,"n":"YQ==","o":2}]}`,
		`{"n":[{"n":2,"k":1,"b":"Li4vc2VjcmV0","s":{"k":1,"m":420,"t":{"s":0},"c":{"s":0},"i":{"d":0,"i":0}},"m":384}]}`,
		`{"n":[{"n":2,"k":1,"o":7,"m":420},{"n":3,"k":2,"m":420}],"m":[{"e":3,"p":1,"n":"YQ==","o":2,"s":{"k":1,"m":420,"t":{"s":0},"c":{"s":0},"i":{"d":0,"i":0}}},{"e":4,"p":1,"n":"eA==","o":3}]}`,
		`{"v":{"f":"YQ==","t":"YS9i"},"c":[1,2],"o":true}`,
		`{"y":"Li4vc2VjcmV0","l":1,"g":{"f":"YQ==","t":"Li4veA=="}}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, lines []byte) {
		log := []byte(magic)
		for line := range bytes.Lines(lines) {
			if framed, err := wal.Encode(log, bytes.TrimSuffix(line, []byte("\n"))); err == nil {
				log = framed
			}
		}
		base := t.TempDir()
		w := newWorld(t, base)
		w.check(seed(w.dir, "a", "d/b"))
		w.check(os.WriteFile(filepath.Join(base, "secret"), []byte("secret"), 0o600))
		before := w.original(withTimes)
		w.check(os.MkdirAll(w.own, 0o700))
		w.check(os.WriteFile(filepath.Join(w.own, "log"), log, 0o600))
		l, err := Open(w.own, w.dir, Options{Folder: "f1"})
		if err != nil {
			return
		}
		w.check(l.Close())
		w.begin()
		s := staged{w.s}
		for _, p := range []string{".", "a", "d", "d/b", "a/a", "n"} {
			_, _ = w.s.Lstat(p)
			if text, _ := s.read(p); strings.Contains(text, "secret") {
				t.Fatalf("%s: %q", p, text)
			}
			_, _ = s.list(p)
			_ = s.rename(p, "x")
		}
		if _, err := w.l.Changes(t.Context()); err != nil {
			t.Fatal(err)
		}
		if d := diff(before, w.original(withTimes)); d != "" {
			t.Fatalf("the original was changed:\n%s", d)
		}
		w.l.mu.Lock()
		_ = w.l.compact()
		w.l.mu.Unlock()
		_, _ = w.l.Apply(t.Context(), w.j, nil, ApplyOptions{})
		_, _ = w.l.Discard(t.Context(), nil, w.journal)
		w.end()
		if b, err := os.ReadFile(filepath.Join(base, "secret")); string(b) != "secret" {
			t.Fatalf("%q %v", b, err)
		}
	})
}

// What decode accepts encodes to the same.
func FuzzRecord(f *testing.F) {
	f.Add([]byte(`{"t":1,"n":[{"n":2,"k":1,"o":7,"m":420}],"m":[{"e":3,"p":1,"n":"YQ==","o":2}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := decode(body)
		if err != nil {
			return
		}
		one, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		again, err := decode(one)
		if err != nil {
			t.Fatalf("%s: %v", one, err)
		}
		if two, _ := json.Marshal(again); !bytes.Equal(one, two) {
			t.Fatalf("%s\n%s", one, two)
		}
	})
}
