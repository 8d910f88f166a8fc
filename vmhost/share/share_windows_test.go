package share_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"piwork/vmhost/share"
	"piwork/vmhost/share/journal"
)

// spelling is what a guest does to a file under another spelling of its name.
type spelling struct {
	name string
	do   func(t *share.Tree) error
}

// TestUndoOfOtherSpellings: what a guest did to a file under another spelling of
// its name comes back under its own.
func TestUndoOfOtherSpellings(t *testing.T) {
	undoSpellings(t, []spelling{
		{"remove", func(t *share.Tree) error { return t.Remove("readme.TXT") }},
		{"move", func(t *share.Tree) error { return t.Rename("readme.txt", "moved") }},
		{"replace", func(t *share.Tree) error { return t.Rename("other", "readme.txt") }},
		{"remove a directory", func(t *share.Tree) error { return t.RemoveDir("EMPTY") }},
	})
}

// TestUndoOfContentByOtherSpellings also replaces files that are open, which
// Wine cannot do, and gives a name another case, which Wine does not.
func TestUndoOfContentByOtherSpellings(t *testing.T) {
	undoSpellings(t, []spelling{
		{"empty", func(t *share.Tree) error { return t.Truncate("readme.txt", 0) }},
		{"make anew", func(t *share.Tree) error {
			f, _, err := t.Create("readme.txt", 0o644, false, true)
			if err == nil {
				f.Close()
			}
			return err
		}},
		{"change the case", func(t *share.Tree) error { return t.Rename("README.txt", "readme.txt") }},
		{"change the case by another spelling", func(t *share.Tree) error { return t.Rename("ReadMe.txt", "readme.txt") }},
	})
}

func undoSpellings(t *testing.T, cases []spelling) {
	ctx := context.Background()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			dir, j := t.TempDir(), openJournal(t)
			for _, name := range []string{"README.txt", "other"} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Mkdir(filepath.Join(dir, "Empty"), 0o755); err != nil {
				t.Fatal(err)
			}
			set := share.NewSet(share.Options{})
			defer set.Close()
			f, err := set.Add(share.Folder{ID: "1", Path: dir}, j)
			if err != nil {
				t.Fatal(err)
			}
			if err := c.do(set.Lookup(f.Name)); err != nil {
				t.Fatal(err)
			}
			list, err := j.Changes(ctx)
			if err != nil || len(list) == 0 {
				t.Fatalf("%+v, %v", list, err)
			}
			set.Close()
			report, err := j.Undo(ctx, nil, journal.UndoOptions{})
			if err != nil || len(report.Conflicts) > 0 {
				t.Fatalf("%+v, %v", report.Conflicts, err)
			}
			names, err := os.ReadDir(dir)
			if err != nil || len(names) != 3 || names[0].Name() != "Empty" || names[1].Name() != "README.txt" || names[2].Name() != "other" {
				t.Errorf("there is %v, %v", names, err)
			}
			for _, name := range []string{"README.txt", "other"} {
				if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != name {
					t.Errorf("%s is %q, %v", name, got, err)
				}
			}
		})
	}
}
