// Package folders serves the folders of a task to its machine: over 9p on a connection,
// or as a device where the machine can have one. What a task does in a folder goes to
// the journal of the task, or to the layer in front of a folder that is reviewed first.
package folders

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"

	"piwork/app/history"
	"piwork/app/task"
	"piwork/vmhost/hosted"
	"piwork/vmhost/share"
	"piwork/vmhost/share/copied"
	"piwork/vmhost/share/guard"
	"piwork/vmhost/share/journal"
	"piwork/vmhost/share/ninep"
	"piwork/vmhost/share/review"
	"piwork/vmhost/share/virtiofs"
)

// Share serves the folders of a task to its runtime.
type Share interface {
	Serve(ctx context.Context, conn io.ReadWriteCloser) error
	// Add shares another folder, also while it is served; j and g as of a Sharer.
	Add(f task.Folder, j history.Journal, g *guard.Guard) error
	// AddState shares what belongs to the task and not to the person.
	AddState(dir string) error
	// Remove ends the sharing of a folder: when it returns nothing of it is in use.
	Remove(id string)
	Close() error
}

// Sharer makes a share. j is nil where every folder is read-only; g may be. lost hears of a folder
// whose disk went meanwhile; it must not wait, and may be nil.
type Sharer func(folders []task.Folder, j history.Journal, g *guard.Guard, lost Lost) (Share, error)

// Lost is told the id of a folder whose disk went, or whose drive is silent: it does not answer.
type Lost func(folder string, silent bool)

// server serves a task's folders over 9p.
type server struct {
	set *share.Set
	log *slog.Logger
}

// written is a journal that a share can write into.
type written interface {
	Files() *journal.Journal
	Layer(folder string) (*review.Layer, error)
}

// Sharing makes shares; their journals are those of history.Journals, or nil. counts has what
// is asked of them; it may be nil.
func Sharing(log *slog.Logger, counts *share.Counts) Sharer {
	return func(folders []task.Folder, j history.Journal, g *guard.Guard, lost Lost) (Share, error) {
		o := share.Options{Counts: counts}
		if lost != nil {
			o.Gone, o.Silent = func(f share.Folder) { lost(f.ID, false) }, func(f share.Folder) { lost(f.ID, true) }
		}
		s := &server{set: share.NewSet(o), log: log}
		for _, f := range folders {
			if err := s.Add(f, j, g); err != nil {
				s.set.Close()
				return nil, err
			}
		}
		return s, nil
	}
}

// Add implements Share.
func (s *server) Add(f task.Folder, j history.Journal, g *guard.Guard) error {
	folder := share.Folder{ID: f.ID, Path: f.Path, Name: f.Name, ReadOnly: f.Mode == task.ModeReadOnly, Bytes: g}
	if f.Mode == task.ModeReadWrite { // what waits for a review changes nothing yet, but takes room
		folder.Guard = g
	}
	added, err := s.add(folder, f.Mode, j)
	if err == nil && added.Name != f.Name {
		s.set.Remove(f.ID)
		err = fmt.Errorf("the folder %q would be called %q in the guest", f.Name, added.Name)
	}
	return err
}

// Remove implements Share.
func (s *server) Remove(id string) { s.set.Remove(id) }

func (s *server) Serve(ctx context.Context, conn io.ReadWriteCloser) error {
	return ninep.Serve(ctx, conn, s.set, ninep.Options{Log: s.log})
}

// AddState implements Share.
func (s *server) AddState(dir string) error { return s.set.AddState(dir, 0) }

func (s *server) Close() error {
	s.set.Close()
	return nil
}

// add shares a folder: itself, or with a layer in front of it.
func (s *server) add(folder share.Folder, mode task.Mode, j history.Journal) (share.Folder, error) {
	real, ok := j.(written)
	switch {
	case !ok:
		return s.set.Add(folder, nil)
	case mode != task.ModeReview:
		return s.set.Add(folder, real.Files())
	}
	l, err := real.Layer(folder.ID)
	if err != nil {
		return folder, err
	}
	return s.set.AddStore(folder, l.Store())
}

// ServeDevice implements machines.DeviceServer.
//
// It runs in this program, beside the controller, and not in a process of its own.
// The guest's memory that it works in cannot be cut off under it (qemu.SharedRAM is
// sealed), and a fault in touching it, or any panic, is an error of this one
// connection (vhostuser); what the guest says there is bounded and fuzzed. A second
// process would need the journal, which has one writer, and the guards' questions,
// over another protocol that a taken-over server could speak as well: more to
// attack for nothing that a fault of one machine could reach here.
func (s *server) ServeDevice(ctx context.Context, l net.Listener) error {
	return virtiofs.Serve(ctx, l, s.set, virtiofs.Options{Log: s.log})
}

// ServeFUSE serves the folders to this computer's kernel, on an open /dev/fuse; all files
// belong to owner.
func (s *server) ServeFUSE(ctx context.Context, device *os.File, owner int) error {
	return virtiofs.ServeFUSE(ctx, device, s.set, virtiofs.Options{Log: s.log, Owner: owner})
}

// Copy returns copies of the folders for a place that can mount nothing.
func (s *server) Copy(o copied.Options) hosted.Folders { return copied.New(s.set, o) }
