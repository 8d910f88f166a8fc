package registry

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"piwork/app/events"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/vmhost/share/journal"
)

type fakeTask struct {
	waits, ends bool
	done        chan struct{}
}

func (f *fakeTask) Working() bool         { return !f.waits }
func (f *fakeTask) Ending() bool          { return f.ends }
func (f *fakeTask) Done() <-chan struct{} { return f.done }

func open(t *testing.T) *Registry {
	t.Helper()
	store, err := task.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := events.New(time.Now)
	t.Cleanup(b.Close)
	return New(store, b, slog.New(slog.DiscardHandler))
}

func code(err error) string {
	if p, is := errors.AsType[*problem.Problem](err); is {
		return p.Code
	}
	return ""
}

func nothing() error { return nil }

// TestOneOfThree: a task lives, is held or is free, and never two of them.
func TestOneOfThree(t *testing.T) {
	r := open(t)
	if _, err := r.Begin("a", &fakeTask{}, func() error { return errors.New("no disk") }); err == nil || r.Live("a") != nil {
		t.Errorf("it lives without a record: %v", err)
	}
	l := &fakeTask{done: make(chan struct{})}
	over, err := r.Begin("a", l, nothing)
	if err != nil || r.Live("a") != Live(l) || len(r.All()) != 1 || !r.Working() {
		t.Fatalf("%v, %v", err, r.All())
	}
	if _, err := r.Hold(t.Context(), "a"); code(err) != problem.CodeTaskRunning {
		t.Errorf("held while it lives: %v", err)
	}
	end := task.Task{ID: "a", State: task.StateDone}
	r.End("a", &end)
	over()
	if got, err := r.Task("a"); err != nil || got.State != task.StateDone {
		t.Errorf("what could not be written is forgotten: %+v, %v", got, err)
	}
	release, err := r.Hold(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Hold(ctx, "a"); err == nil {
		t.Error("held twice")
	}
	next := make(chan func())
	go func() {
		second, _ := r.Hold(t.Context(), "a")
		next <- second
	}()
	release()
	(<-next)()
}

// TestHoldWaitsForTheEnd: a task whose work is over is no conflict, and nobody has it before
// it is done.
func TestHoldWaitsForTheEnd(t *testing.T) {
	r := open(t)
	l := &fakeTask{ends: true, done: make(chan struct{})}
	over, err := r.Begin("a", l, nothing)
	if err != nil {
		t.Fatal(err)
	}
	defer over()
	impatient, leave := context.WithCancel(t.Context())
	leave()
	if _, err := r.Hold(impatient, "a"); code(err) != problem.CodeCancelled {
		t.Errorf("it is not waited for: %v", err)
	}
	held := make(chan error)
	go func() {
		release, err := r.Hold(t.Context(), "a")
		if err == nil {
			select {
			case <-l.done:
			default:
				t.Error("held before its end")
			}
			release()
		}
		held <- err
	}()
	r.End("a", nil)
	close(l.done)
	if err := <-held; err != nil {
		t.Error(err)
	}
}

// TestFreeze: what changes the data and a move of it exclude each other.
func TestFreeze(t *testing.T) {
	why := problem.New(problem.CodeMoving)
	for what, begin := range map[string]func(*Registry) (func(), error){
		"a task": func(r *Registry) (func(), error) {
			over, err := r.Begin("a", &fakeTask{}, nothing)
			return func() { r.End("a", nil); over() }, err
		},
		"a hold": func(r *Registry) (func(), error) { return r.Hold(t.Context(), "a") },
		"a use": func(r *Registry) (func(), error) {
			_, done, err := r.Use(t.Context())
			return done, err
		},
	} {
		t.Run(what, func(t *testing.T) {
			r := open(t)
			done, err := begin(r)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := r.Freeze(why); !errors.Is(err, ErrInUse) || !errors.Is(r.CanFreeze(), ErrInUse) {
				t.Errorf("frozen meanwhile: %v", err)
			}
			done()
			thaw, err := r.Freeze(why)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := begin(r); code(err) != problem.CodeMoving {
				t.Errorf("begun while frozen: %v", err)
			}
			if _, err := r.Freeze(why); code(err) != problem.CodeMoving {
				t.Errorf("frozen twice: %v", err)
			}
			thaw(nil)
			if done, err = begin(r); err != nil {
				t.Fatal(err)
			}
			done()
			r.Stop()
			thaw(nil) // late: the program ends already
			if _, err := begin(r); code(err) != problem.CodeShuttingDown {
				t.Errorf("begun at the end: %v", err)
			}
			r.Wait()
		})
	}
}

// TestUseEnds: a use hears when nobody waits for it any longer, and Wait waits.
func TestUseEnds(t *testing.T) {
	r := open(t)
	during, done, err := r.Use(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r.Stop()
	if !errors.Is(context.Cause(r.Base()), ErrClosing) || during.Err() != nil {
		t.Errorf("%v, %v", context.Cause(r.Base()), during.Err())
	}
	r.Hurry()
	<-during.Done()
	if cause := context.Cause(during); !errors.Is(cause, ErrClosing) || !errors.Is(cause, journal.ErrLater) || code(cause) != "" || problem.From(cause).Code != problem.CodeShuttingDown {
		t.Error(cause)
	}
	waited := make(chan struct{})
	go func() { r.Wait(); close(waited) }()
	select {
	case <-waited:
		t.Error("nobody waited for the use")
	case <-time.After(20 * time.Millisecond): // there is nothing to wait for instead
	}
	done()
	<-waited
}

// TestUntilIdle: a task that waits for a person is not waited for.
func TestUntilIdle(t *testing.T) {
	r := open(t)
	works, waits := &fakeTask{done: make(chan struct{})}, &fakeTask{waits: true}
	for id, l := range map[string]Live{"a": works, "b": waits} {
		if _, err := r.Begin(id, l, nothing); err != nil {
			t.Fatal(err)
		}
	}
	idle := make(chan error, 1)
	go func() { idle <- r.UntilIdle(t.Context()) }()
	r.End("a", nil)
	close(works.done)
	if err := <-idle; err != nil || r.Working() {
		t.Error(err)
	}
}

// Of two starts with one id, which whoever starts a task may choose, the second is refused,
// and the first stays.
func TestBeginTwice(t *testing.T) {
	r := &Registry{live: map[string]Live{}}
	first := &struct{ Live }{}
	over, err := r.Begin("1", first, func() error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	defer over()
	if _, err := r.Begin("1", &struct{ Live }{}, func() error { t.Error("it was written"); return nil }); code(err) != problem.CodeBadRequest {
		t.Error(err)
	}
	for want, of := range map[string]error{problem.CodeBadRequest: task.ErrExists, problem.CodeRecordDamaged: &task.DamagedError{ID: "2"}, problem.CodeNotFound: task.ErrNotFound} {
		if _, err := r.Begin("2", &struct{ Live }{}, func() error { return of }); code(err) != want {
			t.Errorf("%v is %v", of, err)
		}
	}
	if r.Live("1") != Live(first) {
		t.Error("the first is not reached any more")
	}
}

// An end that could not be written is written when there is room again: by whoever needs the
// task next, or at the end of the program. Until then it is the truth.
func TestUnsavedEnd(t *testing.T) {
	for name, next := range map[string]func(t *testing.T, r *Registry, id string){
		"held": func(t *testing.T, r *Registry, id string) {
			got, release, err := r.HoldTask(t.Context(), id)
			if err != nil || got.State != task.StateDone {
				t.Fatalf("%+v %v", got, err)
			}
			release()
		},
		"updated": func(t *testing.T, r *Registry, id string) {
			if got, err := r.Update(id, func(t *task.Task) { t.Title = "b" }); err != nil || got.State != task.StateDone || got.Title != "b" {
				t.Fatalf("%+v %v", got, err)
			}
		},
		"it goes on": func(t *testing.T, r *Registry, id string) {
			l := &fakeTask{done: make(chan struct{})}
			over, err := r.Begin(id, l, func() error {
				if got, err := r.store.Get(id); err != nil || got.State != task.StateDone {
					t.Errorf("it begins with %+v %v", got, err)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			r.End(id, nil)
			over()
		},
		"the end": func(_ *testing.T, r *Registry, _ string) { r.Stop(); r.Wait() },
	} {
		t.Run(name, func(t *testing.T) {
			r := open(t)
			id, err := task.NewID()
			if err != nil {
				t.Fatal(err)
			}
			if err := r.store.Create(task.Task{V: task.RecordVersion, ID: id, Kind: task.KindExec, State: task.StateRunning, Folders: []task.Folder{}}); err != nil {
				t.Fatal(err)
			}
			end, err := r.store.Get(id)
			if err != nil {
				t.Fatal(err)
			}
			now := time.Now().UTC()
			end.State, end.Ended = task.StateDone, &now
			r.End(id, &end)
			file := filepath.Join(r.store.Dir(id), "task.json")
			full := func() error { return errors.Join(os.Rename(file, file+".kept"), os.Mkdir(file, 0o700)) }
			if err := full(); err != nil {
				t.Fatal(err)
			}
			got, release, err := r.HoldTask(t.Context(), id)
			if err != nil || got.State != task.StateDone {
				t.Fatalf("%+v %v", got, err)
			}
			release()
			if _, err := r.Begin(id, &fakeTask{}, nothing); err == nil {
				t.Error("it goes on from a record that lacks its end")
			}
			if err := errors.Join(os.Remove(file), os.Rename(file+".kept", file)); err != nil {
				t.Fatal(err)
			}
			next(t, r, id)
			if got, err := r.store.Get(id); err != nil || got.State != task.StateDone || !got.Ended.Equal(now) {
				t.Errorf("%+v %v", got, err)
			}
			if _, still := r.Unsaved(id); still {
				t.Error("it is kept in memory, too")
			}
		})
	}
}

// TestRetire: who would end the program hears of tasks and of what else changes folders, and
// ends nothing meanwhile; nothing begins once it may end.
func TestRetire(t *testing.T) {
	for what, begin := range map[string]func(*Registry) (func(), error){
		"a task": func(r *Registry) (func(), error) {
			over, err := r.Begin("a", &fakeTask{waits: true}, nothing)
			return func() { r.End("a", nil); over() }, err
		},
		"an undo": func(r *Registry) (func(), error) {
			_, done, err := r.UseFor(t.Context(), Use{What: UseUndo, Task: "a"})
			return done, err
		},
		"a move": func(r *Registry) (func(), error) {
			thaw, err := r.Freeze(problem.New(problem.CodeMoving))
			return func() { thaw(nil) }, err
		},
	} {
		t.Run(what, func(t *testing.T) {
			r := open(t)
			done, err := begin(r)
			if err != nil {
				t.Fatal(err)
			}
			if w := r.Retire(); !w.Any() || !r.Work().Any() {
				t.Errorf("retired meanwhile: %+v", w)
			}
			done()
			_, end, err := r.Use(t.Context())
			if err != nil {
				t.Fatalf("refused though it did not retire: %v", err)
			}
			end()
			if w := r.Retire(); w.Any() {
				t.Errorf("still at work: %+v", w)
			}
			if _, _, err := r.Use(t.Context()); code(err) != problem.CodeShuttingDown {
				t.Errorf("begun after it retired: %v", err)
			}
		})
	}
}

// TestCancelUses: what is at work for a task ends, and nothing else.
func TestCancelUses(t *testing.T) {
	r := open(t)
	of := map[string]context.Context{}
	for _, id := range []string{"a", "b", ""} {
		ctx, done, err := r.UseFor(t.Context(), Use{What: UseUndo, Task: id})
		if err != nil {
			t.Fatal(err)
		}
		defer done()
		of[id] = ctx
	}
	why := errors.New("why")
	r.CancelUses("a", why)
	r.CancelUses("", why)
	if context.Cause(of["a"]) != why || of["b"].Err() != nil || of[""].Err() != nil {
		t.Errorf("%v, %v, %v", context.Cause(of["a"]), of["b"].Err(), of[""].Err())
	}
}
