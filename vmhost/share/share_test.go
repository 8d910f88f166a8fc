package share_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"piwork/vmhost/share"
	"piwork/vmhost/share/journal"
)

func openJournal(t *testing.T) *journal.Journal {
	t.Helper()
	j, err := journal.Open(filepath.Join(t.TempDir(), "journal"), journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return j
}

// Folders get names that are single components, as on the host, and unique.
func TestNames(t *testing.T) {
	set := share.NewSet(share.Options{})
	defer set.Close()
	dir := t.TempDir()
	for i, c := range []struct{ path, name, want string }{
		{"Pictures", "", "Pictures"},
		{"Pictures", "", "Pictures (2)"},
		{"x/Pictures", "", "Pictures (3)"},
		{"Bilder für Oma", "", "Bilder für Oma"},
		{"写真", "", "写真"},
		{"U\u0308", "", "U\u0308"},
		{"-rf", "", "-rf"},
		{`"quoted"`, "", `"quoted"`},
		{"line\nfeed", "", "line\nfeed"},
		{"bad\xff", "", "bad\xff"},
		{"a", "wished", "wished"},
		{"a", "../up", ".._up"},
		{"a", "..", "folder"},
		{"a", ".", "folder (2)"},
		{"a", "/", "folder (3)"},
		{"a", "nul\x00", "nul_"},
		{"a", strings.Repeat("n", 300), strings.Repeat("n", 247)},
		{"a", strings.Repeat("n", 300), strings.Repeat("n", 247) + " (2)"},
	} {
		p := filepath.Join(dir, c.path)
		if err := os.MkdirAll(p, 0o755); err != nil {
			t.Fatal(err)
		}
		f, err := set.Add(share.Folder{ID: string(rune('a' + i)), Path: p, Name: c.name, ReadOnly: true}, nil)
		if err != nil || f.Name != c.want {
			t.Errorf("%q %q: %q %v, want %q", c.path, c.name, f.Name, err, c.want)
		}
		if tree := set.Lookup(c.want); tree == nil || tree.Folder().Path != p {
			t.Errorf("%q is not found", c.want)
		}
	}
	trees, _, version := set.List()
	if len(trees) != 18 || version == 0 {
		t.Errorf("%d folders, version %d", len(trees), version)
	}
}

func TestAddRefuses(t *testing.T) {
	j := openJournal(t)
	set := share.NewSet(share.Options{})
	dir := t.TempDir()
	if _, err := set.Add(share.Folder{ID: "1", Path: dir}, j); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		f share.Folder
		j *journal.Journal
	}{
		"the same id":               {share.Folder{ID: "1", Path: t.TempDir(), ReadOnly: true}, j},
		"the same id to be changed": {share.Folder{ID: "1", Path: t.TempDir()}, j},
		"no journal":                {share.Folder{ID: "2", Path: t.TempDir()}, nil},
		"a relative path":           {share.Folder{ID: "3", Path: "relative", ReadOnly: true}, nil},
		"nothing there":             {share.Folder{ID: "4", Path: filepath.Join(dir, "none"), ReadOnly: true}, nil},
		"a file":                    {share.Folder{ID: "5", Path: file, ReadOnly: true}, nil},
	} {
		if f, err := set.Add(c.f, c.j); err == nil {
			t.Errorf("%s: %+v", name, f)
		}
	}
	set.Close()
	set.Close()
	if _, err := set.Add(share.Folder{ID: "6", Path: dir, ReadOnly: true}, nil); !errors.Is(err, share.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	// The journal is free for the next use of the folder.
	set = share.NewSet(share.Options{})
	defer set.Close()
	if _, err := set.Add(share.Folder{ID: "1", Path: dir}, j); err != nil {
		t.Error(err)
	}
}

// What mode and times become is told with the call that sets them.
func TestSetAttrTells(t *testing.T) {
	j := openJournal(t)
	set := share.NewSet(share.Options{})
	defer set.Close()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := set.Add(share.Folder{ID: "1", Path: dir, Name: "f"}, j); err != nil {
		t.Fatal(err)
	}
	o := share.Object{Tree: set.Lookup("f"), Rel: "file"}
	for _, m := range []share.Meta{{Mode: new(uint32(0o600))}, {MTime: time.Unix(1e9, 0)}} {
		told, err := o.SetAttr(nil, m)
		if err != nil {
			t.Fatal(err)
		}
		if now, err := o.Tree.Lstat("file"); err != nil || told != now {
			t.Errorf("told %+v, %+v is there: %v", told, now, err)
		}
	}
}

// A folder is taken away while it is worked in: every call ends, with an error
// or its work, and nothing is left open.
func TestRemoveWhileUsed(t *testing.T) {
	before := openFiles(t)
	j := openJournal(t)
	set := share.NewSet(share.Options{})
	dir := t.TempDir()
	if _, err := set.Add(share.Folder{ID: "1", Path: dir, Name: "f"}, j); err != nil {
		t.Fatal(err)
	}
	tree := set.Lookup("f")
	var wg sync.WaitGroup
	started := make(chan struct{}, 8)
	for i := range 8 {
		wg.Go(func() {
			name := string(rune('a' + i))
			for n := 0; ; n++ {
				f, _, err := tree.Create(name, 0o644, false, true)
				if err == nil {
					_, err = f.WriteAt([]byte("x"), 0)
					if n%2 == 0 {
						f.Close() // the others are closed with the folder
					}
				}
				if n == 3 {
					started <- struct{}{}
				}
				if errors.Is(err, share.ErrGone) || errors.Is(err, share.ErrTooManyOpen) {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for range 8 {
		<-started
	}
	set.Remove("1")
	wg.Wait()
	if _, err := tree.Lstat("."); !errors.Is(err, share.ErrGone) {
		t.Errorf("after Remove: %v", err)
	}
	set.Close()
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if after := openFiles(t); after > before {
		t.Errorf("%d files open, were %d", after, before)
	}
}

func openFiles(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(list)
}

func TestJoin(t *testing.T) {
	for _, n := range []string{"", ".", "..", "a/b", "/", "a\x00", strings.Repeat("a", 256)} {
		if p, err := share.Join("dir", n); err == nil {
			t.Errorf("%q: %q", n, p)
		}
	}
	if p, err := share.Join(".", "a"); p != "a" || err != nil {
		t.Errorf("%q %v", p, err)
	}
	deep := "d"
	for {
		next, err := share.Join(deep, strings.Repeat("d", 200))
		if err != nil {
			break
		}
		deep = next
	}
	if len(deep) > 4096 {
		t.Errorf("a path of %d bytes", len(deep))
	}
}

func TestCheckFolder(t *testing.T) {
	home := filepath.Join(t.TempDir(), "people", "oma")
	data := filepath.Join(home, ".local", "share", "piwork")
	for _, d := range []string{"Pictures/holiday", ".local/share/piwork/tasks", "Documents"} {
		if err := os.MkdirAll(filepath.Join(home, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	links := map[string]string{"to-home": home, "to-pictures": filepath.Join(home, "Pictures"), "to-data": data, "to-etc": "/etc", "to-nothing": "/nowhere", "loop": "loop"}
	for n, target := range links {
		if err := os.Symlink(target, filepath.Join(home, "Documents", n)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(home, "file"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	protected := []string{"", data, filepath.Join(home, ".config", "not", "made", "yet")}
	type test struct {
		path string
		want share.RefusedCode
	}
	tests := []test{
		{filepath.Join(home, "Pictures"), ""},
		{filepath.Join(home, "Pictures", "holiday"), ""},
		{filepath.Join(home, "Documents", "to-pictures"), ""},
		{filepath.Join(home, "Pictures", "..", "Documents"), ""},
		{home, share.RefusedHome},
		{home + "/.", share.RefusedHome},
		{filepath.Join(home, "Documents", "to-home"), share.RefusedHome},
		{filepath.Dir(home), share.RefusedHome},
		{"/", share.RefusedDiskRoot},
		{data, share.RefusedOwnData},
		{filepath.Join(data, "tasks"), share.RefusedOwnData},
		{filepath.Join(home, ".local"), share.RefusedOwnData},
		{filepath.Join(home, "Documents", "to-data"), share.RefusedOwnData},
		{filepath.Join(home, "file"), share.RefusedNotAFolder},
		{filepath.Join(home, "none"), share.RefusedMissing},
		{filepath.Join(home, "Documents", "to-nothing"), share.RefusedMissing},
		{filepath.Join(home, "Documents", "loop"), share.RefusedMissing},
		{filepath.Join(home, ".config"), share.RefusedMissing},
	}
	if runtime.GOOS == "linux" {
		tests = append(tests, test{"/etc", share.RefusedSystem}, test{"/usr/bin", share.RefusedSystem},
			test{"/proc/self", share.RefusedSystem}, test{filepath.Join(home, "Documents", "to-etc"), share.RefusedSystem})
	}
	for _, c := range tests {
		err := share.CheckFolder(c.path, protected)
		var refused *share.RefusedError
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.path, err)
		case c.want != "" && (!errors.As(err, &refused) || refused.Code != c.want || refused.Path != c.path):
			t.Errorf("%s: %v, want %s", c.path, err, c.want)
		}
	}
	if os.Getuid() > 0 {
		closed := filepath.Join(home, "closed")
		if err := os.Mkdir(closed, 0); err != nil {
			t.Fatal(err)
		}
		var refused *share.RefusedError
		if err := share.CheckFolder(closed, nil); !errors.As(err, &refused) || refused.Code != share.RefusedNoPermission || !errors.Is(err, fs.ErrPermission) {
			t.Errorf("a closed folder: %v", err)
		}
	}
}
