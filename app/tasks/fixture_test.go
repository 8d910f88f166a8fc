package tasks

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"piwork/app/consent"
	"piwork/app/events"
	"piwork/app/registry"
	"piwork/app/runtimes"
	"piwork/app/task"
)

// bareLive is a task that lives without a machine: what it records is written.
func bareLive(t *testing.T, rec task.Task, r StartRequest) *Live {
	t.Helper()
	store, err := task.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if rec.ID, err = task.NewID(); err != nil {
		t.Fatal(err)
	}
	rec.V, rec.Kind, rec.State, rec.Created, rec.Folders = task.RecordVersion, r.Kind, task.StateQueued, time.Now(), []task.Folder{}
	if err := store.Create(rec); err != nil {
		t.Fatal(err)
	}
	log, broker := slog.New(slog.DiscardHandler), events.New(time.Now)
	t.Cleanup(broker.Close)
	reg := registry.New(store, broker, log)
	c := &Runner{o: Options{
		Store: store, Registry: reg, Events: broker, Consent: consent.New(consent.Options{Registry: reg}),
		Watching: Watching{Noted: func(task.EventKind, any, bool) {}}, Log: log, Now: time.Now, Kinds: Kinds{Chooser: runtimes.New(usual{})},
	}}
	l := NewLive(c, rec, r)
	t.Cleanup(func() { l.Cancel(ErrCancelled); l.Settle() })
	return l
}

// usual is a person who chose nothing.
type usual struct{}

func (usual) Get() runtimes.Settings                       { return runtimes.Settings{} }
func (usual) Set(context.Context, runtimes.Settings) error { return nil }
