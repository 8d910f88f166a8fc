package journal

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const envFull = "PIWORK_TEST_FULL" // the directories, for a child

func init() { children[envFull] = fullChild }

// Undo writes into some files in place. Where a full disk has no room for what they had before, they
// stay as the task left them, or as a person did, and come back when there is room.
func TestUndoInPlaceOnFullDisk(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), envFull+"="+t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	if os.Geteuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}
	}
	out, err := cmd.CombinedOutput()
	if strings.Contains(string(out), "cannot mount") || cmd.ProcessState == nil {
		t.Skipf("nothing can be mounted here: %v %s", err, out)
	}
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func fullChild(base string) {
	w := &world{t: &childT{}, dir: filepath.Join(base, "folder"), jdir: filepath.Join(base, "journal"), oldtime: time.Now().Add(-time.Hour)}
	w.check(os.MkdirAll(w.dir, 0o755))
	err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "")
	if err == nil {
		err = unix.Mount("tmpfs", w.dir, "tmpfs", 0, "size=8m")
	}
	if err != nil {
		w.t.Fatalf("cannot mount: %v", err)
	}
	before := bytes.Repeat([]byte("before, "), 256<<10)
	for name, size := range map[string]int{"parts": 2 << 20, "a": 512 << 10, "theirs": 512 << 10} {
		w.check(os.WriteFile(filepath.Join(w.dir, name), before[:size], 0o644))
	}
	w.seed("b = a", "theirs too = theirs")
	w.start()
	w.mark()
	w.check(w.write("parts", "task", 0))
	w.check(w.truncate("parts", 100_000))
	w.check(w.write("a", "task", -1))
	w.check(w.write("theirs", "task", -1))
	w.changes()
	w.by("theirs", "the person's")
	answers := UndoOptions{Resolve: map[string]Resolution{w.id("theirs"): Restore}}
	filler, err := os.Create(filepath.Join(w.dir, "filler"))
	for err == nil {
		_, err = filler.Write(before[:4096])
	}
	w.check(filler.Close())
	if !errors.Is(err, syscall.ENOSPC) {
		w.t.Fatal(err)
	}
	for range 2 {
		r, err := w.j.Undo(context.Background(), nil, answers)
		w.check(err)
		if len(r.Undone) > 0 || len(r.Conflicts) != 3 {
			w.t.Fatalf("%+v", r)
		}
		for name, want := range map[string][]byte{"parts": append([]byte("task"), before[4:100_000]...), "a": []byte("task"), "theirs": []byte("the person's")} {
			if got, err := os.ReadFile(filepath.Join(w.dir, name)); !bytes.Equal(got, want) {
				w.t.Fatalf("%s: %d bytes, %.60q %v", name, len(got), got, err)
			}
		}
	}
	w.check(os.Remove(filler.Name()))
	if r, err := w.j.Undo(context.Background(), nil, answers); err != nil || len(r.Conflicts) > 0 {
		w.t.Fatalf("%v %+v", err, r)
	}
	for name, size := range map[string]int{"parts": 2 << 20, "a": 512 << 10, "theirs": 512 << 10} {
		if got, err := os.ReadFile(filepath.Join(w.dir, name)); !bytes.Equal(got, before[:size]) {
			w.t.Fatalf("%s: %d bytes, %v", name, len(got), err)
		}
	}
	w.stop()
	w.check(unix.Unmount(w.dir, 0))
}
