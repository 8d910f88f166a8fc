package journal

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal/internal/recorder"
)

// acl gives user 12345 rw.
var acl = []byte{2, 0, 0, 0, 1, 0, 6, 0, 0xff, 0xff, 0xff, 0xff, 2, 0, 6, 0, 0x39, 0x30, 0, 0,
	4, 0, 4, 0, 0xff, 0xff, 0xff, 0xff, 0x10, 0, 6, 0, 0xff, 0xff, 0xff, 0xff, 0x20, 0, 4, 0, 0xff, 0xff, 0xff, 0xff}

// capability is cap_net_bind_service=ep (VFS_CAP_REVISION_2).
var capability = []byte{1, 0, 0, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}

// rights are what a file or a directory has of that.
func rights(t testing.TB, path string) string {
	t.Helper()
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil {
		return err.Error()
	}
	out := []string{fmt.Sprintf("%o %d:%d", st.Mode, st.Uid, st.Gid)}
	buf := make([]byte, 256)
	for _, name := range []string{"system.posix_acl_access", "system.posix_acl_default", at.Capability, "user.tag"} {
		if n, err := unix.Lgetxattr(path, name, buf); err == nil {
			out = append(out, fmt.Sprintf("%s=%x", name, buf[:n]))
		}
	}
	f, err := os.Open(path)
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	flags, _ := unix.IoctlGetUint32(int(f.Fd()), unix.FS_IOC_GETFLAGS)
	return strings.Join(append(out, fmt.Sprintf("%x", flags&0xc0)), " ")
}

func restricted(t testing.TB, path string, dir bool) {
	t.Helper()
	if err := unix.Setxattr(path, "system.posix_acl_access", acl, 0); err != nil {
		t.Skipf("the file system keeps no ACLs: %v", err)
	}
	if dir {
		if err := unix.Setxattr(path, "system.posix_acl_default", acl, 0); err != nil {
			t.Fatal(err)
		}
	}
	if os.Geteuid() == 0 { // others may only give a file to groups that they are in
		if err := os.Chown(path, 0, 4242); err != nil {
			t.Fatal(err)
		}
		if !dir {
			_ = unix.Setxattr(path, at.Capability, capability, 0) // not in every container
		}
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if flags, err := unix.IoctlGetUint32(int(f.Fd()), unix.FS_IOC_GETFLAGS); err == nil {
		_ = unix.IoctlSetPointerInt(int(f.Fd()), unix.FS_IOC_SETFLAGS, int(flags|0xc0)) // no dump, no atime; where it knows them
	}
}

// What a task overwrites, replaces or deletes comes back with owner, group, ACLs,
// capabilities and flags, wherever the journal lies.
func TestUndoRestoresRights(t *testing.T) {
	for _, where := range []string{"same", "other"} {
		t.Run(where, func(t *testing.T) {
			jdir := ""
			if where == "other" {
				jdir = filepath.Join(otherFS(t), "j")
			}
			w := newWorld(t, jdir)
			w.seed("over", "saved", "gone", "rewritten and gone", "d/inner", "many/0", "many/1", "many/2", "many/3", "many/4", "many/5", "many/6", "many/7", "many/8")
			var all []string
			for _, name := range []string{"over", "saved", "gone", "rewritten and gone", "d/inner", "d", "many/0", "many/1", "many/2", "many/3", "many/4", "many/5", "many/6", "many/7", "many/8"} {
				restricted(t, filepath.Join(w.dir, name), name == "d")
				all = append(all, name)
			}
			w.age()
			before := map[string]string{}
			for _, name := range all {
				before[name] = rights(t, filepath.Join(w.dir, name))
			}
			tree := w.tree()
			w.start()
			w.check(w.write("over", "task", -1))
			w.check(w.save("saved", "task"))
			w.check(w.remove("gone"))
			w.check(w.write("rewritten and gone", "task", -1))
			w.check(w.remove("rewritten and gone"))
			w.check(w.rmrf("d"))
			for i := range 9 {
				if i%2 == 0 {
					w.check(w.write(fmt.Sprint("many/", i), "task", -1))
				} else {
					w.check(w.remove(fmt.Sprint("many/", i)))
				}
			}
			after := w.tree()
			r := w.undo()
			if d := diff(tree, w.tree()); d != "" || len(r.Conflicts)+len(r.Lacking) > 0 {
				t.Errorf("conflicts %+v, lacking %+v:\n%s", r.Conflicts, r.Lacking, d)
			}
			for _, name := range all {
				if got := rights(t, filepath.Join(w.dir, name)); got != before[name] {
					t.Errorf("%s: %s\nbefore: %s", name, got, before[name])
				}
			}
			_, err := w.j.Redo(t.Context(), nil)
			w.check(err)
			if d := diff(timelessTree(after), timelessTree(w.tree())); d != "" {
				t.Errorf("redone:\n%s", d)
			}
			if got := rights(t, filepath.Join(w.dir, "over")); !strings.Contains(got, "posix_acl_access") {
				t.Errorf("redone: over: %s\nbefore: %s", got, before["over"])
			}
		})
	}
}

const envRights = "PIWORK_TEST_RIGHTS" // the directories, for a child

func init() { children[envRights] = rightsChild }

// A file that belongs to a group its owner is not in keeps it: a new file could not be
// given that, so undo writes into this one. What was deleted cannot have it again, and
// undo says so.
func TestRightsOfOthers(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only the administrator gives a file to a group that nobody here is in")
	}
	base := otherFS(t) // the journal: what is deleted is copied
	dir := t.TempDir()
	for p := dir; p != "/" && p != os.TempDir(); p = filepath.Dir(p) {
		if err := os.Chmod(p, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	folder := filepath.Join(dir, "folder")
	const uid = 65534
	for _, d := range []string{folder, base} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(d, uid, uid); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"a", "b"} {
		p := filepath.Join(folder, name)
		if err := os.WriteFile(p, []byte("content of "+name), 0o664); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(p, uid, 4242); err != nil {
			t.Fatal(err)
		}
	}
	exe, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	self := filepath.Join(dir, "self.test")
	if err := os.WriteFile(self, exe, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), envRights+"="+folder+" "+filepath.Join(base, "j"))
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid, Groups: []uint32{}}}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if want := "undone a b; conflicts ; lacking b; redone a: task"; strings.TrimSpace(string(out)) != want {
		t.Errorf("%s\nnot: %s", out, want)
	}
	if got := rights(t, filepath.Join(folder, "a")); !strings.Contains(got, ":4242") {
		t.Errorf("a: %s", got)
	}
}

func rightsChild(spec string) {
	w := &world{t: &childT{}, oldtime: time.Now()}
	w.dir, w.jdir, _ = strings.Cut(spec, " ")
	w.start()
	w.check(w.write("a", "task", -1))
	w.check(w.remove("b"))
	r := w.undo()
	ids := func(list []Conflict) (out []string) {
		for _, c := range list {
			out = append(out, c.Change.Path)
		}
		return out
	}
	var undone []string
	for _, c := range r.Undone {
		undone = append(undone, c.Path)
	}
	slices.Sort(undone)
	for name, want := range map[string]string{"a": "content of a", "b": "content of b"} {
		if got, err := os.ReadFile(filepath.Join(w.dir, name)); string(got) != want {
			w.t.Fatalf("%s: %q %v", name, got, err)
		}
	}
	_, err := w.j.Redo(context.Background(), nil)
	w.check(err)
	redone, _ := os.ReadFile(filepath.Join(w.dir, "a"))
	fmt.Printf("undone %s; conflicts %s; lacking %s; redone a: %s\n", strings.Join(undone, " "), strings.Join(ids(r.Conflicts), " "), strings.Join(ids(r.Lacking), " "), redone)
}

const envMounted = "PIWORK_TEST_MOUNTED" // the directories, for a child

func init() { children[envMounted] = mountedChild }

// What undo does on a file system that is mounted inside of the folder is durable
// before the journal gives up what it kept, too.
func TestUndoSyncsWhatIsMounted(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), envMounted+"="+t.TempDir())
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

func mountedChild(base string) {
	w := &world{t: &childT{}, dir: filepath.Join(base, "folder"), jdir: filepath.Join(base, "journal"), oldtime: time.Now().Add(-time.Hour)}
	in := filepath.Join(w.dir, "in")
	w.check(os.MkdirAll(in, 0o755))
	err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "")
	if err == nil {
		err = unix.Mount("tmpfs", in, "tmpfs", 0, "")
	}
	if err != nil {
		w.t.Fatalf("cannot mount: %v", err)
	}
	var names []string
	for i := range 2 * recorder.Many {
		names = append(names, fmt.Sprint("in/", i))
	}
	w.seed(names...)
	var st unix.Stat_t
	w.start()
	for i, name := range names {
		switch i % 3 {
		case 0:
			w.check(w.write(name, "task", -1))
		case 1:
			w.check(w.remove(name))
		default:
			w.check(w.chmod(name, 0o600))
		}
	}
	durable := map[uint64]bool{}
	var lock sync.Mutex // undo syncs from several goroutines
	w.check(unix.Stat(in, &st))
	dev := st.Dev
	at.OnSync(func(f *os.File, all bool) {
		var st unix.Stat_t
		if unix.Fstat(int(f.Fd()), &st) == nil && st.Dev == dev {
			lock.Lock()
			defer lock.Unlock()
			durable[st.Ino] = true
			durable[0] = durable[0] || all
		}
	})
	if r := w.undo(); len(r.Conflicts) > 0 || len(r.Undone) != len(names) {
		w.t.Fatalf("%+v", r)
	}
	for _, name := range append(names, "in") {
		w.check(unix.Stat(filepath.Join(w.dir, name), &st))
		if !durable[st.Ino] && !durable[0] {
			w.t.Fatalf("%s was not made durable", name)
		}
	}
}

// A file that was plain comes back plain, whatever its directory gives to new files: an ACL for
// others, or the directory's group.
func TestUndoRestoresPlainRights(t *testing.T) {
	w := newWorld(t, filepath.Join(otherFS(t), "j"))
	w.seed("d/gone", "d/over", "d/sub/gone", "d/sub/kept")
	all := []string{"d/gone", "d/over", "d/sub", "d/sub/gone", "d/sub/kept"}
	for i := range 2 * recorder.Many {
		name := fmt.Sprint("d/many ", i)
		w.seed(name)
		all = append(all, name)
	}
	d := filepath.Join(w.dir, "d")
	if err := unix.Setxattr(d, "system.posix_acl_default", acl, 0); err != nil {
		t.Skipf("the file system keeps no ACLs: %v", err)
	}
	if os.Geteuid() == 0 {
		w.check(os.Chown(d, 0, 4242))
	}
	w.check(os.Chmod(d, 0o755|os.ModeSetgid))
	for _, name := range all {
		if name != "d/sub" {
			w.check(os.Chmod(filepath.Join(w.dir, name), 0o600))
		}
	}
	w.age()
	before := map[string]string{}
	for _, name := range all {
		before[name] = rights(t, filepath.Join(w.dir, name))
	}
	w.start()
	w.check(w.write("d/over", "task", -1))
	w.check(w.remove("d/gone"))
	w.check(w.rmrf("d/sub"))
	for i := range 2 * recorder.Many {
		w.check(w.remove(fmt.Sprint("d/many ", i)))
	}
	r := w.undo()
	if len(r.Conflicts)+len(r.Lacking) > 0 {
		t.Errorf("conflicts %+v, lacking %+v", r.Conflicts, r.Lacking)
	}
	for _, name := range all {
		if got := rights(t, filepath.Join(w.dir, name)); got != before[name] {
			t.Errorf("%s: %s\nbefore: %s", name, got, before[name])
		}
	}
}
