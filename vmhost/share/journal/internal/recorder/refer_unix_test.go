//go:build unix

package recorder

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal/internal/ledger"
)

// The disk is full when a deleted file has just moved into the journal, so that this cannot be
// written down: the file is where it was, nothing is listed, and nothing stays behind.
func TestFullDiskGivesDeletedFileBack(t *testing.T) {
	for _, c := range []struct {
		name string
		room int64 // bytes that fit into the log
		mark bool  // what is written down next is longer, by a mark
		busy bool  // a person puts another file there meanwhile
	}{
		{"room for the shorter record after it", 4, false, false},
		{"room for a record without the mark", 40, true, false},
		{"no room", -100, false, false},
		{"room for the shorter record, and the name is taken", 4, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			check := func(err error) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
			}
			base := t.TempDir()
			dir, jdir := filepath.Join(base, "folder"), filepath.Join(base, "journal")
			content := strings.Repeat("content ", 10_000) // more than is kept in the log
			check(os.Mkdir(dir, 0o700))
			check(os.WriteFile(filepath.Join(dir, "a"), []byte(content), 0o600))
			root, err := at.OpenRoot(dir)
			check(err)
			defer root.Close()
			var j *Recorder
			var free func()
			j, err = Open(jdir, Options{}, func(step string) {
				switch step {
				case "before": // its reference gets a long number
					check(j.PutNow(ledger.RefRecord{Object: 2, Gen: math.MaxUint32 - 1}, ledger.RefRecord{Object: 2}))
				case "referred":
					_, frame, err := ledger.Encode(nil, ledger.BindRecord{Entry: 1, Object: 2}, time.Now(), nil)
					check(err)
					if c.busy {
						check(os.WriteFile(filepath.Join(dir, "a"), []byte("mine"), 0o600))
					}
					free = limitFiles(t, j.File.Length()+frame+c.room)
					if c.mark {
						j.marked = -2 * ledger.MarkEvery
					}
				}
			})
			check(err)
			f, err := j.Folder("f", root)
			check(err)
			err = f.Remove("a")
			if free == nil {
				t.Fatalf("nothing was moved: %v", err)
			}
			free()
			if err == nil {
				t.Error("it was removed")
			}
			for _, when := range []string{"at once", "opened again"} {
				want, kept := content, 0
				if c.busy { // it is listed as deleted, and in the journal
					want, kept = "mine", 1
				}
				if b, err := os.ReadFile(filepath.Join(dir, "a")); err != nil || string(b) != want {
					t.Errorf("%s: %d bytes, %v", when, len(b), err)
				}
				list, _, err := j.List(context.Background(), false)
				check(err)
				if len(list) != kept || kept == 1 && list[0].Change.Effect != ledger.EffectDelete {
					t.Errorf("%s: listed: %+v", when, list)
				}
				if names, err := j.Refs.Names(-1); err != nil || len(names) != kept {
					t.Errorf("%s: the journal has %q %v", when, names, err)
				}
				if c.busy && when == "opened again" && list[0].Object.Ref == 0 {
					t.Error("the journal does not know what it has")
				}
				if when == "at once" {
					f.Close()
					check(j.Close())
					j, err = Open(jdir, Options{}, nil)
					check(err)
				}
			}
			check(j.Close())
		})
	}
}

// limitFiles has this process write no file beyond size, until the returned function is called.
func limitFiles(t *testing.T, size int64) func() {
	t.Helper()
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		t.Fatal(err)
	}
	now := was
	now.Cur = uint64(max(size, 1))
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &now); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
			t.Fatal(err)
		}
	}
}

// A name that is recorded as it was before, while the journal has its file, is asked about when the
// journal is opened: a power cut may have taken the record of the move.
func TestReferenceWithoutRecordIsFound(t *testing.T) {
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	base := t.TempDir()
	dir, jdir := filepath.Join(base, "folder"), filepath.Join(base, "journal")
	check(os.Mkdir(dir, 0o700))
	check(os.WriteFile(filepath.Join(dir, "a"), []byte("before"), 0o600))
	root, err := at.OpenRoot(dir)
	check(err)
	defer root.Close()
	j, err := Open(jdir, Options{}, nil)
	check(err)
	f, err := j.Folder("f", root)
	check(err)
	check(f.Rename("a", "b", false))
	check(f.Rename("b", "a", false))
	check(os.Rename(filepath.Join(dir, "a"), filepath.Join(jdir, "refs", "2.1")))
	f.Close()
	check(j.Close())
	j, err = Open(jdir, Options{}, nil)
	check(err)
	list, _, err := j.List(t.Context(), false)
	check(err)
	if len(list) != 1 || list[0].Change.Effect != ledger.EffectDelete || list[0].Object.Ref != 1 {
		t.Errorf("%+v", list)
	}
	check(j.Close())
}
