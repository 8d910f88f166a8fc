package review

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal"
)

// acl gives user 12345 rw.
var acl = []byte{2, 0, 0, 0, 1, 0, 6, 0, 0xff, 0xff, 0xff, 0xff, 2, 0, 6, 0, 0x39, 0x30, 0, 0,
	4, 0, 4, 0, 0xff, 0xff, 0xff, 0xff, 0x10, 0, 6, 0, 0xff, 0xff, 0xff, 0xff, 0x20, 0, 4, 0, 0xff, 0xff, 0xff, 0xff}

// rights are whom a file belongs to and who may use it.
func rights(t *testing.T, path string) string {
	t.Helper()
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil {
		return err.Error()
	}
	buf := make([]byte, 256)
	n, err := unix.Lgetxattr(path, "system.posix_acl_access", buf)
	return fmt.Sprintf("%o %d:%d %x %v", st.Mode, st.Uid, st.Gid, buf[:max(n, 0)], err)
}

// A file keeps owner, group and ACL when its changed content is applied, also when the
// task saved it by putting a new one in its place, and has all of that after undo. The
// capabilities of a program do not pass to what the task made of it.
func TestApplyKeepsRights(t *testing.T) {
	w, s := start(t, "written", "saved", "program")
	before := map[string]string{}
	for _, name := range []string{"written", "saved"} {
		p := filepath.Join(w.dir, name)
		if err := unix.Setxattr(p, "system.posix_acl_access", acl, 0); err != nil {
			t.Skipf("the file system keeps no ACLs: %v", err)
		}
		if os.Geteuid() == 0 { // others may only give a file to groups that they are in
			w.check(os.Chown(p, 0, 4242))
		}
		before[name] = rights(t, p)
	}
	program := filepath.Join(w.dir, "program")
	capable := unix.Setxattr(program, at.Capability, []byte{1, 0, 0, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 0) == nil
	w.check(errors.Join(s.write("written", "task", 0), s.create("n", "task"), s.chmod("n", 0o664), s.rename("n", "saved"), s.write("program", "task", 0)))
	if r := w.apply(nil, ApplyOptions{}); len(r.Conflicts) > 0 {
		t.Fatalf("%+v", r.Conflicts)
	}
	for name, want := range before {
		if got := rights(t, filepath.Join(w.dir, name)); got != want {
			t.Errorf("%s: %s\nbefore: %s", name, got, want)
		}
		if got, err := os.ReadFile(filepath.Join(w.dir, name)); !strings.HasPrefix(string(got), "task") {
			t.Errorf("%s: %q %v", name, got, err)
		}
	}
	if _, err := unix.Getxattr(program, at.Capability, make([]byte, 64)); capable && err == nil {
		t.Error("what the task made may do what the person's program may")
	}
	r, err := w.j.Undo(t.Context(), nil, journal.UndoOptions{})
	if err != nil || len(r.Conflicts)+len(r.Lacking) > 0 {
		t.Errorf("%+v %v", r, err)
	}
	for name, want := range before {
		if got := rights(t, filepath.Join(w.dir, name)); got != want {
			t.Errorf("%s after undo: %s\nbefore: %s", name, got, want)
		}
	}
	if _, err := unix.Getxattr(program, at.Capability, make([]byte, 64)); capable && err != nil {
		t.Errorf("the capabilities after undo: %v", err)
	}
}
