package app

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hugelgupf/p9/p9"

	"piwork/app/chore/choretest"
	"piwork/app/folders"
	"piwork/app/history"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/scripts/lib/memdir"
	"piwork/vmhost"
	"piwork/vmhost/share"
	"piwork/vmhost/share/journal"
	"piwork/vmhost/vm"
	"piwork/vmhost/wire"
)

// mounted is a task's share as a guest sees it: the real file server, spoken to
// over a pipe.
type mounted struct {
	conn net.Conn
	root p9.File
	done chan error
	stop context.CancelFunc
}

func mount(serve func(context.Context, io.ReadWriteCloser) error) (*mounted, error) {
	host, guest := net.Pipe()
	ctx, stop := context.WithCancel(context.Background())
	m := &mounted{conn: guest, done: make(chan error, 1), stop: stop}
	go func() { m.done <- serve(ctx, host) }()
	c, err := p9.NewClient(guest)
	if err == nil {
		m.root, err = c.Attach("")
	}
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

func (m *mounted) walk(name string) (p9.File, error) {
	_, f, err := m.root.Walk(strings.Split(strings.TrimPrefix(name, wire.FoldersDir+"/"), "/"))
	return f, err
}

func (m *mounted) Read(name string) ([]byte, error) {
	f, err := m.walk(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if _, _, err := f.Open(p9.ReadOnly); err != nil {
		return nil, err
	}
	return io.ReadAll(io.NewSectionReader(f, 0, 1<<30))
}

func (m *mounted) Write(name string, data []byte) error {
	if _, err := m.walk(name); err == nil {
		return fs.ErrExist
	}
	if _, err := m.walk(path.Dir(name)); err != nil { // one folder more, as operations make them
		above, err := m.walk(path.Dir(path.Dir(name)))
		if err == nil {
			_, err = above.Mkdir(path.Base(path.Dir(name)), 0o755, 0, 0)
		}
		if err != nil {
			return err
		}
	}
	dir, err := m.walk(path.Dir(name))
	if err != nil {
		return err
	}
	f, _, _, err := dir.Create(path.Base(name), p9.ReadWrite, 0o644, 0, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(data, 0)
	return errors.Join(err, f.Close())
}

// overwrite writes a file that may be there, as pi's tool does.
func (m *mounted) overwrite(name string, data []byte) error {
	f, err := m.walk(name)
	if err != nil {
		return m.Write(name, data)
	}
	defer f.Close()
	if err := f.SetAttr(p9.SetAttrMask{Size: true}, p9.SetAttr{}); err != nil {
		return err
	}
	if _, _, err := f.Open(p9.WriteOnly); err != nil {
		return err
	}
	_, err = f.WriteAt(data, 0)
	return err
}

func (m *mounted) Close() error {
	m.stop()
	return errors.Join(m.conn.Close(), <-m.done)
}

// realShares makes a world use the real file server and the real journal.
func realShares(w *world) func(context.Context, Options) (seams, error) {
	return func(ctx context.Context, o Options) (seams, error) {
		s, err := w.seams(ctx, o)
		s.share, s.journal, s.checkFolder = folders.Sharing(o.Log, o.calls), history.Journals(o.Log, o.kept), share.CheckFolder
		s.machine = func(spec vm.Config) (vmhost.Runtime, error) {
			rt, err := w.machine(spec)
			if err != nil || spec.ServeFS == nil {
				return rt, err
			}
			rt.(*choretest.Runtime).Files, err = mount(spec.ServeFS)
			return rt, err
		}
		return s, err
	}
}

// The whole way of a chore with its folders behind the real file server: what
// it made is listed and taken back, also by the next run of the program, and
// never over what a person did since.
func TestChoreOverTheRealShare(t *testing.T) {
	memdir.OnDisk(t) // folders of the system are not shared, /dev is one
	w := newWorld(t)
	dir := w.pictures("1.png", "2.png")
	old := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	if err := os.Chtimes(dir, old, old); err != nil {
		t.Fatal(err)
	}
	openReal := func() *Controller {
		t.Helper()
		c, err := open(t.Context(), w.options(), realShares(w))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close(context.Background()) })
		return c
	}
	c := openReal()
	wait := w.listen(c)
	run := func(r tasks.StartRequest, want task.State) task.Task {
		t.Helper()
		r.Folders = append(r.Folders, task.FolderRequest{Path: dir})
		return wait(w.start(c, r).ID, want)
	}
	chore := tasks.StartRequest{Kind: task.KindChore, Chore: "pictures-to-pdf", Accept: true}
	first := run(chore, task.StateDone)
	second := run(chore, task.StateDone)
	if first.Results[0].Path != "Pictures.pdf" || second.Results[0].Path != "Pictures (2).pdf" {
		t.Errorf("%+v, %+v", first.Results, second.Results)
	}
	changes, err := c.Changes(t.Context(), first.ID)
	if err != nil || len(changes) != 1 || changes[0].Effect != journal.EffectCreate || changes[0].Folder != "f1" ||
		changes[0].Path != "Pictures.pdf" || changes[0].After.SHA256 != first.Results[0].SHA256 {
		t.Fatalf("%+v, %v", changes, err)
	}
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	c = openReal()
	// The person wrote into the second one meanwhile.
	if err := os.WriteFile(filepath.Join(dir, "Pictures (2).pdf"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if rep, err := c.Undo(t.Context(), second.ID, history.UndoRequest{}); err != nil || len(rep.Undone) != 0 || len(rep.Conflicts) != 1 || rep.Conflicts[0].Reason != "changed-since" {
		t.Errorf("%+v, %v", rep, err)
	}
	if _, err := c.Undo(t.Context(), first.ID, history.UndoRequest{IDs: []string{"no-such"}}); codeOf(err) != problem.CodeNotFound {
		t.Error(err)
	}
	rep, err := c.Undo(t.Context(), first.ID, history.UndoRequest{})
	if err != nil || len(rep.Undone) != 1 || len(rep.Conflicts) != 0 {
		t.Errorf("%+v, %v", rep, err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 3 {
		t.Errorf("left: %v, %v", left, err)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "Pictures (2).pdf")); err != nil || string(data) != "mine" {
		t.Errorf("%q, %v", data, err)
	}
	changes, err = c.Changes(t.Context(), first.ID)
	if err != nil || len(changes) != 1 || changes[0].Undone == nil {
		t.Errorf("%+v, %v", changes, err)
	}
}

// While a task runs its changes can be seen, and a folder that it got read-only
// stays as it is.
func TestExecOverTheRealShare(t *testing.T) {
	memdir.OnDisk(t) // folders of the system are not shared, /dev is one
	w := newWorld(t)
	dir, other := w.pictures("1.png"), filepath.Join(t.TempDir(), "ro")
	if err := os.Mkdir(other, 0o755); err != nil {
		t.Fatal(err)
	}
	written, goOn := make(chan struct{}), make(chan struct{})
	w.onMachine = func(rt *choretest.Runtime) error {
		rt.Exec = func(context.Context, wire.ExecParams, func(wire.ExecOutput)) (wire.ExecResult, error) {
			code := 0
			if rt.Files.Write("/folders/ro/x", []byte("x")) == nil {
				code = 1
			}
			if err := rt.Files.Write("/folders/Fotos ä/new", []byte("new")); err != nil {
				code = 2
			}
			if err := rt.Files.Write("/folders/Fotos ä/"+".piwork-ABC.part", []byte("half")); err != nil {
				code = 3
			}
			close(written)
			<-goOn
			return wire.ExecResult{ExitCode: code}, &vmhost.FailedError{Runtime: "vm", Reason: vmhost.ReasonHung}
		}
		return nil
	}
	c, err := open(t.Context(), w.options(), realShares(w))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(context.Background())
	wait := w.listen(c)
	id := w.start(c, tasks.StartRequest{Kind: task.KindExec, Argv: []string{"x"}, Folders: []task.FolderRequest{
		{Path: dir, Mode: task.ModeReadWrite}, {Path: other},
	}}).ID
	<-written
	if changes, err := c.Changes(t.Context(), id); err != nil || len(changes) != 2 {
		t.Errorf("%+v, %v", changes, err)
	}
	close(goOn)
	got := wait(id, task.StateFailed)
	if got.Error.Cause != string(vmhost.ReasonHung) {
		t.Errorf("%+v", got.Error)
	}
	// What an operation left half is gone, what was asked for stays.
	var names []string
	for _, d := range []string{dir, other} {
		entries, err := os.ReadDir(d)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			names = append(names, e.Name())
		}
	}
	if strings.Join(names, " ") != "1.png new" {
		t.Errorf("left: %q", names)
	}
}

// What the real check refuses is refused by name.
func TestRealFolderCheck(t *testing.T) {
	w := newWorld(t)
	home := filepath.Join(t.TempDir(), "home")
	t.Setenv("HOME", home)
	if err := os.MkdirAll(filepath.Join(home, "ok"), 0o755); err != nil {
		t.Fatal(err)
	}
	c, err := open(t.Context(), w.options(), realShares(w))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(context.Background())
	for p, cause := range map[string]string{
		home: "home", "/": "disk-root", "/etc": "system", c.o.DataDir: "own-data", filepath.Join(home, "gone"): "missing",
		filepath.Join(c.o.DataDir, tasksDir): "own-data", filepath.Join(home, "ok") + "/..": "home",
	} {
		_, err := c.StartTask(t.Context(), tasks.StartRequest{Kind: task.KindExec, Argv: []string{"true"}, Folders: []task.FolderRequest{{Path: p}}})
		if pr, is := errors.AsType[*problem.Problem](err); !is || pr.Code != problem.CodeFolderRefused || pr.Cause != cause {
			t.Errorf("%s: %+v", p, pr)
		}
	}
}
