package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/internal/wal"
)

// decodeFrame reads one record from the beginning of b and returns the length
// of its frame, too.
func decodeFrame(b []byte) (record, int, error) {
	body, n, err := wal.Decode(b)
	if err != nil {
		return record{}, 0, err
	}
	r, err := decode(body)
	return r, n, err
}

// Any bytes at all: what is read as records, written again, reads the same; and
// nothing takes more than the bytes are long.
func FuzzRecords(f *testing.F) {
	id := at.ID{Dev: 1, Ino: 2, Born: 3}
	var log []byte
	for _, r := range []record{
		{Type: recHead, Text: "0123456789abcdef"},
		{Type: recFolder, Text: "f", Folder: 1, Object: 1, Path: []byte("/tmp/x"), ID: &id, State: &state{Mode: 0o755}},
		{Type: recObject, Object: 2, Dir: 1, Name: []byte("a\xff"), ID: &at.ID{Ino: 5}, Kind: "file", State: &state{Size: 3, Target: "t"}},
		{Type: recEntry, Entry: 1, Dir: 1, Name: []byte("a"), Object: 2},
		{Type: recImage, Object: 2, Gen: 1, State: &state{Size: 3}, data: []byte("abc")},
		{Type: recCur, Entry: 1},
		{Type: recUndo, IDs: []string{"o2"}},
		{Type: recUndoing, When: &time.Time{}},
		{Type: recTheirs, Object: 2},
		{Type: recUndone, Change: &Change{ID: "o2", Path: "a"}},
		{Type: recUndoEnd},
		{Type: recImage, Object: 2, Gen: 2, State: &state{Size: 2 << 20}, Parts: true},
		{Type: recAttrs, Object: 2, Attrs: at.AttrSet{"user.a": []byte("b")}},
		{Type: recKeep, Keep: &kept{Change: Change{ID: "e1", Path: "n"}, Dir: 1, Name: "n", Has: true, Inline: 3}, data: []byte("abc")},
		{Type: recRedo, IDs: []string{"e1"}},
		{Type: recReborn, Object: 2, Dir: 3},
		{Type: recTime, Object: 1, State: &state{Sec: 5}},
		{Type: recDrop, IDs: []string{"e1"}},
		{Type: recRedoEnd},
		{Type: recAccept, Entry: 1},
		{Type: recClosed},
	} {
		log, _, _ = r.encode(log)
	}
	f.Add(log)
	f.Add(log[:len(log)-3])
	f.Add([]byte{4, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, b []byte) {
		tables := newTables()
		var again []byte
		rest := b
		for {
			r, n, err := decodeFrame(rest)
			if err != nil {
				if !errors.Is(err, wal.ErrTorn) {
					t.Fatalf("unnamed error: %v", err)
				}
				break
			}
			rest = rest[n:]
			_ = tables.apply(&r)
			if again, _, err = r.encode(again); err != nil {
				t.Fatal(err)
			}
		}
		for len(again) > 0 {
			_, n, err := decodeFrame(again)
			if err != nil {
				t.Fatalf("written and not readable: %v", err)
			}
			again = again[n:]
		}
		// The tables answer whatever they were fed.
		_ = tables.changes(nil)
		for _, o := range tables.objects {
			_, _, _ = tables.spot(o)
			_, _ = tables.dirPath(o)
		}
		recs, _ := tables.records()
		for i := range recs {
			if _, _, err := recs[i].encode(nil); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// A journal whose log has any records at all, in frames that are whole, opens or
// is refused, lists, undoes, and can be rewritten.
func FuzzJournal(f *testing.F) {
	seed := newWorld(f, "")
	seed.seed("a", "b", "d/c")
	seed.start()
	seed.check(seed.write("a", "task", -1))
	seed.check(seed.remove("b"))
	seed.check(seed.rename("d", "e"))
	seed.check(seed.create("n", "x"))
	seed.undo(seed.id("n"))
	seed.changes()
	seed.stop()
	b, err := os.ReadFile(filepath.Join(seed.jdir, "log"))
	seed.check(err)
	var lines []byte
	for rest := b[len(magic):]; ; {
		r, n, err := decodeFrame(rest)
		if err != nil {
			break
		}
		rest = rest[n:]
		r.data = nil
		text, err := json.Marshal(&r)
		seed.check(err)
		lines = append(append(lines, text...), '\n')
	}
	f.Add(lines)
	f.Add(append(lines, `{"k":"undo","ids":["o2"]}`...))
	f.Add(bytes.ReplaceAll(lines, []byte(`"p":1`), []byte(`"p":3`)))
	f.Add(bytes.ReplaceAll(lines, []byte(`"o":2`), []byte(`"o":3`)))
	f.Fuzz(func(t *testing.T, lines []byte) {
		log := []byte(magic)
		for line := range bytes.SplitSeq(lines, []byte("\n")) {
			var r record
			if json.Unmarshal(line, &r) == nil && !(r.Type == recFolder && string(r.Path) != seed.dir) {
				log, _, _ = r.encode(log)
			}
		}
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "log"), log, 0o600); err != nil {
			t.Fatal(err)
		}
		j, err := Open(dir, Options{})
		if err != nil {
			return
		}
		defer j.Close()
		if _, err := j.Changes(t.Context()); err != nil {
			return
		}
		_, _ = j.Undo(t.Context(), nil, UndoOptions{})
		_, _ = j.Redo(t.Context(), nil)
		_ = j.Usage()
		_ = j.Forget(t.Context(), nil)
		if err := j.rewriteForTest(); err != nil {
			t.Fatal(err)
		}
	})
}

func (j *Journal) rewriteForTest() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.rewrite()
}
