package share_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"piwork/vmhost"
	"piwork/vmhost/share"
	"piwork/vmhost/share/guard"
	"piwork/vmhost/share/journal"
)

// guardedTree shares dir with a guard; nobody is there to be asked.
func guardedTree(t testing.TB, dir string, g *guard.Guard) *share.Tree {
	t.Helper()
	j, err := journal.Open(filepath.Join(t.TempDir(), "journal"), journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	set := share.NewSet(share.Options{})
	t.Cleanup(func() {
		set.Close()
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	})
	f, err := set.Add(share.Folder{ID: "f", Path: dir, Name: "Folder", Guard: g}, j)
	if err != nil {
		t.Fatal(err)
	}
	return set.Lookup(f.Name)
}

// How many files a folder has is known before the guest can make any, however
// deep they lie.
func TestSurvey(t *testing.T) {
	for _, x := range []struct {
		files, deep int
		free        int // originals that may be deleted unasked
	}{
		{0, 0, 0}, {2, 0, 2}, {4, 0, 2}, {6, 0, 3}, {3, 3, 3}, {30, 0, 5}, {0, 30, 5},
	} {
		dir := t.TempDir()
		var names []string
		put := func(dir, name string) {
			names = append(names, name)
			if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		for i := range x.files {
			put(dir, fmt.Sprintf("%02d", i))
		}
		names = names[:len(names):len(names)]
		for i := range x.deep {
			below := filepath.Join(dir, "a", "b", fmt.Sprint(i))
			if err := os.MkdirAll(below, 0o755); err != nil {
				t.Fatal(err)
			}
			put(below, "x")
			names[len(names)-1] = fmt.Sprintf("a/b/%d/x", i)
		}
		g := guard.New(guard.ForCommands, guard.Options{})
		defer g.Close()
		tree := guardedTree(t, dir, g)
		for i := range 100 { // its own, which do not count
			f, _, err := tree.Create(fmt.Sprintf("own%d", i), 0o644, true, false)
			if err != nil {
				t.Fatal(err)
			}
			f.Close()
		}
		removed := 0
		for _, n := range names {
			err := tree.Remove(n)
			if err == nil {
				removed++
			} else if !errors.Is(err, guard.ErrDenied) {
				t.Errorf("%s: %v", n, err)
			}
		}
		if removed != x.free {
			t.Errorf("%d files and %d deep: %d removed unasked, want %d", x.files, x.deep, removed, x.free)
		}
	}
}

// What waits ends with its folder, and holds nothing that its end waits for.
func TestRemoveWhileSomebodyWaits(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	asked := make(chan struct{})
	g := guard.New(guard.Policy{}, guard.Options{Window: time.Millisecond, Ask: func(ctx context.Context, _ vmhost.Question, _ <-chan vmhost.Question) (guard.Answer, error) {
		close(asked)
		<-ctx.Done()
		return guard.Answer{}, ctx.Err()
	}})
	defer g.Close()
	j := openJournal(t)
	set := share.NewSet(share.Options{})
	defer set.Close()
	if _, err := set.Add(share.Folder{ID: "f", Path: dir, Name: "Folder", Guard: g}, j); err != nil {
		t.Fatal(err)
	}
	tree := set.Lookup("Folder")
	done := make(chan error, 1)
	go func() { done <- share.Settle(t.Context(), func() error { return tree.Remove("file") }) }()
	<-asked
	set.Remove("f")
	if err := <-done; !errors.Is(err, share.ErrGone) {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "file")); err != nil {
		t.Error(err)
	}
}

// What asking costs where there is nothing to ask.
func BenchmarkGuard(b *testing.B) {
	for _, name := range []string{"none", "commands", "agents"} {
		b.Run(name, func(b *testing.B) {
			var g *guard.Guard
			switch name {
			case "commands":
				g = guard.New(guard.ForCommands, guard.Options{})
			case "agents":
				g = guard.New(guard.ForAgents, guard.Options{})
			}
			if g != nil {
				defer g.Close()
			}
			tree := guardedTree(b, b.TempDir(), g)
			data := make([]byte, 4096)
			for b.Loop() {
				f, _, err := tree.Create("directory of a name", 0o644, true, false)
				if err == nil {
					for i := range 16 {
						if _, err = f.WriteAt(data, int64(i*len(data))); err != nil {
							break
						}
					}
					f.Close()
					err = errors.Join(err, tree.Rename("directory of a name", "another name"), tree.Remove("another name"))
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
