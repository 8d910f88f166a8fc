package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"piwork/app/api"
	"piwork/app/api/answer"
	"piwork/app/api/apitest"
	"piwork/app/audit"
	"piwork/app/changes"
	"piwork/app/chore"
	"piwork/app/client"
	"piwork/app/health"
	"piwork/app/history"
	"piwork/app/problem"
	"piwork/app/runtimepack"
	"piwork/app/runtimepack/updater"
	"piwork/app/samples"
	"piwork/app/saved"
	"piwork/app/setup"
	"piwork/app/setup/wizard"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/app/upkeep"
	"piwork/app/words"
	"piwork/pack/tools"
	"piwork/vmhost/share/journal"
)

// full is a service with something in every answer.
func full() *apitest.Fake {
	mtime := time.Date(2026, 1, 2, 3, 4, 5, 678, time.UTC)
	return apitest.New(apitest.Script{
		Has: []any{
			setup.Report{Ready: true, Version: "1", Checks: []setup.Check{{Code: "accel-boot", State: setup.CheckPassed, Params: map[string]any{"accel": "tcg"}}}, Problems: []problem.Problem{}, Time: mtime},
			runtimepack.Info{Name: "piwork-runtime", Version: "1.0.0", Built: mtime, Bytes: 1 << 40, Current: true},
			chore.Plan{V: 1, Chore: "pictures-to-pdf", Params: map[string]any{}, Needs: []string{}, Operations: []chore.Operation{
				{Op: "image.convert", In: []chore.Input{{Path: "/folders/a/b.jpg", SHA256: "00", Size: 7}}, Out: "/folders/a/P.pdf", Effect: chore.EffectCreate}}},
			history.UndoKeeping{Settings: history.UndoSettings{Days: 90}, Bytes: 1 << 40, Tasks: 3},
			history.UndoSpace{Bytes: 7, Expires: &mtime},
			audit.Report{OK: true, Records: 12},
			health.Mended{Declined: true, Report: setup.Report{Checks: []setup.Check{}, Problems: []problem.Problem{}}},
			[]tasks.DroppedFolder{{Path: "/a/ü", Name: "ü"}},
			[]saved.FolderChoice{{Path: "/a", Mode: task.ModeReview}},
			[]saved.SavedChore{{ID: "1", Name: "x", Params: map[string]any{"a": true}, Folders: []task.FolderRequest{}}},
			saved.SavedChore{ID: "1", Name: "x", Params: map[string]any{}, Folders: []task.FolderRequest{{Path: "/a"}}},
			[]runtimepack.Info{{Name: "piwork-runtime", Version: "1.0.0", Kind: runtimepack.KindRuntime, Current: true, Standing: runtimepack.Standing{InUse: true}}, {Version: "0.9.0", Standing: runtimepack.Standing{Previous: true}}},
			[]runtimepack.AddOn{{Name: "media", Installed: true, Bytes: 7, Download: 3}},
			updater.State{Phase: updater.PhaseAvailable, What: "runtime", Channel: "stable", Current: "1.0.0", Version: "1.1.0", Progress: updater.Progress{Done: 1, Total: 1 << 40, ETA: -1},
				Checked: mtime, Problem: problem.New(problem.CodeUpdateOffline).With("host", "x"), Settings: updater.Settings{Auto: true, URLs: []string{"https://a"}}},
			runtimepack.BundleInfo{Bytes: 9, SHA256: "00", Packs: []runtimepack.Info{{Version: "1.0.0"}}},
		},
		Export: []byte("PK and so on"),
		Changed: apitest.Changed{
			List: []journal.Change{
				{ID: "1", Folder: "f1", Path: "日本/ü.pdf", Kind: "file", Effect: journal.EffectCreate, After: &journal.FileState{SHA256: "00", Size: 1, Mode: 0o644, MTime: mtime}},
				{ID: "2", Folder: "f1", Path: "x", Kind: "file", Effect: journal.EffectChange, Before: &journal.FileState{SHA256: "01", Size: 4}, After: &journal.FileState{SHA256: "02", Size: 6}},
				{ID: "3", Folder: "f1", Path: "y", Effect: journal.EffectDelete, Undone: &mtime},
				{ID: "4", Folder: "f1", Path: "z", Effect: journal.EffectCreate, Staged: true},
			},
			Conflicts: []journal.Conflict{{Change: journal.Change{ID: "2", Path: "x", Effect: journal.EffectChange}, Reason: "changed-since"}},
			Contents:  map[string]map[changes.Which][]byte{"2": {changes.Before: []byte("a\nb\n"), changes.After: []byte("a\nBB\n")}},
		},
		Results: []apitest.ResultFile{
			{Result: task.Result{Folder: "f1", Path: "P.pdf", Size: 10, SHA256: "00"}, Data: []byte("0123456789")},
			{Result: task.Result{Path: "empty"}},
		},
		InstallHas: 3,
	})
}

// over starts a task and waits for its end.
func over(t *testing.T, s api.Service) task.Task {
	t.Helper()
	got, err := s.StartTask(t.Context(), tasks.StartRequest{Kind: task.KindChore, Chore: "pictures-to-pdf", Accept: true,
		Folders: []task.FolderRequest{{Path: "/a", Mode: task.ModeReadWrite}}, Params: map[string]any{"name": "x"}})
	if err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); !got.State.Final(); {
		if time.Now().After(end) {
			t.Fatal("the task does not end")
		}
		time.Sleep(2 * time.Millisecond)
		if got, err = s.Task(t.Context(), got.ID); err != nil {
			t.Fatal(err)
		}
	}
	return got
}

// transports are the ways to the same handler.
var transports = map[string]func(t *testing.T, h http.Handler) http.RoundTripper{
	"in process": func(_ *testing.T, h http.Handler) http.RoundTripper { return client.InProcess(h) },
	"socket": func(t *testing.T, h http.Handler) http.RoundTripper {
		dir, err := os.MkdirTemp("", "pw") // short: t.TempDir may be too long for a socket
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		path := filepath.Join(dir, "s")
		ln, err := api.ListenSocket(path)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error, 1)
		go func() { done <- api.Serve(ctx, ln, h) }()
		t.Cleanup(func() {
			cancel()
			if err := <-done; err != nil {
				t.Error(err)
			}
		})
		return client.Socket(path)
	},
}

func each(t *testing.T, f *apitest.Fake, test func(t *testing.T, c *client.Client)) {
	for name, transport := range transports {
		t.Run(name, func(t *testing.T) { test(t, connect(t, f, transport, api.HoldGrace)) })
	}
}

func connect(t *testing.T, f *apitest.Fake, transport func(*testing.T, http.Handler) http.RoundTripper, grace time.Duration) *client.Client {
	a := api.New(api.Options{Service: f, Version: "9", HoldGrace: grace})
	t.Cleanup(a.Close)
	return client.New(transport(t, a.Handler()), nil)
}

// await waits for what another goroutine does.
func await(t *testing.T, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it did not happen within a minute")
		}
	}
}

// A service behind the API answers as it does without.
func TestSameAnswers(t *testing.T) {
	f := full()
	id := over(t, f).ID
	each(t, f, func(t *testing.T, c *client.Client) {
		asked := len(f.Wishes())
		defer func() { // what was asked for arrives as it was asked
			all := f.Wishes()[asked:]
			for i := 0; i+1 < len(all); i += 2 {
				if !reflect.DeepEqual(all[i], all[i+1]) {
					t.Errorf("asked for %+v, arrived %+v", all[i], all[i+1])
				}
			}
			if len(all) != 2*22 {
				t.Errorf("%d requests", len(all))
			}
		}()
		for _, tt := range []struct {
			name string
			do   func(s api.Service) (any, error)
		}{
			{"status", func(s api.Service) (any, error) { return s.Status(t.Context(), false) }},
			{"recheck", func(s api.Service) (any, error) { return s.Status(t.Context(), true) }},
			{"slow mode", func(s api.Service) (any, error) { return s.SetSlowMode(t.Context(), health.SlowMode{On: true}) }},
			{"packs", func(s api.Service) (any, error) { return s.Packs(t.Context()) }},
			{"verify", func(s api.Service) (any, error) { return s.VerifyPack(t.Context(), "/f") }},
			{"install", func(s api.Service) (any, error) { return s.InstallPack(t.Context(), "/f", nil) }},
			{"tasks", func(s api.Service) (any, error) { return s.FindTasks(t.Context(), task.Filter{}) }},
			{"find", func(s api.Service) (any, error) {
				return s.FindTasks(t.Context(), task.Filter{Text: "x y", States: []task.State{task.StateDone, task.StateFailed}, Kinds: []task.Kind{task.KindAI}})
			}},
			{"find some", func(s api.Service) (any, error) {
				return s.FindTasks(t.Context(), task.Filter{States: []task.State{task.StateDone, task.StateFailed}, Kinds: []task.Kind{task.KindChore, task.KindExec}})
			}},
			{"rename", func(s api.Service) (any, error) {
				return s.RenameTask(t.Context(), id, tasks.RenameRequest{Title: "Fotos ä"})
			}},
			{"export", func(s api.Service) (any, error) {
				r, err := s.ExportTask(t.Context(), id)
				if err != nil {
					return nil, err
				}
				defer r.Close()
				return io.ReadAll(r)
			}},
			{"task", func(s api.Service) (any, error) { return s.Task(t.Context(), id) }},
			{"plan", func(s api.Service) (any, error) { return s.Plan(t.Context(), id) }},
			{"changes", func(s api.Service) (any, error) { return s.Changes(t.Context(), id) }},
			{"undo", func(s api.Service) (any, error) {
				return s.Undo(t.Context(), id, history.UndoRequest{IDs: []string{"1"}})
			}},
			{"undo with answers", func(s api.Service) (any, error) {
				return s.Undo(t.Context(), id, history.UndoRequest{OnConflict: journal.Both, Resolve: map[string]journal.Resolution{"1": journal.Keep}})
			}},
			{"compare", func(s api.Service) (any, error) { return s.CompareChange(t.Context(), id, "2") }},
			{"redo", func(s api.Service) (any, error) { return s.Redo(t.Context(), id, history.RedoRequest{}) }},
			{"apply", func(s api.Service) (any, error) {
				return s.Apply(t.Context(), id, history.ApplyRequest{IDs: []string{"4"}})
			}},
			{"discard", func(s api.Service) (any, error) { return s.Apply(t.Context(), id, history.ApplyRequest{Discard: true}) }},
			{"undo space", func(s api.Service) (any, error) { return s.UndoSpace(t.Context(), id) }},
			{"undo keeping", func(s api.Service) (any, error) { return s.UndoKeeping(t.Context()) }},
			{"set undo keeping", func(s api.Service) (any, error) { return s.SetUndoKeeping(t.Context(), history.UndoSettings{Days: 7}) }},
			{"timeline", func(s api.Service) (any, error) { return s.Timeline(t.Context(), id, 2) }},
			{"cancel", func(s api.Service) (any, error) { return s.CancelTask(t.Context(), id) }},
			{"update", func(s api.Service) (any, error) { return s.Update(t.Context()) }},
			{"check update", func(s api.Service) (any, error) { return s.CheckUpdate(t.Context()) }},
			{"start update", func(s api.Service) (any, error) {
				return s.StartUpdate(t.Context(), updater.Request{AddOns: []string{"media"}, Version: "1.1.0"})
			}},
			{"pause update", func(s api.Service) (any, error) { return s.PauseUpdate(t.Context()) }},
			{"set updates", func(s api.Service) (any, error) {
				return s.SetUpdates(t.Context(), updater.Settings{URLs: []string{}, Proxy: "http://p"})
			}},
			{"roll back", func(s api.Service) (any, error) { return s.RollbackPack(t.Context()) }},
			{"repair", func(s api.Service) (any, error) { return s.RepairPack(t.Context(), "") }},
			{"remove", func(s api.Service) (any, error) { return nil, s.RemovePack(t.Context(), "1.0.0-rc.1+b") }},
			{"bundle", func(s api.Service) (any, error) {
				return s.BundlePack(t.Context(), runtimepack.BundleRequest{Out: "/b"}, nil)
			}},
			{"add-ons", func(s api.Service) (any, error) { return s.AddOns(t.Context()) }},
			{"install an add-on", func(s api.Service) (any, error) { return s.InstallAddOn(t.Context(), "media") }},
			{"remove an add-on", func(s api.Service) (any, error) { return nil, s.RemoveAddOn(t.Context(), "media") }},
			{"wizard", func(s api.Service) (any, error) { return s.Wizard(t.Context()) }},
			{"samples", func(s api.Service) (any, error) {
				return s.Samples(t.Context(), samples.FolderRequest{Language: samples.German})
			}},
			{"mend", func(s api.Service) (any, error) { return s.Mend(t.Context(), health.MendRequest{Fix: "kvm-group"}) }},
			{"dropped", func(s api.Service) (any, error) {
				return s.Dropped(t.Context(), tasks.DroppedRequest{Paths: []string{"/a/ü", "/b"}})
			}},
			{"claimed notice", func(s api.Service) (any, error) { return s.ClaimNotice(t.Context(), upkeep.NoticeClaim{Event: 1}) }},
			{"folder choices", func(s api.Service) (any, error) { return s.FolderChoices(t.Context()) }},
			{"saved chores", func(s api.Service) (any, error) { return s.SavedChores(t.Context()) }},
			{"save a chore", func(s api.Service) (any, error) {
				return s.SaveChore(t.Context(), saved.SaveChoreRequest{Name: "x", Chore: "pictures-to-pdf", Params: map[string]any{"a": true}, Folders: []task.FolderRequest{{Path: "/a"}}})
			}},
			{"audit", func(s api.Service) (any, error) { return s.AuditVerify(t.Context()) }},
		} {
			want, err := tt.do(f)
			if err != nil {
				t.Fatalf("%s: %v", tt.name, err)
			}
			got, err := tt.do(c)
			if want = answer.InWords(words.For(""), want); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s:\n got %+v %v\nwant %+v", tt.name, got, err, want)
			}
		}
	})
}

// The wizard goes on, and what is not possible is said; a saved chore is forgotten.
func TestWizard(t *testing.T) {
	f := apitest.New(apitest.Script{})
	each(t, f, func(t *testing.T, c *client.Client) {
		f.Has = []any{[]saved.SavedChore{{ID: "a"}, {ID: "b"}}}
		w, err := c.WizardAct(t.Context(), wizard.Welcome, wizard.ActRequest{Act: wizard.ActDone})
		if err != nil || w.Now() != wizard.Runtime {
			t.Errorf("%+v %v", w, err)
		}
		for _, step := range []wizard.ID{wizard.Runtime, "nobody"} {
			if _, err := c.WizardAct(t.Context(), step, wizard.ActRequest{Act: wizard.ActDone}); err == nil {
				t.Errorf("%s is done by saying so", step)
			}
		}
		if err := c.RemoveSavedChore(t.Context(), "a"); err != nil {
			t.Error(err)
		}
		if err := c.RemoveSavedChore(t.Context(), "none"); err == nil {
			t.Error("what is not there was forgotten")
		}
	})
}

// An error keeps its code and its members, or says that none came.
func TestErrors(t *testing.T) {
	want := &problem.Problem{Code: problem.CodePackInvalid, Severity: problem.Failed, Cause: "flipped-byte",
		Params: map[string]any{"file": "qemu/bin/x"}, Fix: []problem.Fix{{Kind: problem.FixAction, Code: problem.FixOtherFile}}, Details: "hash"}
	f := apitest.New(apitest.Script{Refuse: map[string]error{"VerifyPack": want, "Packs": io.ErrNoProgress}})
	each(t, f, func(t *testing.T, c *client.Client) {
		_, err := c.VerifyPack(t.Context(), "/f")
		var got *problem.Problem
		if want := answer.InWords(words.For(""), want); !errors.As(err, &got) || !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v", err)
		}
		if _, err = c.Packs(t.Context()); !errors.As(err, &got) || got.Code != problem.CodeUnknown || !strings.Contains(got.Details, io.ErrNoProgress.Error()) {
			t.Errorf("an error nobody knows: %+v", err)
		}
		if _, err = c.Task(t.Context(), "nobody"); !errors.As(err, &got) || got.Code != problem.CodeNotFound {
			t.Errorf("no such task: %+v", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err = c.FindTasks(ctx, task.Filter{}); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
	})
	for name, h := range map[string]http.HandlerFunc{
		"page of another server": func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", 502) },
		"redirect":               func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "http://example.com", 302) },
		"half an answer":         func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `[{"id":`) },
		"panic":                  func(http.ResponseWriter, *http.Request) { panic("x") },
	} {
		if _, err := client.New(client.InProcess(h), nil).FindTasks(t.Context(), task.Filter{}); !client.IsUnreachable(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A result can be read, read in parts, and is an error when it is not there.
func TestResults(t *testing.T) {
	f := full()
	id := over(t, f).ID
	each(t, f, func(t *testing.T, c *client.Client) {
		r, res, err := c.OpenResult(t.Context(), id, 0)
		if err != nil || res != f.Results[0].Result {
			t.Fatalf("%+v %v", res, err)
		}
		defer r.Close()
		for _, tt := range []struct {
			offset int64
			whence int
			want   string
		}{{0, io.SeekStart, "0123456789"}, {-3, io.SeekEnd, "789"}, {4, io.SeekStart, "456789"}, {0, io.SeekEnd, ""}} {
			if _, err := r.Seek(tt.offset, tt.whence); err != nil {
				t.Fatal(err)
			}
			if got, err := io.ReadAll(r); err != nil || string(got) != tt.want {
				t.Errorf("from %d: %q %v", tt.offset, got, err)
			}
		}
		empty, _, err := c.OpenResult(t.Context(), id, 1)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(empty); err != nil || len(got) != 0 {
			t.Errorf("empty: %q %v", got, err)
		}
		_ = empty.Close()
		// A file that its person wrote more into is read to its end.
		f.Results[1].Data = []byte("more")
		if grown, _, err := c.OpenResult(t.Context(), id, 1); err != nil {
			t.Error(err)
		} else if got, err := io.ReadAll(grown); err != nil || string(got) != "more" {
			t.Errorf("grown: %q %v", got, err)
		}
		f.Results[1].Data = nil
		if _, _, err := c.OpenResult(t.Context(), id, 2); err == nil {
			t.Error("a result that is not there")
		}
	})
}

// Of a result that is made again while it is read, nobody gets half of one file and half of the
// other.
func TestResultMadeAgain(t *testing.T) {
	f := full()
	f.Results[0].SHA256 = "1"
	id := over(t, f).ID
	each(t, f, func(t *testing.T, c *client.Client) {
		f.Results[0].Data, f.Results[0].SHA256 = []byte("0123456789"), "1"
		r, _, err := c.OpenResult(t.Context(), id, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		f.Results[0].Data, f.Results[0].SHA256 = []byte("abcdefghij"), "2"
		for _, offset := range []int64{5, 0} {
			if _, err := r.Seek(offset, io.SeekStart); err != nil {
				t.Fatal(err)
			}
			if got, err := io.ReadAll(r); len(got) > 0 || problem.From(err).Code != problem.CodeChanged {
				t.Errorf("from %d: %q %v", offset, got, err)
			}
		}
	})
}

// A side of a change is read as a result is.
func TestChangeContents(t *testing.T) {
	f := full()
	id := over(t, f).ID
	each(t, f, func(t *testing.T, c *client.Client) {
		r, file, err := c.OpenChange(t.Context(), id, "2", changes.After)
		if err != nil || file != (history.ChangeFile{Name: "x", Size: 5}) {
			t.Fatalf("%+v %v", file, err)
		}
		defer r.Close()
		if got, err := io.ReadAll(r); err != nil || string(got) != "a\nBB\n" {
			t.Errorf("%q %v", got, err)
		}
		if _, err := r.Seek(2, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); err != nil || string(got) != "BB\n" {
			t.Errorf("%q %v", got, err)
		}
		for _, tt := range []struct{ change, side string }{{"2", "between"}, {"1", "after"}, {"none", "before"}} {
			if _, _, err := c.OpenChange(t.Context(), id, tt.change, changes.Which(tt.side)); err == nil {
				t.Errorf("%v is open", tt)
			}
		}
	})
}

// The client has a method for every operation of the document: what the table names, and
// otherwise what is listed here.
func TestEveryOperation(t *testing.T) {
	doc, err := api.New(api.Options{}).Document()
	if err != nil {
		t.Fatal(err)
	}
	methods := map[string]string{
		"getHealth": "Health", "getManifest": "About", "getHealthPage": "HealthPage", "streamEvents": "Events", "listTools": "Tools", "getProcess": "ProcessStatus", "endProcess": "EndProcess",
		"getAtLogin": "AtLogin", "setAtLogin": "SetAtLogin",
		"pickFolder": "", "pickFile": "", "pickFiles": "", "openResult": "", // of a window's own page only
		"notify": "", "saveAs": "", "closeWindow": "", "newWindow": "", "windowReady": "", "windowDrawn": "",
	}
	for _, o := range api.Operations() {
		if _, known := methods[o.ID]; !known {
			methods[o.ID] = o.Method
			if o.Method == "" {
				t.Errorf("%s: nothing does it for a client", o.ID)
			}
		}
	}
	for _, d := range tools.Catalogue() {
		name := "run"
		for word := range strings.SplitSeq(d.Name, ".") {
			name += strings.ToUpper(word[:1]) + word[1:]
		}
		methods[name] = "RunTool"
	}
	found := regexp.MustCompile(`operationId: (\w+)`).FindAllStringSubmatch(string(doc), -1)
	for _, m := range found {
		name, known := methods[m[1]]
		if !known {
			t.Errorf("operation %s has no method", m[1])
		} else if _, ok := reflect.TypeFor[*client.Client]().MethodByName(name); name != "" && !ok {
			t.Errorf("operation %s: no method %s", m[1], name)
		}
	}
	if len(found) != len(methods) {
		t.Errorf("%d operations, %d methods", len(found), len(methods))
	}
}

// The streams of a cut connection are opened again and miss nothing.
func TestEventsGoOn(t *testing.T) {
	f := apitest.New(apitest.Script{})
	each(t, f, func(t *testing.T, c *client.Client) {
		await(t, func() bool { return f.Subscribers() == 0 })
		events, cancel := c.Subscribe(task.EventFilter{})
		defer cancel()
		seen := map[int64]bool{}
		take := func() task.Event {
			select {
			case e, ok := <-events:
				if !ok {
					t.Fatal("the subscription ended")
				}
				if e.Seq > 0 && seen[e.Seq] {
					t.Errorf("event %d came twice", e.Seq)
				}
				seen[e.Seq] = true
				return e
			case <-time.After(time.Minute):
				t.Fatal("no event within a minute")
				return task.Event{}
			}
		}
		for i := range 3 {
			f.Publish(task.Event{Task: "a", Kind: task.EventState, Data: task.StateData{State: task.StateRunning}})
			for take().Data != any(task.StateData{State: task.StateRunning}) {
				t.Errorf("round %d: another event", i)
			}
			f.Hangup()
			f.Publish(task.Event{Task: "a", Kind: task.EventStep, Data: task.StepData{Step: "boot"}})
			if e := take(); e.Data != any(task.StepData{Step: "boot"}) {
				t.Errorf("round %d, after the cut: %+v", i, e)
			}
			await(t, func() bool { return f.Subscribers() > 0 })
		}
		cancel()
		for range events { // is closed
		}
	})
}

// Numbers of another controller are forgotten with its reset, and those of before a stream do not
// stay; a stream that is over where the controller ends it is not opened again.
func TestEventsNumbers(t *testing.T) {
	event := func(seq int64, kind task.EventKind) string {
		return fmt.Sprintf("id: %d\ndata: {\"v\":1,\"seq\":%d,\"kind\":%q,\"data\":{}}\n\n", seq, seq, kind)
	}
	answers := []string{event(7, "x"), event(0, task.EventReset) + event(5, "x"), event(6, "x"), "ended"}
	var asked []string
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Header.Get("Last-Event-ID"))
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, answers[len(asked)-1])
		_ = http.NewResponseController(w).Flush()
		if len(asked) < len(answers) {
			panic(http.ErrAbortHandler)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		rt := client.InProcess(h).(*http.Transport)
		defer rt.CloseIdleConnections()
		err := client.New(rt, nil).Events(t.Context(), client.EventsOptions{EventFilter: task.EventFilter{After: task.OnlyNew}, UntilEnd: true}, func(task.Event) error { return nil })
		if want := []string{fmt.Sprint(int64(task.OnlyNew)), "7", "5", "6"}; !errors.Is(err, io.EOF) || !slices.Equal(asked, want) {
			t.Errorf("%v: %q, want %q", err, asked, want)
		}
	})
}

// Of a stream of what is new, which breaks before anything came, events may be missed: who follows
// it looks at everything again.
func TestNewEventsMissed(t *testing.T) {
	asked := 0
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		if asked++; asked == 1 {
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}
		_, _ = io.WriteString(w, "id: 3\ndata: {\"v\":1,\"seq\":3,\"kind\":\"x\",\"data\":{}}\n\n")
	})
	for _, stops := range []bool{false, true} {
		asked = 0
		synctest.Test(t, func(t *testing.T) {
			rt := client.InProcess(h).(*http.Transport)
			defer rt.CloseIdleConnections()
			var kinds []task.EventKind
			enough := errors.New("enough")
			err := client.New(rt, nil).Events(t.Context(), client.EventsOptions{EventFilter: task.EventFilter{After: task.OnlyNew}, UntilEnd: true}, func(e task.Event) error {
				if kinds = append(kinds, e.Kind); stops {
					return enough
				}
				return nil
			})
			if stops && (!errors.Is(err, enough) || !slices.Equal(kinds, []task.EventKind{task.EventReset})) ||
				!stops && (!errors.Is(err, io.EOF) || !slices.Equal(kinds, []task.EventKind{task.EventReset, "x"})) {
				t.Errorf("%q %v", kinds, err)
			}
		})
	}
}

// A server that stays away ends the stream with the reason.
func TestEventsEnd(t *testing.T) {
	srv := httptest.NewServer(http.NotFoundHandler())
	srv.Close()
	events, cancel := client.New(http.DefaultTransport, nil).Subscribe(task.EventFilter{})
	defer cancel()
	if e, open := <-events; open {
		t.Errorf("an event from nobody: %+v", e)
	}
}

// The contract of StartTask holds over the API: the task ends with ctx.
func TestStartTaskEndsWithContext(t *testing.T) {
	for _, detached := range []bool{false, true} {
		for name, transport := range transports {
			t.Run(name, func(t *testing.T) {
				// On a busy computer a short grace may be over before the client comes.
				for grace := 500 * time.Millisecond; !endsWithContext(t, transport, detached, grace); grace *= 4 {
					if grace > time.Minute {
						t.Fatal("the client does not come in time")
					}
				}
			})
		}
	}
}

// endsWithContext is false where the client came too late to prove anything.
func endsWithContext(t *testing.T, transport func(*testing.T, http.Handler) http.RoundTripper, detached bool, grace time.Duration) bool {
	f := full()
	f.Endless = true
	c := connect(t, f, transport, grace)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	began := time.Now()
	got, err := c.StartTask(ctx, tasks.StartRequest{Kind: task.KindExec, Argv: []string{"sleep"}, Detached: detached})
	if err != nil {
		t.Fatal(err)
	}
	if !detached {
		await(t, func() bool { return f.Subscribers() > 0 })
		if time.Since(began) > grace/2 {
			return false
		}
	}
	time.Sleep(grace + 100*time.Millisecond) // it is held
	if now, err := c.Task(t.Context(), got.ID); err != nil || now.State.Final() {
		t.Fatalf("detached %v: not held: %s %v", detached, now.State, err)
	}
	cancel()
	if detached {
		time.Sleep(grace + 100*time.Millisecond)
		if now, _ := f.Task(t.Context(), got.ID); now.State.Final() {
			t.Error("a detached task was ended")
		}
		_, _ = f.CancelTask(t.Context(), got.ID)
		return true
	}
	await(t, func() bool { now, _ := f.Task(t.Context(), got.ID); return now.State == task.StateCancelled })
	return true
}

// Progress of an installation arrives, from this one only.
func TestInstallProgress(t *testing.T) {
	f := full()
	f.Publish(task.Event{Kind: task.EventPack, Data: task.PackData{Done: 77, Total: 77}})
	each(t, f, func(t *testing.T, c *client.Client) {
		last := make(chan int64, 100)
		if _, err := c.InstallPack(t.Context(), "/f", func(done, total int64) { last <- done }); err != nil {
			t.Fatal(err)
		}
		if _, err := c.BundlePack(t.Context(), runtimepack.BundleRequest{Out: "/b"}, func(done, total int64) { last <- done }); err != nil {
			t.Fatal(err)
		}
		close(last)
		for done := range last {
			if done == 77 {
				t.Error("progress of an earlier installation")
			}
		}
	})
}

// Everybody hears how an update goes, and the data has its type.
func TestUpdateEvents(t *testing.T) {
	f := full()
	f.Updates.Steps = []updater.State{{Phase: updater.PhaseDownloading, Progress: updater.Progress{Done: 1, Total: 2}}, {Phase: updater.PhaseUpToDate, Current: "1.1.0"}}
	each(t, f, func(t *testing.T, c *client.Client) {
		began := time.Now()
		events, cancel := c.Subscribe(task.EventFilter{})
		defer cancel()
		if _, err := c.StartUpdate(t.Context(), updater.Request{}); err != nil {
			t.Fatal(err)
		}
		for end := time.After(time.Minute); ; {
			select {
			case e, open := <-events:
				if s, ok := e.Data.(updater.State); ok && !e.Time.Before(began) && s.Phase == updater.PhaseUpToDate {
					return
				}
				if !open {
					t.Fatal("the subscription ended")
				}
			case <-end:
				t.Fatal("nothing was heard of the update")
			}
		}
	})
}

// Lists are whole for who asks for them, however many pages they come in.
func TestClientFollowsPages(t *testing.T) {
	f := apitest.New(apitest.Script{})
	a := api.New(api.Options{Service: f})
	t.Cleanup(a.Close)
	asked := 0
	c := client.New(client.InProcess(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { asked++; a.Handler().ServeHTTP(w, r) })), nil)
	want := map[string]bool{}
	for range 7 {
		one, err := f.StartTask(t.Context(), tasks.StartRequest{Kind: task.KindExec, Argv: []string{"true"}, Detached: true})
		if err != nil {
			t.Fatal(err)
		}
		want[one.ID] = true
	}
	seen := map[string]bool{}
	for one, err := range client.AllTasks(t.Context(), c, task.Filter{Limit: 3}) {
		if err != nil || seen[one.ID] || !want[one.ID] {
			t.Fatal(one.ID, err)
		}
		seen[one.ID] = true
	}
	if len(seen) != 7 || asked != 3 {
		t.Errorf("%d tasks by %d requests", len(seen), asked)
	}
	if some, err := c.FindTasks(t.Context(), task.Filter{Limit: 2}); err != nil || len(some) != 2 || asked != 4 {
		t.Errorf("%d tasks, %v, %d requests", len(some), err, asked)
	}
	f.Refuse = map[string]error{"Tasks": problem.New(problem.CodeDenied)}
	for _, err := range client.AllTasks(t.Context(), c, task.Filter{}) {
		if err == nil {
			t.Error("it was refused")
		}
	}
}
