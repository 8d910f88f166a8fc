package share_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"piwork/vmhost/share"
	"piwork/vmhost/share/drive"
	"piwork/vmhost/share/drive/drivetest"
	"piwork/vmhost/share/journal"
)

// shareSilent shares a drive that shows a directory with files.
func shareSilent(t *testing.T, o share.Options) (d *drivetest.Drive, behind, log string, j *journal.Journal, set *share.Set, tree *share.Tree) {
	t.Helper()
	behind, log = t.TempDir(), filepath.Join(t.TempDir(), "journal")
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.Mkdir(filepath.Join(behind, "dir"), 0o755))
	for _, name := range []string{"file", "other", "dir/file"} {
		must(os.WriteFile(filepath.Join(behind, name), []byte("original of "+name), 0o644))
	}
	d = drivetest.Mount(t, behind)
	j, err := journal.Open(log, journal.Options{})
	must(err)
	set = share.NewSet(o)
	_, err = set.Add(share.Folder{ID: "f", Path: d.Dir, Name: "drive"}, j)
	must(err)
	return d, behind, log, j, set, set.Lookup("drive")
}

// listing is what is in a directory, with modes and contents.
func listing(t *testing.T, dir string) (out []string) {
	t.Helper()
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		data, _ := os.ReadFile(path)
		out = append(out, fmt.Sprintf("%s %v %q", path, info.Mode(), data))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A drive goes silent in the middle of a call, the sharing ends, and the drive answers again: the
// call changes nothing any more, but for what the drive was doing already, which can be undone.
func TestCallThatReturnsAfterTheEnd(t *testing.T) {
	drivetest.Hasten(t)
	ops := map[string]func(*share.Tree) error{
		"write": func(tree *share.Tree) error {
			f, _, err := tree.Open("file", os.O_RDWR)
			if err == nil {
				_, err = f.WriteAt([]byte("changed"), 0)
			}
			if err == nil {
				err = f.Sync() // the kernel may keep what was written until then
			}
			return err
		},
		"truncate": func(tree *share.Tree) error { return tree.Truncate("file", 3) },
		"create":   func(tree *share.Tree) error { _, _, err := tree.Create("dir/new", 0o644, true, false); return err },
		"mkdir":    func(tree *share.Tree) error { _, err := tree.Mkdir("dir/new", 0o755); return err },
		"rename":   func(tree *share.Tree) error { return tree.Rename("file", "other") },
		"remove":   func(tree *share.Tree) error { return tree.Remove("dir/file") },
		"mode":     func(tree *share.Tree) error { return tree.SetMeta("file", share.Meta{Mode: new(uint32(0o600))}) },
		"read": func(tree *share.Tree) error {
			f, _, err := tree.Open("file", os.O_RDONLY)
			if err == nil {
				_, err = f.ReadAt(make([]byte, 5), 0)
			}
			return err
		},
	}
	looks := []string{drivetest.Lookup, drivetest.GetAttr, drivetest.Open, drivetest.Read}
	met := 0
	for op, do := range ops {
		for _, call := range append(looks, drivetest.Write, drivetest.SetAttr, drivetest.Create, drivetest.Mkdir, drivetest.Rename, drivetest.Unlink) {
			t.Run(op+" at "+call, func(t *testing.T) {
				d, behind, log, j, set, tree := shareSilent(t, share.Options{})
				before := listing(t, behind)
				silent, done, closed := d.SilentAt(call), make(chan error, 1), make(chan struct{})
				go func() { done <- do(tree) }()
				select {
				case <-done:
					set.Close()
					_ = j.Close()
					return // it makes no such call
				case <-silent:
				}
				met++
				go func() { set.Close(); close(closed) }()
				for end := time.Now().Add(5 * time.Second); ; time.Sleep(time.Millisecond) {
					if _, err := tree.Lstat("."); err != nil { // it is being closed
						break
					} else if time.Now().After(end) {
						t.Fatal("it goes on")
					}
				}
				d.Answer()
				err := <-done
				<-closed
				if err := j.Close(); err != nil {
					t.Fatal(err)
				}
				after := listing(t, behind)
				if slices.Contains(looks, call) && (!slices.Equal(before, after) || err == nil && op != "read") {
					t.Errorf("%v\n%q\nwas %q", err, after, before)
				}
				if j, err = journal.Open(log, journal.Options{}); err != nil {
					t.Fatal(err)
				}
				defer j.Close()
				if rep, err := j.Undo(t.Context(), nil, journal.UndoOptions{}); err != nil || len(rep.Conflicts) > 0 {
					t.Errorf("%+v, %v", rep, err)
				}
				if after = listing(t, behind); !slices.Equal(before, after) {
					t.Errorf("undone: %q\nwas %q", after, before)
				}
			})
		}
	}
	if met < 20 {
		t.Errorf("only %d cases", met)
	}
}

// A drive that does not answer is told of once, one that is slow is not, and neither is a
// folder that nobody uses.
func TestSilenceIsToldOnce(t *testing.T) {
	drivetest.Hasten(t)
	var told atomic.Int64
	d, _, _, j, set, tree := shareSilent(t, share.Options{Silent: func(f share.Folder) {
		if told.Add(1); f.ID != "f" {
			t.Errorf("%+v", f)
		}
	}})
	defer j.Close()
	defer set.Close()
	waits, done := d.SlowAt(drivetest.Lookup), make(chan struct{})
	go func() { _, _ = tree.Lstat("file"); close(done) }()
	<-waits
	time.Sleep(3 * drive.Silence())
	if told.Load() != 0 {
		t.Error("slow")
	}
	d.Answer()
	<-done
	d.SilentAt(drivetest.Statfs)
	time.Sleep(2 * drive.Silence())
	if told.Load() != 0 {
		t.Error("nobody uses it")
	}
	d.Answer()
	d.SilentAt(drivetest.Lookup)
	done = make(chan struct{})
	go func() { _, _ = tree.Lstat("file"); close(done) }()
	for end := time.Now().Add(10 * time.Second); told.Load() == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("nobody is told")
		}
	}
	time.Sleep(2 * drive.Silence())
	if told.Load() != 1 {
		t.Errorf("told %d times", told.Load())
	}
	d.Answer()
	<-done
}

// A drive that is silent when its folder is to be shared is an error in time.
func TestSharingOfASilentDrive(t *testing.T) {
	drivetest.Hasten(t)
	j := openJournal(t)
	set := share.NewSet(share.Options{})
	defer set.Close()
	for name, look := range map[string]func(dir string) error{
		"check": func(dir string) error { return share.CheckFolder(dir, nil) },
		"share": func(dir string) error {
			_, err := set.Add(share.Folder{ID: "g", Path: dir, Name: "g"}, j)
			return err
		},
	} {
		d := drivetest.Mount(t, t.TempDir())
		d.SilentAt(drivetest.GetAttr)
		began := time.Now()
		err := look(d.Dir)
		if silent, is := errors.AsType[*drive.SilentError](err); !is || silent.Dir != d.Dir || time.Since(began) > time.Minute {
			t.Errorf("%s: %v after %v", name, err, time.Since(began))
		}
		d.Answer()
	}
	if trees, _, _ := set.List(); len(trees) > 0 {
		t.Error("it is shared")
	}
}

// A call that a silent drive never answers does not keep a share from closing, nor the journal.
func TestCloseWithSilentDrive(t *testing.T) {
	drivetest.Hasten(t)
	d := drivetest.Mount(t, t.TempDir())
	dir := filepath.Join(d.Dir, "folder")
	if err := errors.Join(os.Mkdir(dir, 0o755), os.WriteFile(filepath.Join(dir, "file"), []byte("x"), 0o644)); err != nil {
		t.Fatal(err)
	}
	j, set := openJournal(t), share.NewSet(share.Options{})
	f, err := set.Add(share.Folder{ID: "f", Path: dir}, j)
	if err != nil {
		t.Fatal(err)
	}
	tree := set.Lookup(f.Name)
	d.SilentAt(drivetest.Lookup)
	done := make(chan struct{})
	go func() { _ = tree.Remove("file"); close(done) }()
	time.Sleep(50 * time.Millisecond)
	began := time.Now()
	set.Close()
	if err := j.Close(); !errors.Is(err, journal.ErrBusy) {
		t.Errorf("closed: %v", err)
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
	select {
	case <-done:
		t.Error("the drive answered")
	default:
	}
	d.Answer()
	<-done
	if _, err := os.Stat(filepath.Join(dir, "file")); err != nil {
		t.Errorf("a call that went on after the end changed something: %v", err)
	}
}
