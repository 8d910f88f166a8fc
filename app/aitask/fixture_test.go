package aitask

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"piwork/app/task"
)

// bareTask is a task without a machine, whose record is written at once.
type bareTask struct {
	t     *testing.T
	store *task.Store
	id    string
	ctx   context.Context
}

// bare is the conversation of a bareTask.
func bare(t *testing.T, rec task.Task) (*Conversation, *bareTask) {
	t.Helper()
	store, err := task.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if rec.ID, err = task.NewID(); err != nil {
		t.Fatal(err)
	}
	rec.V, rec.Kind, rec.State, rec.Created, rec.Folders = task.RecordVersion, task.KindAI, task.StateQueued, time.Now(), []task.Folder{}
	if err := store.Create(rec); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	b := &bareTask{t, store, rec.ID, ctx}
	t.Cleanup(func() { cancel(nil); store.Release(b.id) })
	return New(Options{Task: b, ID: b.id, Context: ctx, Cancel: cancel, Store: store, Log: slog.New(slog.DiscardHandler)}), b
}

func (b *bareTask) Last() *task.Task {
	rec, err := b.store.Get(b.id)
	if err != nil {
		b.t.Error(err)
	}
	return &rec
}

func (b *bareTask) Update(change func(*task.Task)) (task.Task, error) {
	return b.store.Update(b.id, func(t *task.Task) error { change(t); return nil })
}

func (b *bareTask) Later(change func(*task.Task)) {
	if _, err := b.Update(change); err != nil {
		b.t.Error(err)
	}
}

func (b *bareTask) Record(kind task.EventKind, data any) {
	if _, err := b.store.Append(b.id, kind, data); err != nil {
		b.t.Error(err)
	}
}

func (b *bareTask) Tell(task.EventKind, any)       {}
func (b *bareTask) Written() error                 { return nil }
func (b *bareTask) Settle()                        {}
func (b *bareTask) Room(ctx context.Context) error { return context.Cause(ctx) }
