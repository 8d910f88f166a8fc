package journal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/internal/wal"
	"piwork/vmhost/share/journal/internal/ledger"
)

// decodeFrame reads one record from the beginning of b and returns the length
// of its frame, too.
func decodeFrame(b []byte) (ledger.Record, int, error) {
	body, n, err := wal.Decode(b)
	if err != nil {
		return nil, 0, err
	}
	r, _, err := ledger.Decode(body)
	return r, n, err
}

// behind is what a record has behind its JSON.
func behind(r ledger.Record) []byte {
	if c, _ := ledger.InlineOf(r); c != nil {
		return c.Data
	}
	return nil
}

// Any bytes at all: what is read as records, written again, reads the same; and
// nothing takes more than the bytes are long.
func FuzzRecords(f *testing.F) {
	id := at.ID{Dev: 1, Ino: 2, Born: 3}
	var log []byte
	for _, r := range []ledger.Record{
		ledger.HeadRecord{ID: "0123456789abcdef"},
		ledger.FolderRecord{ID: "f", Folder: 1, Root: 1, Path: []byte("/tmp/x"), Inode: &id, State: &ledger.State{Mode: 0o755}},
		ledger.ObjectRecord{Object: 2, Dir: 1, Name: []byte("a\xff"), Inode: &at.ID{Ino: 5}, Kind: "file", State: &ledger.State{Size: 3, Target: "t"}},
		ledger.EntryRecord{Entry: 1, Dir: 1, Name: []byte("a"), Object: 2},
		ledger.ImageRecord{Object: 2, Gen: 1, State: &ledger.State{Size: 3}, Inline: &ledger.Inline{Data: []byte("abc")}},
		ledger.BindRecord{Entry: 1},
		ledger.UndoRecord{IDs: []string{"o2"}},
		ledger.UndoingRecord{When: &time.Time{}},
		ledger.UndoneRecord{Change: &Change{ID: "o2", Path: "a"}, Marks: ledger.Marks{Entries: []uint32{1}, Objects: []uint32{2}}},
		ledger.UndoEndRecord{},
		ledger.ImageRecord{Object: 2, Gen: 2, State: &ledger.State{Size: 2 << 20}, Parts: true},
		ledger.AttrsRecord{Object: 2, Attrs: at.AttrSet{"user.a": []byte("b")}},
		ledger.RebornRecord{Object: 2, Old: 3},
		ledger.DirTimeRecord{Object: 1, State: &ledger.State{Sec: 5}},
		ledger.DropRecord{IDs: []string{"e1"}},
		ledger.AcceptRecord{Entry: 1},
		ledger.ClosedRecord{},
	} {
		log, _, _ = ledger.Encode(log, r, time.Now(), behind(r))
	}
	f.Add(log)
	f.Add(log[:len(log)-3])
	f.Add([]byte{4, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, b []byte) {
		tables := ledger.New()
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
			_ = tables.Apply(r, time.Now())
			if again, _, err = ledger.Encode(again, r, time.Now(), behind(r)); err != nil {
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
		_ = tables.Changes(nil)
		for _, o := range tables.Objects {
			_, _, _ = tables.Spot(o)
			_, _ = tables.DirPath(o)
		}
		for _, r := range tables.Records() {
			if _, _, err := ledger.Encode(nil, r, time.Now(), nil); err != nil {
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
	for rest := b[len(ledger.Magic):]; ; {
		body, n, err := wal.Decode(rest)
		if err != nil {
			break
		}
		rest = rest[n:]
		text := body[4 : 4+binary.LittleEndian.Uint32(body)]
		lines = append(append(lines, text...), '\n')
	}
	f.Add(lines)
	f.Add(append(lines, `{"k":"undo","ids":["o2"]}`...))
	f.Add(bytes.ReplaceAll(lines, []byte(`"p":1`), []byte(`"p":3`)))
	f.Add(bytes.ReplaceAll(lines, []byte(`"o":2`), []byte(`"o":3`)))
	f.Fuzz(func(t *testing.T, lines []byte) {
		log := []byte(ledger.Magic)
		for line := range bytes.SplitSeq(lines, []byte("\n")) {
			body := append(binary.LittleEndian.AppendUint32(nil, uint32(len(line))), line...)
			r, _, err := ledger.Decode(body)
			if f, ok := r.(ledger.FolderRecord); err == nil && !(ok && string(f.Path) != seed.dir) {
				log, _ = wal.Encode(log, body)
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
		if err := rewriteForTest(j); err != nil {
			t.Fatal(err)
		}
	})
}

func rewriteForTest(j *Journal) error {
	j.rec.Mu.Lock()
	defer j.rec.Mu.Unlock()
	return j.rec.Rewrite()
}
