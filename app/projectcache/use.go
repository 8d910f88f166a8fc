package projectcache

import (
	"context"
	"errors"
	"path/filepath"

	"piwork/app/problem"
	"piwork/app/registry"
	"piwork/app/rundir"
	"piwork/app/setup"
	"piwork/app/task"
	"piwork/vmhost"
	"piwork/vmhost/qemu"
	"piwork/vmhost/vm"
)

// In is where the caches are, in the directories of a controller.
func In(p rundir.Places) string { return filepath.Join(p.CacheDir, Dir) }

// OfTask is the project whose cache a task asks for; the zero value without one. A task to which
// folders are added, or from which they are taken, stays with the cache that it began with.
func OfTask(name string, t task.Task) (Project, error) {
	if name == "" {
		return Project{}, nil
	}
	if t.Kind != task.KindExec && t.Kind != task.KindAI || t.Chore != "" {
		return Project{}, problem.BadRequest("cache", "only programs and AI tasks have one")
	}
	if t.Asked != nil && len(t.Asked.CacheOf) > 0 {
		return ProjectOf(name, t.Asked.CacheOf)
	}
	return ProjectOf(name, task.Paths(t.Shared()))
}

// User is a task that works with a cache.
type User interface {
	ID() string
	Last() *task.Task
	Context() context.Context
	Record(kind task.EventKind, data any)
}

// Use is a cache in the machine of a task; nil is none.
type Use struct {
	lease   *Lease
	user    User
	machine setup.Machine
}

// Lend gives the machine of a task the cache that the task asked for by name; was is what it
// was lent before.
func (c *Caches) Lend(ctx context.Context, was *Use, name string, user User, m setup.Machine, spec *vm.Config) (*Use, error) {
	if name != "" && was == nil {
		p, err := OfTask(name, *user.Last())
		if err != nil {
			return nil, err
		}
		lease, err := c.Lease(ctx, p, m.Pack.Image.WorkBase)
		if err != nil {
			return nil, err
		}
		was = &Use{lease, user, m}
		for code, is := range map[string]bool{"cache-shared": !lease.Kept(), "cache-renewed": lease.Renewed()} { // never both
			if is {
				user.Record(task.EventNotice, task.NoticeData{Code: code, Params: map[string]any{"cache": lease.ID()}})
			}
		}
	}
	if was != nil {
		spec.Cache = &vm.Cache{Files: was.lease.Files(), LimitMB: was.lease.LimitMB()}
	}
	return was, nil
}

// Close gives the cache back, with what the task changed when it ended well: its machine was
// switched off by its guest, and nobody cancelled it. Then the cache is tidied.
func (u *Use) Close(rt vmhost.Runtime, r *registry.Registry) {
	if u == nil {
		return
	}
	c, id, m := u.lease.c, u.lease.ID(), u.machine
	off, _ := rt.(interface{ PoweredOff() bool }) // nil where there is no machine yet
	end := u.lease.Drop
	if off != nil && off.PoweredOff() && u.user.Context().Err() == nil {
		end = u.lease.Keep
	}
	if err := end(); err != nil {
		c.o.Log.Warn("what a task changed in a cache is not kept", "task", u.user.ID(), "cache", id, "error", err)
		u.user.Record(task.EventNotice, task.NoticeData{Code: "cache-not-kept", Params: map[string]any{"cache": id, "full": errors.Is(err, ErrFull)}})
	}
	r.Go(func() {
		if lease := m.Pack.Lease; lease != nil { // the task's own ends with it
			release, err := lease(r.Base())
			if err != nil {
				return
			}
			defer release()
		}
		err := c.Tidy(r.Base(), id, func(ctx context.Context, top, base string) error {
			return qemu.MergeCache(ctx, m.Pack.Image, m.Proof.Accel, top, base)
		})
		if err != nil {
			c.o.Log.Warn("a cache could not be tidied", "cache", id, "error", err)
		}
	})
}
