package share_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hugelgupf/p9/linux"

	"piwork/vmhost"
	"piwork/vmhost/share"
	"piwork/vmhost/share/guard"
	"piwork/vmhost/share/internal/errno"
	"piwork/vmhost/share/journal"
	"piwork/vmhost/share/online/onlinetest"
)

// away is a shared folder of which all files are only online.
type away struct {
	*onlinetest.Cloud
	t     *testing.T
	tree  *share.Tree
	j     *journal.Journal
	asked []vmhost.Question
}

const large = 3_000_000 // bytes: kept in parts

// newAway shares the folder; answer is a person's to each question, "" for nobody there.
func newAway(t *testing.T, p guard.Policy, answer string) *away {
	t.Helper()
	return newAwayWith(t, p, answer, false)
}

// newAwayWith has, with beside, the journal on the same file system, where files can be moved.
func newAwayWith(t *testing.T, p guard.Policy, answer string, beside bool) *away {
	t.Helper()
	a := &away{t: t, Cloud: onlinetest.Mount(t, map[string]string{
		"f/a.txt": "content of a", "f/b.txt": "content of b", "f/c.txt": "content of c", "f/d.txt": "content of d", "f/e.txt": "content of e",
		"f/sub/large.bin": strings.Repeat("0123456789", large/10), "f/empty": "",
	})}
	keep := filepath.Join(t.TempDir(), "journal")
	if beside {
		keep = filepath.Join(a.Dir, "journal")
	}
	a.Dir = filepath.Join(a.Dir, "f")
	o := guard.Options{Window: time.Millisecond}
	if answer != "" {
		o.Ask = func(_ context.Context, q vmhost.Question, _ <-chan vmhost.Question) (guard.Answer, error) {
			a.asked = append(a.asked, q)
			return guard.Answer{Decision: vmhost.Decision{Answer: answer, Scope: vmhost.ScopeOnce}}, nil
		}
	}
	g := guard.New(p, o)
	t.Cleanup(g.Close)
	j, err := journal.Open(keep, journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	a.j = j
	set := share.NewSet(share.Options{})
	t.Cleanup(func() {
		set.Close()
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	})
	f, err := set.Add(share.Folder{ID: "f", Path: a.Dir, Name: "Cloud", Guard: g}, j)
	if err != nil {
		t.Fatal(err)
	}
	a.tree = set.Lookup(f.Name)
	return a
}

func (a *away) settle(do func() error) error { return share.Settle(a.t.Context(), do) }

func (a *away) read(rel string) (string, error) {
	var f *share.File
	err := a.settle(func() (err error) { f, _, err = a.tree.Open(rel, os.O_RDONLY); return err })
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.NewSectionReader(f, 0, 1<<30))
	return string(b), err
}

func (a *away) untouched(when string) {
	a.t.Helper()
	if a.Opens() != 0 || a.Reads() != 0 {
		a.t.Errorf("%s: %d opened, %d read", when, a.Opens(), a.Reads())
	}
}

var freely = guard.Policy{Deletes: guard.Limit{Free: 100}, Changes: guard.Limit{Free: 100}, Fetches: guard.DefaultFetches}

// Nothing is downloaded by looking: lists, attributes, modes and times, renames.
func TestLookingDownloadsNothing(t *testing.T) {
	a := newAway(t, freely, "")
	d, _, err := a.tree.Open(".", os.O_RDONLY)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if list, err := d.List(0, 4096, ".", nil); err != nil || len(list) < 7 {
		t.Fatal(list, err)
	}
	info, err := a.tree.Lstat("a.txt")
	if err != nil || !info.Online || info.Blocks == 0 {
		t.Errorf("%+v %v", info, err)
	}
	if info, err := a.tree.Lstat("empty"); err != nil || info.Online {
		t.Errorf("%+v %v", info, err)
	}
	if _, err := a.tree.ListXattr("a.txt"); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		t.Error(err)
	}
	if err := errors.Join(a.tree.SetMeta("b.txt", share.Meta{MTime: time.Unix(1e9, 0)}), a.tree.Rename("c.txt", "sub/c.txt")); err != nil {
		t.Error(err)
	}
	a.untouched("after looking and renaming")
	if got, err := a.read("a.txt"); got != "content of a" || err != nil || a.Reads() != 1 {
		t.Errorf("%q %v %d", got, err, a.Reads())
	}
	if info, err := a.tree.Lstat("a.txt"); err != nil || info.Online {
		t.Errorf("%+v %v", info, err)
	}
}

// What is not here is no hole: a program that skips holes would copy zeros.
func TestWhatIsOnlineIsNoHole(t *testing.T) {
	const seekData, seekHole = 3, 4
	a := newAway(t, freely, "")
	f, _, err := a.tree.Open("sub/large.bin", os.O_RDONLY)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if off, err := f.Seek(10, seekData); off != 10 || err != nil {
		t.Error(off, err)
	}
	if off, err := f.Seek(10, seekHole); off != large || err != nil {
		t.Error(off, err)
	}
}

// More than the bound is asked about, once for a file; a no leaves all as it was.
func TestDownloadingMuchIsAskedAbout(t *testing.T) {
	p := freely
	p.Fetches = 30
	a := newAway(t, p, vmhost.AnswerDeny)
	for range 3 {
		if got, err := a.read("a.txt"); got != "content of a" || err != nil {
			t.Fatal(got, err)
		}
	}
	if _, err := a.read("b.txt"); err != nil || len(a.asked) != 0 {
		t.Fatal(err, a.asked)
	}
	for what, do := range map[string]func() error{
		"read":    func() error { _, err := a.read("c.txt"); return err },
		"delete":  func() error { return a.settle(func() error { return a.tree.Remove("c.txt") }) },
		"replace": func() error { return a.settle(func() error { return a.tree.Rename("a.txt", "c.txt") }) },
		"overwrite": func() error {
			return a.settle(func() error { _, _, err := a.tree.Open("c.txt", os.O_WRONLY|os.O_TRUNC); return err })
		},
	} {
		if err := do(); !errors.Is(err, share.ErrFetch) || errno.Of(err) != linux.EREMOTEIO {
			t.Errorf("%s: %v", what, err)
		}
	}
	if a.Reads() != 2 {
		t.Errorf("%d were downloaded", a.Reads())
	}
	if info, err := a.tree.Lstat("c.txt"); err != nil || !info.Online {
		t.Errorf("%+v %v", info, err)
	}
	if q := a.asked[0]; q.Text.Code != "guard-fetch-much" || q.Text.Params["next"] != 30 || q.Text.Params["bytes"] != int64(24) {
		t.Errorf("%+v", q)
	}
}

func TestDownloadingGoesOnAfterAYes(t *testing.T) {
	p := freely
	p.Fetches = 10
	a := newAway(t, p, vmhost.AnswerAllow)
	if got, err := a.read("a.txt"); got != "content of a" || err != nil || len(a.asked) != 1 {
		t.Error(got, err, a.asked)
	}
	if got, err := a.read("sub/large.bin"); len(got) != large || err != nil || len(a.asked) != 2 {
		t.Error(len(got), err, a.asked)
	}
}

// What a task deletes, replaces and overwrites is downloaded first, and comes back; nothing of it is
// moved to the journal, where no service would bring its content.
func TestWhatWasOnlineComesBack(t *testing.T) {
	for name, beside := range map[string]bool{"journal on another disk": false, "journal on the same": true} {
		t.Run(name, func(t *testing.T) { comesBack(t, newAwayWith(t, freely, "", beside)) })
	}
}

func comesBack(t *testing.T, a *away) {
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(a.tree.Remove("a.txt"))
	if a.Reads() != 1 { // and not the files beside it
		t.Errorf("%d were downloaded", a.Reads())
	}
	check(a.tree.Remove("sub/large.bin"))
	check(a.tree.Rename("b.txt", "c.txt"))
	f, _, err := a.tree.Open("d.txt", os.O_WRONLY|os.O_TRUNC)
	check(err)
	_, err = f.WriteAt([]byte("new"), 0)
	check(err)
	f.Close()
	if info, err := a.tree.Lstat("e.txt"); err != nil || !info.Online {
		t.Errorf("what nobody touched: %+v %v", info, err)
	}
	if a.Reads() != 4 {
		t.Errorf("%d were downloaded of 4", a.Reads())
	}
	report, err := a.j.Undo(t.Context(), nil, journal.UndoOptions{})
	if err != nil || len(report.Conflicts) > 0 {
		t.Fatalf("%+v %v", report, err)
	}
	for rel, want := range map[string]string{"a.txt": "content of a", "b.txt": "content of b", "c.txt": "content of c", "d.txt": "content of d",
		"sub/large.bin": strings.Repeat("0123456789", large/10)} {
		if got, err := os.ReadFile(filepath.Join(a.Dir, rel)); string(got) != want || err != nil {
			t.Errorf("%s: %d bytes, %v", rel, len(got), err)
		}
	}
}

// A program that deletes one file after the other has none kept ahead that is only online.
func TestNothingIsDownloadedAhead(t *testing.T) {
	a := newAway(t, freely, "")
	for i, rel := range []string{"a.txt", "b.txt", "c.txt", "d.txt"} {
		if err := a.tree.Remove(rel); err != nil {
			t.Fatal(err)
		}
		if a.Reads() != i+1 {
			t.Errorf("%d were downloaded for %d", a.Reads(), i+1)
		}
	}
}

// Where the service is away, nothing is changed whose content could not be kept.
func TestWhatCannotBeDownloadedStays(t *testing.T) {
	a := newAway(t, freely, "")
	a.Offline(true)
	for what, do := range map[string]func() error{
		"read":      func() error { _, err := a.read("a.txt"); return err },
		"delete":    func() error { return a.tree.Remove("a.txt") },
		"large":     func() error { return a.tree.Remove("sub/large.bin") },
		"replace":   func() error { return a.tree.Rename("b.txt", "a.txt") },
		"overwrite": func() error { return a.tree.Truncate("a.txt", 0) },
	} {
		if err := do(); !errors.Is(err, share.ErrFetch) || errno.Of(err) != linux.EREMOTEIO {
			t.Errorf("%s: %v", what, err)
		}
	}
	a.Offline(false)
	for rel, want := range map[string]string{"a.txt": "content of a", "b.txt": "content of b", "sub/large.bin": strings.Repeat("0123456789", large/10)} {
		if got, err := os.ReadFile(filepath.Join(a.Dir, rel)); string(got) != want || err != nil {
			t.Errorf("%s: %q %v", rel, got, err)
		}
	}
}

// What undo keeps for a redo has its content, also where only the service has it by then: a name
// of it in the journal, out of the service's folder, would be one without content.
func TestWhatIsUndoneIsDownloaded(t *testing.T) {
	a := newAwayWith(t, freely, "", true)
	for _, rel := range []string{"made.txt", "d.txt"} {
		f, _, err := a.tree.Create(rel, 0o644, false, true)
		if err == nil {
			_, err = f.WriteAt([]byte("of the task"), 0)
		}
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	if _, err := a.j.Changes(t.Context()); err != nil { // as at the end of a task
		t.Fatal(err)
	}
	if err := errors.Join(a.Free("made.txt"), a.Free("d.txt")); err != nil {
		t.Fatal(err)
	}
	if r, err := a.j.Undo(t.Context(), nil, journal.UndoOptions{}); err != nil || len(r.Conflicts) > 0 {
		t.Fatalf("%+v %v", r, err)
	}
	if got, err := os.ReadFile(filepath.Join(a.Dir, "d.txt")); string(got) != "content of d" || err != nil {
		t.Errorf("undone: %q %v", got, err)
	}
	a.Offline(true)
	if r, err := a.j.Redo(t.Context(), nil); err != nil || len(r.Conflicts) > 0 {
		t.Errorf("%+v %v", r, err)
	}
	for _, rel := range []string{"made.txt", "d.txt"} {
		if got, err := os.ReadFile(filepath.Join(a.Dir, rel)); string(got) != "of the task" || err != nil {
			t.Errorf("%s: %q %v", rel, got, err)
		}
	}
}

// A list downloads nothing of what the service has freed since the task wrote it, and undo
// puts it back all the same.
func TestListsDownloadNothing(t *testing.T) {
	all := []string{"made.txt", "d.txt", "sub/large.bin"} // new, kept as a whole, kept in parts
	t.Run("still away", func(t *testing.T) { listsDownloadNothing(t, all, nil) })
	t.Run("downloaded again", func(t *testing.T) { listsDownloadNothing(t, all, all) })
}

func listsDownloadNothing(t *testing.T, all, here []string) {
	t.Helper()
	a := newAway(t, freely, "")
	write := func(rel, data string, off int64) {
		t.Helper()
		var f *share.File
		err := a.settle(func() (err error) { f, _, err = a.tree.Create(rel, 0o644, false, false); return err })
		if err != nil {
			t.Fatal(err)
		}
		if err := a.settle(func() error { _, err := f.WriteAt([]byte(data), off); return err }); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	for _, rel := range all {
		write(rel, "of the task", 1)
		if err := a.Free(rel); err != nil {
			t.Fatal(err)
		}
	}
	opens, reads := a.Opens(), a.Reads()
	for range 2 {
		list, err := a.j.Changes(t.Context())
		if err != nil || len(list) != len(all) {
			t.Errorf("%+v %v", list, err)
		}
	}
	if a.Opens() != opens || a.Reads() != reads {
		t.Errorf("%d opened, %d read", a.Opens()-opens, a.Reads()-reads)
	}
	for _, rel := range here { // a person opens it: what its service does then changes its times
		if _, err := os.ReadFile(filepath.Join(a.Dir, rel)); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(filepath.Join(a.Dir, rel), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if r, err := a.j.Undo(t.Context(), nil, journal.UndoOptions{}); err != nil || len(r.Conflicts) > 0 {
		t.Fatalf("%+v %v", r, err)
	}
	if got, err := os.ReadFile(filepath.Join(a.Dir, "d.txt")); string(got) != "content of d" || err != nil {
		t.Errorf("undone: %q %v", got, err)
	}
	if got, err := os.ReadFile(filepath.Join(a.Dir, "sub/large.bin")); string(got) != strings.Repeat("0123456789", large/10) || err != nil {
		t.Errorf("undone: %d bytes, %v", len(got), err)
	}
	if _, err := os.Lstat(filepath.Join(a.Dir, "made.txt")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("undone: %v", err)
	}
}
