package share_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"piwork/vmhost"
	"piwork/vmhost/share"
	"piwork/vmhost/share/conformance"
	"piwork/vmhost/share/guard"
	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal"
	"piwork/vmhost/wire"
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

// Content counts by whatever call it comes, and what was not written does not.
func TestWhatIsWrittenCounts(t *testing.T) {
	const punch, keepSize = 0x02, 0x01
	g := guard.New(guard.Policy{Changes: guard.Limit{Free: 10}, Writes: guard.NameBytes + 1000}, guard.Options{})
	t.Cleanup(g.Close)
	f, _, err := guardedTree(t, t.TempDir(), g).Create("a.bin", 0o644, true, false)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, x := range []struct {
		what string
		do   func() error
		want error
	}{
		{"write", func() error { _, err := f.WriteAt(make([]byte, 400), 0); return err }, nil},
		{"more than there may be", func() error { _, err := f.WriteAt(make([]byte, 601), 0); return err }, guard.ErrDenied},
		{"vectors", func() error { _, err := f.WritevAt([][]byte{make([]byte, 100), make([]byte, 100)}, 0); return err }, nil},
		{"a hole", func() error { return f.Allocate(punch|keepSize, 0, 1<<40) }, nil},
		{"room that nobody has", func() error { return f.Allocate(0, 0, 1<<62) }, guard.ErrDenied},
		{"sparse", func() error { return f.Truncate(1 << 30) }, map[bool]error{true: guard.ErrDenied}[runtime.GOOS == "windows"]},
		{"what is left", func() error { _, err := f.WriteAt(make([]byte, 400), 0); return err }, nil},
		{"nothing is left", func() error { _, err := f.WriteAt(make([]byte, 1), 0); return err }, guard.ErrDenied},
	} {
		if err := x.do(); !errors.Is(err, x.want) && !(x.what == "a hole" && err != nil) { // not every disk has holes
			t.Errorf("%s: %v", x.what, err)
		}
	}
}

// dense is a folder on a disk on which files have no holes.
type dense struct{ share.Store }

func (d dense) Space() (at.Space, error) {
	s, err := d.Store.Space()
	s.Dense = true
	return s, err
}

// What a file grows by counts where that takes room, written or not: else a task would fill the
// disk without writing anything.
func TestGrowingCountsWithoutHoles(t *testing.T) {
	dir, err := share.RealPath(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root, err := at.OpenRealRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	j, err := journal.Open(filepath.Join(t.TempDir(), "journal"), journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	store, err := j.Folder("f", root)
	if err != nil {
		t.Fatal(err)
	}
	g := guard.New(guard.Policy{Changes: guard.Limit{Free: 10}, Writes: guard.NameBytes + 1000}, guard.Options{})
	set := share.NewSet(share.Options{})
	t.Cleanup(func() {
		set.Close()
		g.Close()
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	})
	shared, err := set.AddStore(share.Folder{ID: "f", Path: dir, Name: "Stick", Guard: g}, dense{store})
	if err != nil {
		t.Fatal(err)
	}
	tree := set.Lookup(shared.Name)
	f, _, err := tree.Create("a.bin", 0o644, true, false)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	writes := func(size int, off int64) func() error {
		return func() error { _, err := f.WriteAt(make([]byte, size), off); return err }
	}
	for _, x := range []struct {
		what string
		do   func() error
		want error
		size int64
	}{
		{"all there can be", func() error { return f.Truncate(1 << 62) }, guard.ErrDenied, 0},
		{"by its name", func() error { return tree.Truncate("a.bin", 1<<40) }, guard.ErrDenied, 0},
		{"longer", func() error { return f.Truncate(300) }, nil, 300},
		{"as long as it is", func() error { return f.Truncate(300) }, nil, 300},
		{"inside", writes(100, 0), nil, 300},
		{"behind its end", writes(100, 500), nil, 600},
		{"far behind it", writes(1, 1<<40), guard.ErrDenied, 600},
		{"room far behind it", func() error { return f.Allocate(0, 1<<40, 1) }, guard.ErrDenied, 600},
		{"shorter", func() error { return f.Truncate(100) }, nil, 100},
		{"the rest of 1000", writes(100, 300), nil, 400},
		{"one more", func() error { return f.Truncate(401) }, guard.ErrDenied, 400},
	} {
		if err := x.do(); !errors.Is(err, x.want) {
			t.Errorf("%s: %v", x.what, err)
		}
		if info, err := f.Stat(); err != nil || info.Size != x.size {
			t.Errorf("%s: %d bytes, %v", x.what, info.Size, err)
		}
	}
}

// Names and attributes count, too: else a task would fill the disk with them.
func TestNamesAndAttributesCount(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "there"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	bound := int64(5*guard.NameBytes + 90)
	if runtime.GOOS != "windows" {
		bound += 2 * guard.NameBytes // the first of each attribute
	}
	g := guard.New(guard.Policy{Changes: guard.Limit{Free: 10}, Writes: bound}, guard.Options{})
	t.Cleanup(g.Close)
	tree := guardedTree(t, dir, g)
	f, _, err := tree.Create("a", 0o644, true, false)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	value := make([]byte, 90)
	attrs := func(err error) error { // what is said of attributes where they are offered
		if runtime.GOOS == "windows" {
			return at.ErrUnsupported
		}
		return err
	}
	for _, x := range []struct {
		what string
		do   func() error
		want error
	}{
		{"directory", func() error { return second(tree.Mkdir("d", 0o755)) }, nil},
		{"taken", func() error { return second(tree.Mkdir("there", 0o755)) }, fs.ErrExist},
		{"link", func() error { return second(tree.Symlink("a", "l")) }, nil},
		{"attribute that is not there", func() error { return tree.SetXattr("a", "user.x", value, at.AttrReplace) }, attrs(at.ErrNoAttr)},
		{"attribute", func() error { return tree.SetXattr("a", "user.x", value, 0) }, attrs(nil)},
		{"attribute of an open file", func() error { return f.SetXattr("user.y", value, 0) }, attrs(nil)},
		{"a shorter one", func() error { return tree.SetXattr("a", "user.x", value[:1], 0) }, attrs(nil)},
		{"another name", func() error { return second(tree.Link("a", "b")) }, nil},
		{"the last", func() error { return second(tree.Mkdir("e", 0o755)) }, nil},
		{"attribute beyond", func() error { return tree.SetXattr("a", "user.x", value, 0) }, attrs(guard.ErrDenied)},
		{"attribute of an open file beyond", func() error { return f.SetXattr("user.y", value, 0) }, attrs(guard.ErrDenied)},
		{"file beyond", func() error { return third(tree.Create("c", 0o644, true, false)) }, guard.ErrDenied},
		{"directory beyond", func() error { return second(tree.Mkdir("g", 0o755)) }, guard.ErrDenied},
		{"link beyond", func() error { return second(tree.Symlink("a", "m")) }, guard.ErrDenied},
		{"another name beyond", func() error { return second(tree.Link("a", "n")) }, guard.ErrDenied},
	} {
		if err := x.do(); !errors.Is(err, x.want) {
			t.Errorf("%s: %v", x.what, err)
		}
	}
}

// doer is a tree in which a task does one thing after the other.
type doer struct {
	t    *testing.T
	tree *share.Tree
}

func (d doer) mkdir(rel ...string) {
	d.t.Helper()
	for _, r := range rel {
		if _, err := d.tree.Mkdir(r, 0o755); err != nil {
			d.t.Errorf("mkdir %s: %v", r, err)
		}
	}
}

func (d doer) file(rel string) error {
	f, _, err := d.tree.Create(rel, 0o755, true, false)
	if err == nil {
		f.Close()
	}
	return err
}

func (d doer) move(old, rel string) {
	d.t.Helper()
	if err := d.tree.Rename(old, rel); err != nil {
		d.t.Errorf("rename %s to %s: %v", old, rel, err)
	}
}

// What starts by itself in a person's places is asked about, however it is brought
// there; what is the task's own is not. Nobody is there to be asked, so that asking
// is refusing.
func TestWhereThingsGo(t *testing.T) {
	conformance.Ways(t, func(t *testing.T) {
		for what, x := range map[string]struct {
			do    func(d doer) error
			asked bool
		}{
			"an editor's tasks in a directory of its own": {func(d doer) error {
				d.mkdir("project/.vscode")
				return d.file("project/.vscode/tasks.json")
			}, true},
			"a repository of its own in a project": {func(d doer) error {
				d.mkdir("project/.git")
				return d.file("project/.git/config")
			}, true},
			"keys": {func(d doer) error {
				d.mkdir(".ssh")
				return d.file(".ssh/authorized_keys")
			}, true},
			"what starts with the session": {func(d doer) error {
				d.mkdir(".config", ".config/autostart")
				return d.file(".config/autostart/x.desktop")
			}, true},
			"a project in the place of one that was there": {func(d doer) error {
				d.move("project", "old")
				d.mkdir("project", "project/.git")
				return d.file("project/.git/config")
			}, true},
			"further down there": {func(d doer) error {
				d.move("project", "old")
				d.mkdir("project", "project/sub", "project/sub/.git")
				return d.file("project/sub/.git/config")
			}, true},
			"a project that was made aside": {func(d doer) error {
				d.mkdir("new", "new/sub", "new/sub/.git")
				if err := d.file("new/sub/.git/config"); err != nil {
					d.t.Errorf("its own: %v", err)
				}
				d.move("project", "old")
				return d.tree.Rename("new", "project")
			}, true},
			"one that holds a link": {func(d doer) error {
				d.mkdir("new")
				if _, err := d.tree.Symlink("../own", "new/.git"); err != nil {
					d.t.Error(err)
				}
				d.move("project", "old")
				return d.tree.Rename("new", "project")
			}, true},
			"a link in the place of one that was there": {func(d doer) error {
				d.move("project", "old")
				_, err := d.tree.Symlink("new", "project")
				return err
			}, true},
			"a link that is moved there": {func(d doer) error {
				d.move("project", "old")
				if _, err := d.tree.Symlink("new", "link"); err != nil {
					d.t.Error(err)
				}
				return d.tree.Rename("link", "project")
			}, true},

			"a project of its own": {func(d doer) error {
				d.mkdir("new", "new/.git", "new/.git/hooks", "new/.vscode")
				return errors.Join(d.file("new/.git/config"), d.file("new/.git/hooks/post-commit"), d.file("new/.vscode/tasks.json"))
			}, false},
			"a project of its own gets another name": {func(d doer) error {
				d.mkdir("new", "new/.git")
				if err := d.file("new/.git/config"); err != nil {
					return err
				}
				return d.tree.Rename("new", "newer")
			}, false},
			"results in the place of others": {func(d doer) error {
				d.mkdir("new", "new/sub")
				if err := errors.Join(d.file("new/a"), d.file("new/sub/b")); err != nil {
					return err
				}
				d.move("project", "old")
				return d.tree.Rename("new", "project")
			}, false},
			"a person's directory, there and back": {func(d doer) error {
				d.move("project", "old")
				d.move("old", "project")
				d.mkdir("project/new", "project/new/.git")
				return d.file("project/new/.git/config")
			}, false},
			"a link": {func(d doer) error {
				_, err := d.tree.Symlink("project", "latest")
				return err
			}, false},
		} {
			t.Run(what, func(t *testing.T) {
				dir := t.TempDir()
				for _, f := range []string{"project/a", "project/sub/b"} {
					if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, f)), 0o755); err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(filepath.Join(dir, f), nil, 0o644); err != nil {
						t.Fatal(err)
					}
				}
				g := guard.New(guard.ForAgents, guard.Options{})
				defer g.Close()
				if err := x.do(doer{t, guardedTree(t, dir, g)}); errors.Is(err, guard.ErrDenied) != x.asked || !x.asked && err != nil {
					t.Errorf("%v", err)
				}
			})
		}
	})
}

// A link in a folder leads nowhere on the host, for no call: neither to a name that
// is asked about nor to one that is read-only.
func TestLinksOnTheWay(t *testing.T) {
	conformance.Ways(t, func(t *testing.T) {
		dir := t.TempDir()
		for _, f := range []string{".git/hooks/sample", "dir/file"} {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, f)), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, f), []byte("as it was"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		state := t.TempDir()
		if err := os.Mkdir(filepath.Join(state, wire.StateUploads), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(state, wire.StateUploads, "file"), []byte("as it was"), 0o600); err != nil {
			t.Fatal(err)
		}
		g := guard.New(guard.ForAgents, guard.Options{})
		defer g.Close()
		folder := guardedTree(t, dir, g)
		set := share.NewSet(share.Options{})
		defer set.Close()
		if err := set.AddState(state, 0); err != nil {
			t.Fatal(err)
		}
		for _, x := range []struct {
			tree         *share.Tree
			target, file string
		}{
			{folder, ".git/hooks", "sample"},
			{folder, "dir", "file"},
			{set.Lookup(wire.StateName), wire.StateUploads, "file"},
		} {
			link := "l" + x.file
			if _, err := x.tree.Symlink(x.target, link); err != nil {
				t.Fatal(err)
			}
			there, fresh := link+"/"+x.file, link+"/new"
			for what, err := range map[string]error{
				"look":     second(x.tree.Lstat(there)),
				"open":     third(x.tree.Open(there, os.O_RDWR)),
				"create":   third(x.tree.Create(fresh, 0o755, true, false)),
				"mkdir":    second(x.tree.Mkdir(fresh, 0o755)),
				"symlink":  second(x.tree.Symlink("x", fresh)),
				"link":     second(x.tree.Link(there, "mine")),
				"link to":  second(x.tree.Link(link, fresh)),
				"rename":   x.tree.Rename(there, "mine"),
				"remove":   x.tree.Remove(there),
				"chmod":    x.tree.SetMeta(there, at.Meta{Mode: new(uint32(0o777))}),
				"chtimes":  x.tree.SetMeta(there, at.Meta{ATime: time.Now(), MTime: time.Now()}),
				"truncate": x.tree.Truncate(there, 0),
			} {
				if err == nil {
					t.Errorf("%s through a link to %s", what, x.target)
				}
			}
		}
		for _, f := range []string{filepath.Join(dir, ".git/hooks/sample"), filepath.Join(dir, "dir/file"), filepath.Join(state, wire.StateUploads, "file")} {
			got, err := os.ReadFile(f)
			list, lerr := os.ReadDir(filepath.Dir(f))
			if err := errors.Join(err, lerr); err != nil || string(got) != "as it was" || len(list) != 1 {
				t.Errorf("%s: %q, %d names, %v", f, got, len(list), err)
			}
		}
	})
}

func second[T any](_ T, err error) error { return err }

func third[T, U any](_ T, _ U, err error) error { return err }

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
