package wal

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
)

const testMagic = "test-1\n"

func read(t *testing.T, path string) (*Log, []string) {
	t.Helper()
	var out []string
	l, err := Open(path, testMagic, func(b []byte) error {
		out = append(out, string(b))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return l, out
}

// Cut off or damaged anywhere, everything before the place is still there, and
// the log goes on from it.
func TestDamage(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "log")
	l, _ := read(t, path)
	var ends []int64
	for i := range 5 {
		if _, err := l.Append(bytes.Repeat([]byte{byte('a' + i)}, 10*(i+1))); err != nil {
			t.Fatal(err)
		}
		ends = append(ends, l.Length())
	}
	l.Close()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for at := range len(whole) {
		want := 0
		for _, e := range ends {
			if int64(at) >= e {
				want++
			}
		}
		damaged := slices.Clone(whole)
		damaged[at] ^= 1
		for what, b := range map[string][]byte{"cut": whole[:at], "damaged": damaged} {
			if err := os.WriteFile(path, b, 0o600); err != nil {
				t.Fatal(err)
			}
			if what == "damaged" && at < len(testMagic) {
				if _, err := Open(path, testMagic, nil); !errors.Is(err, ErrMagic) {
					t.Errorf("%s at %d: %v", what, at, err)
				}
				continue
			}
			l, got := read(t, path)
			if len(got) != want {
				t.Fatalf("%s at %d: %d records instead of %d", what, at, len(got), want)
			}
			if _, err := l.Append([]byte("more")); err != nil {
				t.Fatal(err)
			}
			l.Close()
			l, got = read(t, path)
			l.Close()
			if len(got) != want+1 || got[want] != "more" {
				t.Fatalf("%s at %d: %q", what, at, got)
			}
		}
	}
}

func TestReplaceAndWindow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	l, _ := read(t, path)
	big := bytes.Repeat([]byte("x"), 1<<20)
	for i := range 10 { // over several windows
		if _, err := l.Append(append([]byte{byte(i)}, big...), []byte("small")); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := l.Append(make([]byte, maxFrame+1)); !errors.Is(err, ErrTooLong) {
		t.Error(err)
	}
	l.Close()
	l, got := read(t, path)
	if len(got) != 20 || len(got[18]) != 1<<20+1 || got[19] != "small" {
		t.Fatalf("%d records", len(got))
	}
	bodies := func(yield func([]byte) bool) {
		for i := range 5000 {
			if !yield(fmt.Appendf(nil, "record %d %s", i, big[:1000])) {
				return
			}
		}
	}
	if err := l.Replace(bodies); err != nil {
		t.Fatal(err)
	}
	pos, err := l.Append([]byte("after"))
	if err = errors.Join(err, l.Sync(pos)); err != nil {
		t.Fatal(err)
	}
	if l.Position() != pos {
		t.Errorf("%d, %d", l.Position(), pos)
	}
	l.Close()
	l, got = read(t, path)
	defer l.Close()
	if len(got) != 5001 || got[5000] != "after" {
		t.Fatalf("%d records", len(got))
	}
}

func TestAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	l, _ := read(t, path)
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := range 50 {
				pos, err := l.Append(fmt.Appendf(nil, "%d.%d", w, i))
				if err = errors.Join(err, l.Sync(pos)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	l.Close()
	l, got := read(t, path)
	defer l.Close()
	if slices.Sort(got); len(slices.Compact(got)) != 200 {
		t.Errorf("%d records", len(got))
	}
}

func FuzzOpen(f *testing.F) {
	b, _ := Encode([]byte(testMagic), []byte("one"))
	b, _ = Encode(b, []byte("two"))
	f.Add(b)
	f.Add(b[:len(b)-1])
	f.Add([]byte(testMagic + "\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, b []byte) {
		path := filepath.Join(t.TempDir(), "log")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		var first []string
		l, err := Open(path, testMagic, func(b []byte) error {
			first = append(first, string(b))
			return nil
		})
		if err != nil {
			return
		}
		l.Close()
		l, again := read(t, path)
		l.Close()
		if !slices.Equal(first, again) {
			t.Fatalf("%q, then %q", first, again)
		}
	})
}
