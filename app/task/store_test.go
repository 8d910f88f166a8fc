package task

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"piwork/app/problem"
)

func openStore(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := OpenStore(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func create(t *testing.T, s *Store, state State) Task {
	t.Helper()
	id, err := NewID()
	if err != nil {
		t.Fatal(err)
	}
	task := Task{
		V: 1, ID: id, Kind: KindExec, Title: "ls", State: state, Created: time.Now().UTC(),
		Folders: []Folder{{ID: "f1", Path: "/tmp/x", Name: "x", Mode: ModeReadOnly}}, Network: NetworkOff, Place: Place{Runtime: "vm"},
	}
	if err := s.Create(task); err != nil {
		t.Fatal(err)
	}
	return task
}

func TestStoreListsNewestFirst(t *testing.T) {
	s := openStore(t, t.TempDir())
	var ids []string
	for range 20 {
		ids = append(ids, create(t, s, StateQueued).ID)
	}
	tasks, damaged, err := s.List()
	if err != nil || len(damaged) != 0 || len(tasks) != len(ids) {
		t.Fatalf("%d tasks, %v, %v", len(tasks), damaged, err)
	}
	for i := range tasks {
		if want := ids[len(ids)-1-i]; tasks[i].ID != want {
			t.Errorf("place %d is %s, want %s", i, tasks[i].ID, want)
		}
	}
}

func TestIDs(t *testing.T) {
	before := time.Now().Add(-time.Millisecond)
	id, err := NewID()
	if err != nil {
		t.Fatal(err)
	}
	if at := IDTime(id); at.Before(before) || at.After(time.Now().Add(time.Millisecond)) {
		t.Errorf("the id of now says %v", at)
	}
	for _, bad := range []string{
		"", ".", "..", "../x", "x", strings.ToUpper(id), id + "/", "{" + id + "}", "urn:uuid:" + id,
		strings.ReplaceAll(id, "-", ""), id[:35], "/etc", stagingPrefix + id,
	} {
		if ValidID(bad) {
			t.Errorf("%q is taken for an id", bad)
		}
		s := &Store{dir: t.TempDir(), timelines: map[string]*timeline{}}
		if _, err := s.Get(bad); !errors.Is(err, ErrNotFound) {
			t.Errorf("Get(%q): %v", bad, err)
		}
		if err := s.Delete(bad); !errors.Is(err, ErrNotFound) {
			t.Errorf("Delete(%q): %v", bad, err)
		}
		if _, err := s.Append(bad, EventStep, StepData{}); !errors.Is(err, ErrNotFound) {
			t.Errorf("Append(%q): %v", bad, err)
		}
		if err := s.Create(Task{ID: bad}); err == nil {
			t.Errorf("Create(%q) worked", bad)
		}
	}
}

// A record that cannot be read hides no other, and is not thrown away.
func TestDamagedRecordsHideNoOthers(t *testing.T) {
	damage := map[string]func(file string) error{
		"empty":         func(f string) error { return os.WriteFile(f, nil, 0o600) },
		"half":          func(f string) error { return os.WriteFile(f, []byte(`{"v":1,"id":"`), 0o600) },
		"not JSON":      func(f string) error { return os.WriteFile(f, []byte("\x00\x00\x00"), 0o600) },
		"another type":  func(f string) error { return os.WriteFile(f, []byte(`{"v":"1"}`), 0o600) },
		"newer version": func(f string) error { return os.WriteFile(f, []byte(`{"v":2}`), 0o600) },
		"another's": func(f string) error {
			return os.WriteFile(f, []byte(`{"v":1,"id":"`+strings.Repeat("0", 36)+`"}`), 0o600)
		},
		"missing": os.Remove,
		"a directory": func(f string) error {
			return errors.Join(os.Remove(f), os.Mkdir(f, 0o700))
		},
	}
	for name, spoil := range damage {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := openStore(t, dir)
			a, bad, b := create(t, s, StateDone), create(t, s, StateRunning), create(t, s, StateDone)
			if err := spoil(filepath.Join(dir, bad.ID, recordFile)); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("not a task"), 0o600); err != nil {
				t.Fatal(err)
			}
			s = openStore(t, dir)
			tasks, damaged, err := s.List()
			if err != nil || len(tasks) != 2 || tasks[0].ID != b.ID || tasks[1].ID != a.ID {
				t.Errorf("tasks: %v, %v", tasks, err)
			}
			if len(damaged) != 1 || damaged[0].ID != bad.ID {
				t.Errorf("damaged: %v", damaged)
			}
			if ended, errs := s.Recover(); len(ended) != 0 || len(errs) != 0 {
				t.Errorf("recovered %v, %v", ended, errs)
			}
			var d *DamagedError
			if _, err := s.Update(bad.ID, func(*Task) error { return nil }); !errors.As(err, &d) {
				t.Errorf("update: %v", err)
			}
			if _, err := os.Lstat(filepath.Join(dir, bad.ID)); err != nil {
				t.Errorf("the damaged task is gone: %v", err)
			}
			if err := s.Delete(bad.ID); err != nil {
				t.Errorf("delete: %v", err)
			}
		})
	}
}

func TestUpdateKeepsWhatANewerProgramWrote(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir)
	a := create(t, s, StateQueued)
	file := filepath.Join(dir, a.ID, recordFile)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	newer := strings.Replace(string(data), `"title": "ls",`, `"title": "ls", "colour": "blue", "big": 12345678901234567890,`, 1)
	newer = strings.Replace(newer, `"mode": "ro"`, `"mode": "ro", "quota": {"mb": 5}`, 1)
	if err := os.WriteFile(file, []byte(newer), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Update(a.ID, func(t *Task) error { t.State = StatePreparing; return nil }); err != nil {
		t.Fatal(err)
	}
	data, err = os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	folder := got["folders"].([]any)[0].(map[string]any)
	if got["colour"] != "blue" || !strings.Contains(string(data), "12345678901234567890") ||
		fmt.Sprint(folder["quota"]) != "map[mb:5]" || got["state"] != "preparing" {
		t.Errorf("record is now %s", data)
	}
}

func TestTransitions(t *testing.T) {
	all := []State{StateQueued, StatePreparing, StateRunning, StateWaiting, StateDone, StateFailed, StateCancelled}
	allowed := map[string]bool{
		"queued preparing": true, "queued failed": true, "queued cancelled": true,
		"preparing running": true, "preparing failed": true, "preparing cancelled": true,
		"running waiting": true, "running done": true, "running failed": true, "running cancelled": true,
		"waiting running": true, "waiting failed": true, "waiting cancelled": true,
		"done queued": true, "failed queued": true, "cancelled queued": true, // it goes on
	}
	for _, from := range all {
		for _, to := range all {
			if got := CanGo(from, to); got != allowed[string(from)+" "+string(to)] {
				t.Errorf("%s → %s: %v", from, to, got)
			}
		}
	}
	s := openStore(t, t.TempDir())
	a := create(t, s, StateQueued)
	var te *TransitionError
	if _, err := s.Update(a.ID, func(t *Task) error { t.State = StateDone; return nil }); !errors.As(err, &te) {
		t.Errorf("queued → done: %v", err)
	}
	if got, _ := s.Get(a.ID); got.State != StateQueued {
		t.Errorf("the record says %s", got.State)
	}
	// But a run that comes to nothing leaves it as it was.
	if _, err := s.End(a.ID, func(t *Task) error { t.State = StateRunning; return nil }); !errors.As(err, &te) {
		t.Errorf("an end that is none: %v", err)
	}
	for _, from := range []State{StateQueued, StatePreparing, StateRunning, StateWaiting} {
		if got, err := s.End(create(t, s, from).ID, func(t *Task) error { t.State = StateDone; return nil }); err != nil || got.State != StateDone {
			t.Errorf("%s, as it was: %s %v", from, got.State, err)
		}
	}
	// What makes a task itself does not change.
	got, err := s.Update(a.ID, func(t *Task) error { t.ID, t.Kind = "x", KindAI; return nil })
	if err != nil || got.ID != a.ID || got.Kind != a.Kind {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestRecoverEndsInterruptedTasks(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir)
	states := []State{StateQueued, StatePreparing, StateRunning, StateWaiting, StateDone, StateFailed, StateCancelled}
	ids := map[string]State{}
	for _, st := range states {
		ids[create(t, s, st).ID] = st
	}
	s = openStore(t, dir)
	ended, errs := s.Recover()
	if len(errs) != 0 || len(ended) != 4 {
		t.Fatalf("ended %d, %v", len(ended), errs)
	}
	for id, was := range ids {
		got, err := s.Get(id)
		if err != nil {
			t.Fatal(err)
		}
		if was.Final() {
			if got.State != was || got.Error != nil {
				t.Errorf("%s became %s", was, got.State)
			}
			continue
		}
		if got.State != StateFailed || got.Error == nil || got.Error.Code != problem.CodeInterrupted || got.Ended == nil {
			t.Errorf("%s became %+v", was, got)
		}
		events, err := s.Timeline(id, 0)
		if err != nil || len(events) != 1 || events[0].Kind != EventState {
			t.Errorf("timeline of %s: %v, %v", was, events, err)
		}
	}
	if ended, _ := s.Recover(); len(ended) != 0 {
		t.Errorf("recovered twice: %v", ended)
	}
}

func TestTimelineSurvivesTornTail(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir)
	a := create(t, s, StateRunning)
	for i := range 3 {
		if e, err := s.Append(a.ID, EventStep, StepData{Step: fmt.Sprint(i)}); err != nil || e.Seq != int64(i+1) {
			t.Fatalf("event %d: %+v, %v", i, e, err)
		}
	}
	s.Release(a.ID)
	file := filepath.Join(dir, a.ID, timelineFile)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	last := strings.LastIndex(strings.TrimSuffix(string(whole), "\n"), "\n") + 1
	for cut := last; cut <= len(whole); cut++ {
		if err := os.WriteFile(file, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		want := int64(2)
		if cut == len(whole) {
			want = 3
		}
		s := openStore(t, dir)
		if events, err := s.Timeline(a.ID, 0); err != nil || int64(len(events)) != want {
			t.Fatalf("cut at %d: %d events, %v", cut, len(events), err)
		}
		e, err := s.Append(a.ID, EventStep, StepData{Step: "after"})
		if err != nil || e.Seq != want+1 {
			t.Fatalf("cut at %d: appended %+v, %v", cut, e, err)
		}
		s.Release(a.ID)
		events, err := s.Timeline(a.ID, want)
		if err != nil || len(events) != 1 || events[0].Seq != want+1 || string(events[0].Data.(json.RawMessage)) != `{"step":"after"}` {
			t.Fatalf("cut at %d: %v, %v", cut, events, err)
		}
	}
}

func TestTimelineLeavesOutOnlyBadLines(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir)
	a := create(t, s, StateRunning)
	lines := `{"v":1,"seq":1,"time":"2026-01-01T00:00:00Z","task":"x","kind":"step","data":{"step":"a"}}
garbage
{"v":1,"seq":"2"}

{"v":1,"seq":7,"time":"2026-01-01T00:00:00Z","task":"x","kind":"from-the-future","data":{"x":[1,2]}}
`
	if err := os.WriteFile(filepath.Join(dir, a.ID, timelineFile), []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	events, err := s.Timeline(a.ID, 0)
	if err != nil || len(events) != 2 || events[1].Seq != 7 || string(events[1].Data.(json.RawMessage)) != `{"x":[1,2]}` {
		t.Errorf("%v, %v", events, err)
	}
	if e, err := s.Append(a.ID, EventStep, StepData{Step: "b"}); err != nil || e.Seq != 8 {
		t.Errorf("%+v, %v", e, err)
	}
}

func TestDelete(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir)
	a, b := create(t, s, StateDone), create(t, s, StateDone)
	if _, err := s.Append(a.ID, EventStep, StepData{Step: "x"}); err != nil {
		t.Fatal(err)
	}
	if err := s.Delete(a.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(a.ID); !errors.Is(err, ErrNotFound) {
		t.Errorf("get after delete: %v", err)
	}
	if err := s.Delete(a.ID); !errors.Is(err, ErrNotFound) {
		t.Errorf("delete again: %v", err)
	}
	// A deletion or a creation that was cut off is finished at the next start.
	for _, name := range []string{trashPrefix + a.ID, stagingPrefix + a.ID} {
		if err := os.MkdirAll(filepath.Join(dir, name, "results"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	s = openStore(t, dir)
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 || entries[0].Name() != b.ID {
		t.Errorf("left: %v, %v", entries, err)
	}
	if err := s.Create(b); !errors.Is(err, ErrExists) {
		t.Errorf("created twice: %v", err)
	}
}

func TestStoreFromManyGoroutines(t *testing.T) {
	s := openStore(t, t.TempDir())
	a := create(t, s, StateRunning)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 5 {
				if _, err := s.Append(a.ID, EventStep, StepData{Step: fmt.Sprint(i)}); err != nil {
					t.Error(err)
				}
				_, err := s.Update(a.ID, func(t *Task) error {
					t.Results = append(t.Results, Result{Path: "x"})
					return nil
				})
				if err != nil {
					t.Error(err)
				}
				if _, _, err := s.List(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	got, err := s.Get(a.ID)
	if err != nil || len(got.Results) != 40 {
		t.Errorf("%d results, %v", len(got.Results), err)
	}
	events, err := s.Timeline(a.ID, 0)
	if err != nil || len(events) != 40 {
		t.Fatalf("%d events, %v", len(events), err)
	}
	for i, e := range events {
		if e.Seq != int64(i+1) {
			t.Errorf("event %d has seq %d", i, e.Seq)
		}
	}
}

func TestPlanFile(t *testing.T) {
	s := openStore(t, t.TempDir())
	a := create(t, s, StateRunning)
	var got map[string]any
	if err := s.LoadPlan(a.ID, &got); !errors.Is(err, ErrNotFound) {
		t.Errorf("no plan: %v", err)
	}
	if err := s.SavePlan(a.ID, map[string]any{"v": 1}); err != nil {
		t.Fatal(err)
	}
	if err := s.LoadPlan(a.ID, &got); err != nil || got["v"] != 1.0 {
		t.Errorf("%v, %v", got, err)
	}
}
