package app

import (
	"bytes"
	"context"
	"crypto/rand"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"piwork/app/audit"
	"piwork/app/chore/choretest"
	"piwork/app/sessions"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/scripts/lib/procs"
	"piwork/vmhost/wire"
)

// sessionWorld is a world whose programs run until they are ended.
func sessionWorld(t *testing.T) (w *world, env func() []map[string]string) {
	t.Helper()
	w = newWorld(t)
	var mu sync.Mutex
	var seen []map[string]string
	w.onMachine = func(rt *choretest.Runtime) error {
		rt.Exec = func(ctx context.Context, p wire.ExecParams, out func(wire.ExecOutput)) (wire.ExecResult, error) {
			mu.Lock()
			seen = append(seen, p.Env)
			mu.Unlock()
			out(wire.ExecOutput{ID: p.ID, Stream: wire.Stdout, Data: []byte("runs\n")})
			<-ctx.Done()
			return wire.ExecResult{ID: p.ID, ExitCode: 143, Signal: 15, Ended: wire.EndedCancelled}, context.Cause(ctx)
		}
		return nil
	}
	return w, func() []map[string]string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(seen)
	}
}

// A task that is open stays while it has sessions, and is done when somebody closes the last.
func TestAnOpenTask(t *testing.T) {
	w, _ := sessionWorld(t)
	c := w.open()
	wait := w.listen(c)
	made := w.start(c, tasks.StartRequest{Kind: task.KindExec, StreamsRequest: tasks.StreamsRequest{Open: true}, Detached: true})
	program := sessions.Request{Argv: []string{"sleep", "300"}}
	one, err := c.CreateSession(t.Context(), made.ID, program) // waits for the place
	if err != nil || one.State != sessions.StateRunning || one.Task != made.ID {
		t.Fatalf("%+v %v", one, err)
	}
	two, err := c.CreateSession(t.Context(), made.ID, program)
	if err != nil {
		t.Fatal(err)
	}
	if list, err := c.Sessions(t.Context(), made.ID); err != nil || len(list) != 2 || list[0].ID != one.ID {
		t.Errorf("%+v %v", list, err)
	}
	if got, err := c.CloseSession(t.Context(), one.ID); err != nil || got.Reason != sessions.ReasonClosed {
		t.Errorf("%+v %v", got, err)
	}
	if now, err := c.Task(t.Context(), made.ID); err != nil || now.State != task.StateRunning {
		t.Errorf("%+v %v", now, err)
	}
	if _, err := c.CloseSession(t.Context(), two.ID); err != nil {
		t.Fatal(err)
	}
	if now := wait(made.ID, task.StateDone); now.Title == "" {
		t.Errorf("%+v", now)
	}
	if _, err := c.CreateSession(t.Context(), made.ID, program); codeOf(err) != "no-sessions" {
		t.Error(err)
	}
	if _, err := c.CreateSession(t.Context(), "none", program); codeOf(err) != "not-found" {
		t.Error(err)
	}
	again, err := c.StartAgain(t.Context(), made.ID, tasks.AgainRequest{Detached: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.CreateSession(t.Context(), again.ID, program); err != nil {
		t.Errorf("in one that was started again: %v", err)
	}
}

// A task that ends takes its sessions along, before its place is closed; its program can have
// sessions beside it.
func TestATaskEndsItsSessions(t *testing.T) {
	w, _ := sessionWorld(t)
	c := w.open()
	wait := w.listen(c)
	made := w.start(c, tasks.StartRequest{Kind: task.KindExec, Argv: []string{"sleep", "300"}, Detached: true})
	s, err := c.CreateSession(t.Context(), made.ID, sessions.Request{Argv: []string{"sleep", "301"}})
	if err != nil {
		t.Fatal(err)
	}
	conn, err := c.AttachSession(t.Context(), s.ID, sessions.AttachRequest{})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if p, err := conn.Read(t.Context()); err != nil || string(p.Data) != "runs\n" {
		t.Errorf("%+v %v", p, err)
	}
	if _, err := c.CancelTask(t.Context(), made.ID); err != nil {
		t.Fatal(err)
	}
	wait(made.ID, task.StateCancelled)
	if _, err := c.Session(t.Context(), s.ID); codeOf(err) != "not-found" {
		t.Error(err)
	}
	if list, err := c.Sessions(t.Context(), ""); err != nil || len(list) != 0 {
		t.Errorf("%+v %v", list, err)
	}
}

// A chore has nobody in its place.
func TestSessionsOfWhichTasks(t *testing.T) {
	w, _ := sessionWorld(t)
	c := w.open()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "1.png"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	made := w.start(c, tasks.StartRequest{Kind: task.KindChore, Chore: "pictures-to-pdf", Folders: []task.FolderRequest{{Path: folder}}, Detached: true})
	if _, err := c.CreateSession(t.Context(), made.ID, sessions.Request{}); codeOf(err) != "no-sessions" {
		t.Error(err)
	}
	for name, r := range map[string]tasks.StartRequest{
		"a program, too": {Kind: task.KindExec, StreamsRequest: tasks.StreamsRequest{Open: true}, Argv: []string{"true"}},
		"variables":      {Kind: task.KindExec, StreamsRequest: tasks.StreamsRequest{Open: true}, Env: map[string]string{"A": "1"}},
		"a terminal":     {Kind: task.KindExec, StreamsRequest: tasks.StreamsRequest{Open: true, Interactive: true}},
	} {
		if _, err := c.StartTask(t.Context(), r); codeOf(err) != "bad-request" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The value of a secret reaches the program, and no file of piwork's, no log and no record.
func TestASecretOfASessionIsNowhere(t *testing.T) {
	canary := "canary-" + rand.Text()
	w, env := sessionWorld(t)
	var log bytes.Buffer
	o := w.options()
	o.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	c := w.openWith(o)
	wait := w.listen(c)
	made := w.start(c, tasks.StartRequest{Kind: task.KindExec, StreamsRequest: tasks.StreamsRequest{Open: true}, Detached: true})
	s, err := c.CreateSession(t.Context(), made.ID, sessions.Request{Argv: []string{"sleep", "300"}, Secrets: map[string]sessions.Secret{"TOKEN": sessions.Secret(canary)}})
	if err != nil {
		t.Fatal(err)
	}
	conn, err := c.AttachSession(t.Context(), s.ID, sessions.AttachRequest{})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Read(t.Context()); err != nil { // the program runs: a session is there before
		t.Fatal(err)
	}
	if got := env(); len(got) != 1 || got[0]["TOKEN"] != canary {
		t.Fatalf("%v", got)
	}
	// No program runs here that it would be for: none has it.
	for _, where := range []string{procs.Arguments, procs.Environment} {
		if got := procs.With(canary, where); len(got) > 0 {
			t.Errorf("it is in the %s of the programs %v", where, got)
		}
	}
	if strings.Contains(strings.Join(os.Environ(), " "), canary) {
		t.Error("it is in the environment of piwork")
	}
	if _, err := c.CloseSession(t.Context(), s.ID); err != nil {
		t.Fatal(err)
	}
	wait(made.ID, task.StateDone)
	ctx := context.WithoutCancel(t.Context())
	if err := c.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(log.String(), canary) {
		t.Error("it is in the log")
	}
	named := false
	err = filepath.WalkDir(w.base, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		if bytes.Contains(b, []byte(canary)) {
			t.Errorf("it is in %s", path)
		}
		named = named || bytes.Contains(b, []byte(`"TOKEN"`)) // the audit log has the name
		return err
	})
	if err != nil || !named {
		t.Errorf("the name of the variable is not in the audit log, %v", err)
	}
}

// A command that a shell is told is in the audit log as what is executed by itself: for who told
// it, and without what it says.
func TestCommandsOfSessionsAreRecorded(t *testing.T) {
	w, _ := sessionWorld(t)
	c := w.open()
	wait := w.listen(c)
	dir := w.pictures("1.jpg")
	made := w.start(c, tasks.StartRequest{
		Kind: task.KindExec, StreamsRequest: tasks.StreamsRequest{Open: true}, Detached: true, Folders: []task.FolderRequest{{Path: dir, Mode: task.ModeReadOnly}},
	})
	place, err := c.Runner.PlaceOf(t.Context(), made.ID)
	if err != nil {
		t.Fatal(err)
	}
	id := made.ID + "/session-abc/1"
	ended, err := place.Records(task.WithClient(t.Context(), "ci@12345678"), id, []string{"grep", "love", "/folders/Diary"})
	if err != nil {
		t.Fatal(err)
	}
	if err := ended(wire.ExecResult{ExitCode: 3, WallMS: 70}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.CancelTask(t.Context(), made.ID); err != nil {
		t.Fatal(err)
	}
	wait(made.ID, task.StateCancelled)
	var got []audit.Record
	for _, r := range w.audit(c) {
		if r.Exec == id {
			got = append(got, r)
		}
	}
	if len(got) != 2 || got[0].Task != made.ID || got[0].Client != "ci@12345678" || got[1].Client != "ci@12345678" {
		t.Fatalf("%+v", got)
	}
	if b := got[0]; b.Event != audit.EventBegin || b.Action != "exec" || b.Program != "grep" || b.Args != c.audit.ArgsDigest([]string{"grep", "love", "/folders/Diary"}) || b.Isolation != "hardware" || len(b.Folders) != 1 {
		t.Errorf("%+v", b)
	}
	if e := got[1]; e.Event != audit.EventEnd || e.Exit == nil || *e.Exit != 3 || e.WallMS != 70 {
		t.Errorf("%+v", e)
	}
}
