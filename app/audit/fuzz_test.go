package audit

import (
	"os"
	"path/filepath"
	"testing"
)

// Whatever stands in the file: it is read without a fault, the program goes on
// behind it, and a chain that does not hold goes on not holding.
func FuzzOpen(f *testing.F) {
	dir := f.TempDir()
	key := testKey(f, dir)
	l, _, _, err := Open(dir, Options{Key: key})
	if err != nil {
		f.Fatal(err)
	}
	if err := l.Append(Record{Event: EventBegin, Exec: "x"}); err != nil {
		f.Fatal(err)
	}
	good, err := os.ReadFile(filepath.Join(dir, LogName))
	if err != nil {
		f.Fatal(err)
	}
	head, err := os.ReadFile(headFile(filepath.Join(dir, LogName)))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good, head)
	f.Add(good, []byte(`{"n":1,"hash":"x"}`))
	f.Add(append(good, "torn"...), []byte(nil))
	f.Add([]byte("\n{}\n"), []byte("{"))
	f.Fuzz(func(t *testing.T, log, head []byte) {
		dir := t.TempDir()
		file := filepath.Join(dir, LogName)
		if err := os.WriteFile(file, log, 0o600); err != nil {
			t.Fatal(err)
		}
		if len(head) > 0 {
			if err := os.WriteFile(headFile(file), head, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		l, rep, _, err := Open(dir, Options{Key: key})
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		if err := l.Append(Record{Event: EventEnd, Exec: "x"}); err != nil {
			t.Fatal(err)
		}
		after, err := l.Verify()
		if err != nil {
			t.Fatal(err)
		}
		// What was wrong stays so, also where the head is written anew.
		if !rep.OK && after.OK {
			t.Errorf("%+v became %+v", rep, after)
		}
	})
}
