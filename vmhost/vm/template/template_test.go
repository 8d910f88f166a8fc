package template

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"
)

const (
	keyA = "aaaaaaaaaaaaaaaaaaaa"
	keyB = "bbbbbbbbbbbbbbbbbbbb"
	keyC = "cccccccccccccccccccc"
)

func open(t testing.TB) *Store {
	t.Helper()
	s, err := Open(filepath.Join(t.TempDir(), "templates"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// fill puts a small machine into a staging.
func fill(t testing.TB, g *Staging, content string) {
	t.Helper()
	for _, name := range parts {
		f, err := os.Create(g.Path(name))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteAt([]byte(content+name), 3*digestBlock+5); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(f.Truncate(10<<20), f.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

func makeOne(t testing.TB, s *Store, key, content string) (*Template, error) {
	t.Helper()
	g, err := s.Stage(t.Context(), key, 0)
	if err != nil {
		t.Fatal(err)
	}
	fill(t, g, content)
	g.Note = json.RawMessage(`{"of":"` + key + `"}`)
	return g.Commit(t.Context())
}

// contentOf returns what fill wrote, "" without a template.
func contentOf(t testing.TB, s *Store, key string) string {
	t.Helper()
	tpl, err := s.Lookup(key)
	if errors.Is(err, ErrNone) {
		return ""
	}
	if err != nil {
		t.Fatalf("what is there is not whole: %v", err)
	}
	if err := tpl.Verify(t.Context()); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(tpl.Path(RAM))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(strings.Trim(string(b), "\x00"), RAM)
}

func names(t testing.TB, s *Store) string {
	t.Helper()
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	var n []string
	for _, e := range entries {
		if e.Name() != lockFile {
			n = append(n, e.Name())
		}
	}
	return strings.Join(n, " ")
}

func TestCommit(t *testing.T) {
	s := open(t)
	if _, err := s.Lookup(keyA); !errors.Is(err, ErrNone) {
		t.Errorf("Lookup in nothing: %v", err)
	}
	if err := s.Sweep(0); err != nil {
		t.Errorf("Sweep of nothing: %v", err)
	}
	if err := s.Drop(keyA); err != nil {
		t.Errorf("Drop in nothing: %v", err)
	}
	tpl, err := makeOne(t, s, keyA, "one")
	if err != nil {
		t.Fatal(err)
	}
	var note struct{ Of string }
	if err := json.Unmarshal(tpl.Note(), &note); err != nil || note.Of != keyA {
		t.Errorf("note %s: %v", tpl.Note(), err)
	}
	if n := tpl.Bytes(); n <= 0 || n > 20<<20 {
		t.Errorf("%d bytes", n)
	}
	if got := contentOf(t, s, keyA); got != "one" {
		t.Errorf("content %q", got)
	}
	if _, err := makeOne(t, s, keyA, "two"); err != nil {
		t.Fatal(err)
	}
	if got := contentOf(t, s, keyA); got != "two" {
		t.Errorf("content %q", got)
	}
	if got := names(t, s); got != keyA {
		t.Errorf("files: %s", got)
	}
	fi, err := os.Stat(filepath.Join(s.dir, keyA))
	if err != nil || fi.Mode().Perm() != 0o700 {
		t.Errorf("%v %v", fi.Mode(), err)
	}
	g, err := s.Stage(t.Context(), keyB, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(g.Abandon(), g.Abandon()); err != nil {
		t.Error(err)
	}
	if got := names(t, s); got != keyA {
		t.Errorf("files: %s", got)
	}
}

var errKilled = errors.New("killed")

// A kill at every step of making a template leaves a whole one or none, and
// nothing that Sweep does not remove.
func TestKillAtEveryStep(t *testing.T) {
	for _, before := range []string{"", "old"} {
		for n := 0; ; n++ {
			s := open(t)
			if before != "" {
				if _, err := makeOne(t, s, keyA, before); err != nil {
					t.Fatal(err)
				}
			}
			g, err := s.Stage(t.Context(), keyA, 0)
			if err != nil {
				t.Fatal(err)
			}
			fill(t, g, "new")
			left, at := n, ""
			s.step = func(name string) error {
				if left--; left < 0 {
					at = name
					return errKilled
				}
				return nil
			}
			_, err = g.commit(context.Background()) // without the clean-up of Commit: nobody is there to do it
			if err := g.lock.Close(); err != nil {  // the system does this
				t.Fatal(err)
			}
			again := &Store{dir: s.dir, step: func(string) error { return nil }, now: time.Now}
			got := contentOf(t, again, keyA)
			if err == nil {
				if got != "new" {
					t.Errorf("%q after all steps", got)
				}
				break
			}
			if !errors.Is(err, errKilled) || got != "" && got != before && got != "new" {
				t.Errorf("killed before %q over %q: %v; there is %q", at, before, err, got)
			}
			if err := again.Sweep(1); err != nil {
				t.Error(err)
			}
			if got := names(t, again); got != "" && got != keyA {
				t.Errorf("killed before %q: left %s", at, got)
			}
			if _, err := makeOne(t, again, keyA, "next"); err != nil || contentOf(t, again, keyA) != "next" {
				t.Errorf("killed before %q: the next attempt: %v", at, err)
			}
		}
	}
}

// Commit cleans up after an error.
func TestCommitFails(t *testing.T) {
	s := open(t)
	s.step = func(name string) error {
		if name == "rename" {
			return errKilled
		}
		return nil
	}
	if _, err := makeOne(t, s, keyA, "x"); !errors.Is(err, errKilled) {
		t.Errorf("Commit: %v", err)
	}
	g, err := s.Stage(t.Context(), keyA, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Commit(t.Context()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Commit without files: %v", err)
	}
	if got := names(t, s); got != "" {
		t.Errorf("left %s", got)
	}
}

func TestDamaged(t *testing.T) {
	for name, damage := range map[string]func(dir string) error{
		"no info":      func(d string) error { return os.Remove(filepath.Join(d, infoFile)) },
		"torn info":    func(d string) error { return os.Truncate(filepath.Join(d, infoFile), 20) },
		"another info": func(d string) error { return os.WriteFile(filepath.Join(d, infoFile), []byte(`{"v":2}`), 0o600) },
		"another's info": func(d string) error {
			return os.WriteFile(filepath.Join(d, infoFile), []byte(`{"v":1,"key":"`+keyB+`"}`), 0o600)
		},
		"no file lists": func(d string) error {
			return os.WriteFile(filepath.Join(d, infoFile), []byte(`{"v":1,"key":"`+keyA+`"}`), 0o600)
		},
		"no memory":    func(d string) error { return os.Remove(filepath.Join(d, RAM)) },
		"short memory": func(d string) error { return os.Truncate(filepath.Join(d, RAM), 5<<20) },
		"long state":   func(d string) error { return os.Truncate(filepath.Join(d, State), 11<<20) },
		"a link": func(d string) error {
			p := filepath.Join(d, Disk)
			return errors.Join(os.Rename(p, p+".x"), os.Symlink(p+".x", p))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			tpl, err := makeOne(t, s, keyA, "x")
			if err != nil {
				t.Fatal(err)
			}
			if err := damage(tpl.Dir); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Lookup(keyA); !errors.Is(err, ErrDamaged) {
				t.Errorf("Lookup: %v", err)
			}
			if err := s.Drop(keyA); err != nil {
				t.Error(err)
			}
			if _, err := s.Lookup(keyA); !errors.Is(err, ErrNone) {
				t.Errorf("after Drop: %v", err)
			}
		})
	}
}

// A byte that changed anywhere is found by Verify.
func TestVerify(t *testing.T) {
	for _, at := range []int64{0, 3*digestBlock + 5, 9 << 20} {
		for _, name := range parts {
			s := open(t)
			tpl, err := makeOne(t, s, keyA, "x")
			if err != nil {
				t.Fatal(err)
			}
			f, err := os.OpenFile(tpl.Path(name), os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			if err := tpl.Verify(t.Context()); err != nil {
				t.Error(err)
			}
			if _, err := f.WriteAt([]byte{0xff}, at); err != nil {
				t.Fatal(err)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
			if err := tpl.Verify(t.Context()); !errors.Is(err, ErrDamaged) {
				t.Errorf("%s at %d: %v", name, at, err)
			}
		}
	}
	s := open(t)
	tpl, err := makeOne(t, s, keyA, "x")
	if err != nil {
		t.Fatal(err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := tpl.Verify(over); !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v", err)
	}
}

// What a file system keeps as a hole counts the same as zeros.
func TestDigestOfHoles(t *testing.T) {
	dir := t.TempDir()
	dense, sparse := filepath.Join(dir, "dense"), filepath.Join(dir, "sparse")
	b := make([]byte, 5*digestBlock+77)
	b[2*digestBlock+9] = 1
	if err := os.WriteFile(dense, b, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(sparse)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte{1}, 2*digestBlock+9); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Truncate(int64(len(b))), f.Close()); err != nil {
		t.Fatal(err)
	}
	one, err := digest(t.Context(), dense)
	if err != nil {
		t.Fatal(err)
	}
	if two, err := digest(t.Context(), sparse); err != nil || two != one {
		t.Errorf("%s and %s, %v", one, two, err)
	}
	if err := os.Truncate(sparse, int64(len(b))+1); err != nil {
		t.Fatal(err)
	}
	if two, err := digest(t.Context(), sparse); err != nil || two == one {
		t.Errorf("a longer file: %s, %v", two, err)
	}
}

func TestSweep(t *testing.T) {
	s := open(t)
	now := time.Now()
	for i, key := range []string{keyA, keyB, keyC} {
		tpl, err := makeOne(t, s, key, key)
		if err != nil {
			t.Fatal(err)
		}
		s.now = func() time.Time { return now.Add(time.Duration(i) * time.Hour) }
		s.Touch(tpl)
		if err := s.NoteFailure(key, errKilled); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{stagingName + "1", goneName + "2"} {
		if err := os.MkdirAll(filepath.Join(s.dir, name, "x"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(s.dir, "somebody's"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	// While another process makes one, its staging stays.
	l := flock.New(filepath.Join(s.dir, lockFile))
	if ok, err := l.TryLock(); !ok || err != nil {
		t.Fatal(ok, err)
	}
	if err := s.Sweep(1, keyA); err != nil {
		t.Error(err)
	}
	if got, want := names(t, s), strings.Join([]string{stagingName + "1", keyA, keyA + failedName, keyC, "somebody's"}, " "); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Sweep(0); err != nil {
		t.Error(err)
	}
	if got := names(t, s); got != "somebody's" {
		t.Errorf("left %s", got)
	}
}

func TestStageWaitsForItsTurn(t *testing.T) {
	s := open(t)
	g, err := s.Stage(t.Context(), keyA, 0)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := s.Stage(ctx, keyB, 0); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a second one: %v", err)
	}
	time.AfterFunc(50*time.Millisecond, func() { _ = g.Abandon() })
	second, err := s.Stage(t.Context(), keyB, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := second.Abandon(); err != nil {
		t.Error(err)
	}
	if _, err := s.Stage(t.Context(), keyA, 1<<60); !errors.Is(err, ErrNoSpace) {
		t.Errorf("more than there is: %v", err)
	}
}

func TestFailures(t *testing.T) {
	s := open(t)
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s.now = func() time.Time { return now }
	may := func(want bool) {
		t.Helper()
		if _, got := s.MayTry(keyA); got != want {
			t.Errorf("may try: %v", got)
		}
	}
	may(true)
	for i, pause := range pauses {
		if err := s.NoteFailure(keyA, errors.New(strings.Repeat("no ", 10000))); err != nil {
			t.Fatal(err)
		}
		if f, ok := s.Failed(keyA); !ok || f.Attempts != i+1 || len(f.Reason) > maxReason || !f.Last.Equal(now) {
			t.Errorf("%+v %v", f, ok)
		}
		if pause > 0 {
			now = now.Add(pause - 1)
			may(false)
			now = now.Add(1)
		}
		may(true)
	}
	if err := s.NoteFailure(keyA, errKilled); err != nil {
		t.Fatal(err)
	}
	now = now.Add(pauses[len(pauses)-1] - 1)
	may(false)
	now = now.Add(-365 * 24 * time.Hour) // the clock was wrong
	may(true)
	if err := os.WriteFile(s.failedPath(keyA), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	may(true)
	if err := s.NoteFailure(keyA, errKilled); err != nil {
		t.Fatal(err)
	}
	if _, err := makeOne(t, s, keyA, "x"); err != nil {
		t.Fatal(err)
	}
	if _, ok := s.Failed(keyA); !ok {
		t.Error("that a template could be made is no proof that it works")
	}
	s.Forget(keyA)
	s.Forget("../x")
	if _, ok := s.Failed(keyA); ok {
		t.Error("not forgotten")
	}
}

// Keys are names, nothing else.
func TestKeys(t *testing.T) {
	s := open(t)
	outside := filepath.Join(filepath.Dir(s.dir), "outside")
	if err := os.Mkdir(outside, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"", ".", "..", "../outside", "short", strings.Repeat("g", 20), strings.Repeat("a", 65), keyA + "/.."} {
		if _, err := s.Stage(t.Context(), key, 0); err == nil {
			t.Errorf("%q: staged", key)
		}
		if _, err := s.Lookup(key); !errors.Is(err, ErrNone) {
			t.Errorf("%q: %v", key, err)
		}
		if err := s.NoteFailure(key, errKilled); err == nil {
			t.Errorf("%q: noted", key)
		}
		_ = s.Drop(key)
	}
	if _, err := os.Stat(outside); err != nil {
		t.Error(err)
	}
	if _, err := Open("relative"); err == nil {
		t.Error("a relative directory")
	}
}
