package wal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
)

const testMagic = "test-1\n"

// marked frames are those of which no other than the test can have written one.
func marked(body []byte) bool { return string(body) == "a mark" }

func read(t *testing.T, path string) (*Log, []string) {
	t.Helper()
	raw, _ := os.ReadFile(path) // there is none at first
	var out []string
	l, err := Open(path, testMagic, func(b []byte, off int64) error {
		if at := raw[off : off+int64(len(b))]; !bytes.Equal(at, b) {
			t.Errorf("%q and not %q is at %d", at, b, off)
		}
		out = append(out, string(b))
		return nil
	}, marked)
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
				if _, err := Open(path, testMagic, nil, nil); !errors.Is(err, ErrMagic) {
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

// A new file whose name could not be made durable is the log all the same: whoever replaced
// it knows where things stand in it. It counts as durable when its name is.
func TestReplaceWithoutDurableName(t *testing.T) {
	t.Cleanup(func() { syncDir = SyncDir })
	path := filepath.Join(t.TempDir(), "log")
	l, _ := read(t, path)
	pos, err := l.Append([]byte("old"))
	if err = errors.Join(err, l.Sync(pos)); err != nil {
		t.Fatal(err)
	}
	wrong := errors.New("wrong")
	syncDir = func(string) error { return wrong }
	if err := l.Replace(func(_ io.ReaderAt, add func([]byte) (int64, error)) error {
		frame, _ := Encode(nil, []byte("new"))
		_, err := add(frame)
		return err
	}); err != nil {
		t.Errorf("replaced: %v", err)
	}
	if err := l.Sync(pos); !errors.Is(err, wrong) || l.Synced() >= pos {
		t.Errorf("its name is not durable: %v", err)
	}
	syncDir = SyncDir
	if err := l.Sync(pos); err != nil || l.Synced() != pos {
		t.Errorf("%v, up to %d of %d", err, l.Synced(), pos)
	}
	l.Close()
	l, got := read(t, path)
	defer l.Close()
	if len(got) != 1 || got[0] != "new" {
		t.Errorf("%q", got)
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
	// It fails in the middle: nothing has changed.
	wrong := errors.New("wrong")
	if err := l.Replace(func(_ io.ReaderAt, add func([]byte) (int64, error)) error {
		frame, _ := Encode(nil, big)
		_, err := add(frame)
		return errors.Join(err, wrong)
	}); !errors.Is(err, wrong) {
		t.Error(err)
	}
	l.Close()
	if l, got = read(t, path); len(got) != 20 {
		t.Fatalf("%d records", len(got))
	}
	last := make([]byte, 5)
	var at [5000]int64
	if err := l.Replace(func(old io.ReaderAt, add func([]byte) (int64, error)) error {
		if _, err := old.ReadAt(last, l.size-5); err != nil {
			return err
		}
		for i := range at {
			frame, err := Encode(nil, fmt.Appendf(nil, "record %d %s", i, big[:1000]))
			if err != nil {
				return err
			}
			if at[i], err = add(frame); err != nil {
				return err
			}
		}
		return nil
	}); err != nil || string(last) != "small" {
		t.Fatal(err, last)
	}
	for i, off := range at {
		want := fmt.Sprintf("record %d ", i)
		b := make([]byte, len(want))
		if _, err := l.ReadAt(b, off+head); err != nil || string(b) != want {
			t.Fatalf("at %d: %q, %v", off, b, err)
		}
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

// What the owner finds damaged is cut off like what is.
func TestOwnerSaysTorn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	l, _ := read(t, path)
	frames, _ := Encode(nil, []byte("one"))
	second := int64(len(frames))
	for _, b := range []string{"two", "three"} {
		frames, _ = Encode(frames, []byte(b))
	}
	pos, off, err := l.Write(frames)
	if err != nil || off != int64(len(testMagic)) || pos != l.Length() || l.Synced() >= pos {
		t.Fatal(pos, off, err)
	}
	if err := l.Sync(pos); err != nil || l.Synced() != pos {
		t.Fatal(err)
	}
	l.Close()
	l, err = Open(path, testMagic, func(b []byte, _ int64) error {
		if string(b) == "two" {
			return fmt.Errorf("no number: %w", ErrTorn)
		}
		return nil
	}, marked)
	if err != nil || l.Length() != off+second {
		t.Fatal(err)
	}
	l.Close()
	if _, err := os.Stat(path + ".torn"); err != nil {
		t.Error(err)
	}
	if _, err := Open(path, testMagic, func([]byte, int64) error { return os.ErrInvalid }, nil); !errors.Is(err, os.ErrInvalid) {
		t.Error(err)
	}
	l, got := read(t, path)
	defer l.Close()
	if !slices.Equal(got, []string{"one"}) {
		t.Errorf("%q", got)
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
		l, err := Open(path, testMagic, func(b []byte, _ int64) error {
			first = append(first, string(b))
			return nil
		}, marked)
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

// Damage in the middle takes what stands before the next mark, and nothing else; what
// looks like a frame in a body is none.
func TestDamageInTheMiddle(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "log")
	l, _ := read(t, path)
	forged, err := Encode(nil, []byte("forged"))
	if err != nil {
		t.Fatal(err)
	}
	bodies := [][]byte{[]byte("one"), []byte("two"), append([]byte("three"), forged...), []byte("a mark"), []byte("four"), []byte("a mark"), []byte("five")}
	ends := []int64{int64(len(testMagic))}
	for _, b := range bodies {
		if _, err := l.Append(b); err != nil {
			t.Fatal(err)
		}
		ends = append(ends, l.Length())
	}
	l.Close()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for at := len(testMagic); at < len(whole); at++ {
		damaged := slices.Clone(whole)
		damaged[at] ^= 0x55
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		hit, _ := slices.BinarySearch(ends, int64(at)+1)
		var want []string
		for i, b := range bodies {
			next := slices.IndexFunc(bodies[hit:], marked) + hit // the first mark behind it
			if i < hit-1 || next >= hit && i >= next {
				want = append(want, string(b))
			}
		}
		l, got := read(t, path)
		if !slices.Equal(got, want) {
			t.Fatalf("damaged at %d: %q\nwant %q", at, got, want)
		}
		if _, err := l.Append([]byte("more")); err != nil {
			t.Fatal(err)
		}
		l.Close()
		l, got = read(t, path)
		l.Close()
		if !slices.Equal(got, append(want, "more")) {
			t.Fatalf("damaged at %d, and then: %q", at, got)
		}
	}
}
