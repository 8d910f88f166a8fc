package journal

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/internal/wal"
	"piwork/vmhost/share/journal/internal/ledger"
)

// Whatever is at the end of the log after a power cut, everything before it is
// read and what follows is written behind it.
func TestTornLog(t *testing.T) {
	for name, tear := range map[string]func(b []byte) []byte{
		"a byte short":       func(b []byte) []byte { return b[:len(b)-1] },
		"half a header":      func(b []byte) []byte { return append(b, 1, 2, 3) },
		"zeros":              func(b []byte) []byte { return append(b, make([]byte, 5000)...) },
		"garbage":            func(b []byte) []byte { return append(b, bytes.Repeat([]byte{0xa5, 3}, 3000)...) },
		"a length too large": func(b []byte) []byte { return append(b, 0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4) },
		"a flipped bit":      func(b []byte) []byte { b[len(b)-2] ^= 4; return b },
		"a frame repeated half": func(b []byte) []byte {
			return append(b, b[len(b)-30:]...)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "")
			w.seed("a", "b", "c")
			w.start()
			w.mark()
			w.check(w.write("a", "task", -1))
			w.check(w.remove("b"))
			w.stop()
			log := filepath.Join(w.jdir, "log")
			b, err := os.ReadFile(log)
			w.check(err)
			w.check(os.WriteFile(log, tear(b), 0o600))
			w.start()
			w.check(w.write("c", "task", -1))
			w.restart()
			w.undo()
			if d := diff(w.before, w.tree()); d != "" {
				t.Errorf("after undo:\n%s", d)
			}
			if _, err := os.Stat(log + ".torn"); err != nil {
				t.Errorf("what was cut off is not kept: %v", err)
			}
		})
	}
}

func TestNotAJournal(t *testing.T) {
	for name, content := range map[string]string{"another file": strings.Repeat("something else\n", 10), "a newer version": "piwork-journal-9\n1234"} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "log"), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir, Options{}); !errors.Is(err, wal.ErrMagic) {
			t.Errorf("%s: %v", name, err)
		}
		if b, _ := os.ReadFile(filepath.Join(dir, "log")); string(b) != content {
			t.Errorf("%s was changed", name)
		}
	}
}

// One process at a time has a journal open.
func TestLock(t *testing.T) {
	dir := t.TempDir()
	j, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, Options{}); !errors.Is(err, ErrLocked) {
		t.Errorf("second: %v", err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	root, err := at.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if _, err := j.Folder("f", root); !errors.Is(err, ErrClosed) {
		t.Errorf("a folder of a closed journal: %v", err)
	}
	if j, err = Open(dir, Options{}); err != nil {
		t.Errorf("after Close: %v", err)
	}
	j.Close()
}

// A record that the disk has no room for refuses the change, and the journal
// goes on when there is room again.
func TestFull(t *testing.T) {
	w := newWorld(t, "")
	w.seed("small", "other")
	w.check(os.WriteFile(filepath.Join(w.dir, "big"), make([]byte, 200_000), 0o644))
	w.age()
	w.opts = Options{MaxBytes: 100_000}
	w.start()
	w.mark()
	w.f.Rec.NoRefs = true // as on another file system
	for name, err := range map[string]error{
		"write":  w.write("big", "x", 0),
		"remove": w.remove("big"),
		"over":   w.rename("small", "big"),
	} {
		if !errors.Is(err, ErrFull) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if d := diff(w.before, w.tree()); d != "" {
		t.Errorf("refused, and changed:\n%s", d)
	}
	w.check(w.write("small", "x", 0))
	w.opts = Options{MaxMemory: 12_000}
	w.stop()
	w.start()
	var err error
	for i := 0; err == nil && i < 100; i++ {
		err = w.create(fmt.Sprint("n", i), "x")
	}
	if !errors.Is(err, ErrFull) {
		t.Errorf("many records: %v", err)
	}
	w.undo()
	if d := diff(w.before, w.tree()); d != "" {
		t.Errorf("after undo:\n%s", d)
	}
}

// What comes and goes leaves no trace in memory, and a rewritten log says the
// same as the long one.
func TestCompact(t *testing.T) {
	w := newWorld(t, "")
	w.seed("a", "d/b", "c", "two", "deux = two", "l -> a")
	w.start()
	w.mark()
	w.check(w.write("a", "task", -1))
	w.check(w.rename("d", "e"))
	w.check(w.write("e/b", strings.Repeat("large", 30_000), -1))
	w.check(w.remove("c"))
	w.check(w.remove("deux"))
	w.check(w.save("two", "task"))
	w.check(w.remove("l"))
	w.check(w.mkdir("made"))
	w.check(w.rename("a", "made/a"))
	objects, entries := len(w.j.rec.Tables.Objects), len(w.j.rec.Tables.Entries)
	for i := range 500 {
		n := fmt.Sprint("made/tmp", i)
		w.check(w.create(n, "x"))
		w.check(w.rename(n, n+"x"))
		w.check(w.remove(n + "x"))
	}
	if len(w.j.rec.Tables.Objects) != objects || len(w.j.rec.Tables.Entries) != entries {
		t.Errorf("%d objects and %d names, had %d and %d", len(w.j.rec.Tables.Objects), len(w.j.rec.Tables.Entries), objects, entries)
	}
	want, long := w.changes(), w.j.rec.File.Length()
	w.j.rec.Mu.Lock()
	w.check(w.j.rec.Rewrite())
	w.j.rec.Mu.Unlock()
	if short := w.j.rec.File.Length(); short > long/10 {
		t.Errorf("%d bytes of %d", short, long)
	}
	live := w.j.rec.Tables
	w.restart()
	if got := w.changes(); !reflect.DeepEqual(got, want) {
		t.Errorf("list: %q, was %q", got, want)
	}
	if len(w.j.rec.Tables.Objects) != len(live.Objects) || len(w.j.rec.Tables.Entries) != len(live.Entries) {
		t.Errorf("%d objects and %d names, had %d and %d", len(w.j.rec.Tables.Objects), len(w.j.rec.Tables.Entries), len(live.Objects), len(live.Entries))
	}
	w.undo()
	if d := diff(w.before, w.tree()); d != "" {
		t.Errorf("after undo:\n%s", d)
	}
}

// Odd times and names of a person's files survive records and lists.
func TestOddStates(t *testing.T) {
	w := newWorld(t, "")
	w.seed("a\xff\n", "z")
	root, err := at.OpenRoot(w.dir)
	w.check(err)
	d, err := root.Dir(".")
	w.check(err)
	for _, stamp := range []time.Time{time.Unix(-1<<31, 5), time.Unix(1<<33, 999999999), time.Unix(0, 1)} {
		w.check(d.Chtimes("a\xff\n", stamp, stamp))
		info, err := d.Lstat("a\xff\n")
		w.check(err)
		w.jdir = filepath.Join(t.TempDir(), "journal")
		w.start()
		w.mark()
		w.check(w.write("a\xff\n", "x", -1))
		if got := w.changes(); !reflect.DeepEqual(got, []string{"change a\xff\n"}) {
			t.Errorf("list: %q", got)
		}
		w.restart()
		w.undo()
		if diff := diff(w.before, w.tree()); diff != "" {
			t.Errorf("%v (%v):\n%s", stamp, info.MTime, diff)
		}
		w.stop()
	}
	root.Close()
}

// Content of another file, which stands in the log where that of a file is looked for, is
// not taken for it.
func TestWrongContentInLog(t *testing.T) {
	w := newWorld(t, otherFS(t)) // where the files themselves cannot be kept
	w.seed("a", "b")
	w.start()
	w.check(w.write("a", "task a", -1))
	w.check(w.write("b", "task b", -1))
	w.changes()
	swap := func(list []*ledger.Inline) {
		if len(list) != 2 {
			t.Fatalf("%d contents in the log", len(list))
		}
		list[0].At, list[1].At = list[1].At, list[0].At
	}
	var images []*ledger.Inline
	for _, o := range w.j.rec.Tables.Objects {
		if o.Image != nil {
			images = append(images, o.Image.Inline)
		}
	}
	left := func(want string) {
		t.Helper()
		for _, name := range []string{"a", "b"} {
			if got, err := os.ReadFile(filepath.Join(w.dir, name)); string(got) != want+name {
				t.Errorf("%s: %q, %v", name, got, err)
			}
		}
	}
	swap(images)
	if r := w.undo(); len(r.Conflicts) != 2 || r.Conflicts[0].Reason != ReasonNoImage {
		t.Errorf("undo: %+v", r)
	}
	left("task ")
	swap(images)
	w.undo()
	left("content of ")
}

// A person's edit is told from a file system that rounds times.
func TestSameData(t *testing.T) {
	base := ledger.State{Size: 5, Sec: 1000, Nsec: 123456789}
	for name, c := range map[string]struct {
		s    ledger.State
		want bool
	}{
		"itself":               {base, true},
		"another size":         {ledger.State{Size: 6, Sec: 1000, Nsec: 123456789}, false},
		"a nanosecond later":   {ledger.State{Size: 5, Sec: 1000, Nsec: 123456790}, false},
		"rounded to 2 seconds": {ledger.State{Size: 5, Sec: 1000}, true},
		"rounded to 10 ms":     {ledger.State{Size: 5, Sec: 1000, Nsec: 120000000}, true},
		"three seconds later":  {ledger.State{Size: 5, Sec: 1003}, false},
	} {
		if got := base.SameData(c.s); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// Damage in the middle of the log costs what stood there, not all that was written down
// after it.
func TestDamageInTheMiddle(t *testing.T) {
	w := newWorld(t, "")
	var names []string
	for i := range 400 {
		names = append(names, fmt.Sprintf("f%03d", i))
	}
	w.seed(names...)
	w.mark()
	w.start()
	for _, name := range names {
		w.check(w.write(name, "task", -1))
	}
	w.stop()
	log, err := os.ReadFile(filepath.Join(w.jdir, "log"))
	w.check(err)
	if len(log) < 4*ledger.MarkEvery {
		t.Fatalf("the log has only %d bytes", len(log))
	}
	clear(log[len(log)/2 : len(log)/2+4096])
	w.check(os.WriteFile(filepath.Join(w.jdir, "log"), log, 0o600))
	for range 2 {
		w.start()
		w.undo()
		w.stop()
	}
	back := 0
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(w.dir, name))
		w.check(err)
		switch string(data) {
		case "content of " + name:
			back++
		case "task":
		default:
			t.Errorf("%s: %q", name, data)
		}
	}
	if most := len(names) * (len(log) - 2*ledger.MarkEvery) / len(log); back < most {
		t.Errorf("%d of %d files came back, not %d", back, len(names), most)
	}
}
