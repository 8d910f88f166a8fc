package journal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"piwork/vmhost/share/drive"
	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/internal/wal"
	"piwork/vmhost/share/journal/internal/recorder"
)

// What writes changes down is internal/recorder.
type (
	// Folder changes one shared folder, each change written down before it is made.
	Folder = recorder.Folder
	// Options bound a Journal. The zero value is valid.
	Options = recorder.Options
	// OnFull is asked when a change needs more room than a limit leaves.
	OnFull = recorder.OnFull
	// Usage is what a journal takes up, in bytes of files.
	Usage = recorder.Usage
	// Content is the content of a file on one side of a change.
	Content = recorder.Content
)

// Errors of a journal.
var (
	ErrLocked       = recorder.ErrLocked                                              // another process has the journal open
	ErrClosed       = recorder.ErrClosed                                              // after Close
	ErrForeign      = wal.ErrMagic                                                    // the log is damaged from its beginning, or a newer version's
	ErrFull         = recorder.ErrFull                                                // writing a change down would pass a limit; to the guest EDQUOT
	ErrRaced        = recorder.ErrRaced                                               // the folder was changed from outside in the middle of an operation; to the guest ESTALE
	ErrBusy         = errors.New("the journal waits for a disk that does not answer") // a disk does not answer, so that the journal cannot be closed
	ErrSpecial      = recorder.ErrSpecial                                             // a device, FIFO or socket could not be put back; to the guest EPERM
	ErrNoContent    = recorder.ErrNoContent                                           // a change has no content on this side
	ErrChangedSince = recorder.ErrChangedSince                                        // a person has changed, moved or removed it
	ErrNoImage      = recorder.ErrNoImage                                             // the journal has not, or not all of, what was there
	ErrLater        = errors.New("the rest is done when the journal is opened again") // why the context of an undo or a redo ends
)

// SyncDelay is how long the records of what a task makes new may wait for
// their fsync; those of what it destroys never wait.
const SyncDelay = recorder.SyncDelay

// Journal is the record of one task's changes. Its methods may be called from
// several goroutines at once. One process at a time has a Journal open.
type Journal struct {
	rec   *recorder.Recorder
	undos atomic.Pointer[recorder.Recorder] // what undos did, so that a redo can take it back; nil until there was one
	dir   string
	opts  Options
	tries int // steps that undos tried, for tests; guarded by the recorder's Alone
	walks int // folders that undos read for names that nobody knows, for tests; guarded likewise
}

// Open opens the journal in dir, making it when there is none, and recovers
// what a crash left: a damaged end of the log is cut off, references without a
// record are found again, and an undo that was interrupted is finished.
// It fails with ErrLocked while another process has it open.
func Open(dir string, o Options) (*Journal, error) { return open(dir, o, nil) }

func open(dir string, o Options, hook func(string)) (*Journal, error) {
	j, err := openBoth(dir, o, hook)
	if err != nil {
		return nil, err
	}
	r := j.rec
	if _, err := j.resume(context.Background()); err != nil { // no reason not to open the journal
		r.Log.Error("journal: an interrupted undo waits", "err", err)
	}
	return j, nil
}

// openBoth opens the journal and, when there is one, that of its undos.
func openBoth(dir string, o Options, hook func(string)) (*Journal, error) {
	r, err := recorder.Open(dir, o, hook)
	if err != nil {
		return nil, err
	}
	j := &Journal{rec: r, dir: dir, opts: o}
	if _, err := os.Lstat(filepath.Join(dir, undosDir, "log")); err == nil {
		if _, err := j.openUndos(); err != nil {
			return nil, errors.Join(err, r.Close())
		}
	}
	return j, nil
}

// undosDir is where the journal of undos is, in that of the task.
const undosDir = "undo"

// undoSteps are the steps of the journal of undos that tests stop at.
var undoSteps = map[string]string{"replacing": "undo-", "exchanged": "undo-"}

// openUndos opens the journal of undos, making it when there is none.
func (j *Journal) openUndos() (*recorder.Recorder, error) {
	if r := j.undos.Load(); r != nil {
		return r, nil
	}
	o := Options{MaxBytes: j.opts.MaxBytes, MaxMemory: math.MaxInt64, Log: j.opts.Log, Kept: j.opts.Kept}
	hook := func(step string) {
		if j.rec.Hook != nil {
			j.rec.Hook(undoSteps[step] + step)
		}
	}
	r, err := recorder.Open(filepath.Join(j.dir, undosDir), o, hook)
	if err != nil {
		return nil, fmt.Errorf("journal of undos: %w", err)
	}
	r.Task = j.rec
	r.PartsFrom, r.PartSize = j.rec.PartsFrom, j.rec.PartSize
	j.undos.Store(r)
	return r, nil
}

// Unfinished reports whether an undo or a redo of the journal in dir was interrupted, or is at
// work, without opening the journal.
func Unfinished(dir string) bool { return recorder.Unfinished(dir) }

// Resumed is what came of an undo or a redo that was interrupted and then finished.
type Resumed struct{ Undo, Redo Report }

// Finish finishes an undo or a redo of the journal in dir that was interrupted. When ctx ends it
// stops between two files; the next Finish or Open goes on. The error is ErrUnfinished
// while a folder cannot be reached.
func Finish(ctx context.Context, dir string, o Options) (Resumed, error) {
	j, err := openBoth(dir, o, nil)
	if err != nil {
		return Resumed{}, err
	}
	done, err := j.resume(ctx)
	return done, errors.Join(err, j.Close())
}

// Folder returns the handle to change the folder with this id, which stays
// the same for the life of the task. It holds root open until it is closed.
func (j *Journal) Folder(id string, root *at.Root) (*Folder, error) { return j.rec.Folder(id, root) }

// Usage says how large the journal is.
func (j *Journal) Usage() Usage {
	u := j.rec.Usage()
	if undos := j.undos.Load(); undos != nil {
		u.Undone = undos.Usage().Bytes
		u.Bytes += u.Undone
	}
	return u
}

// Room asks for the room for want of which a change was refused with
// err. It returns nil when the change may be tried again. It must be called without
// locks: a person is asked.
func (j *Journal) Room(err error) error { return j.rec.Room(err) }

// Close makes everything durable and lets another process open the journal.
// Folders must not be used any more; what waits for an answer of
// Options.OnFull is refused. The error is ErrBusy where the disk of a folder does not answer: then the
// journal is closed when it does, and stays locked until then.
func (j *Journal) Close() error {
	closed := make(chan error, 1)
	go func() {
		err := j.rec.Close() // ends an undo
		if undos := j.undos.Load(); undos != nil {
			err = errors.Join(err, undos.Close())
		}
		closed <- err
	}()
	patience := time.NewTimer(3 * drive.Farewell())
	defer patience.Stop()
	select {
	case err := <-closed:
		return err
	case <-patience.C:
		return fmt.Errorf("journal %s: %w", j.dir, ErrBusy)
	}
}

// Unrecorded returns a Folder whose changes are not written down: for what
// belongs to a task and not to a person, and for what cannot be changed.
func Unrecorded(root *at.Root) *Folder { return recorder.Unrecorded(root) }

// NewContent makes a Content of what lies somewhere else (vmhost/share/review).
func NewContent(r *io.SectionReader, close func() error) *Content {
	return recorder.NewContent(r, close)
}

// OpenSame opens a file of a folder that is the same as it was, or has this hash.
func OpenSame(ctx context.Context, root *at.Root, rel string, size int64, sum string, same func(at.Info) bool) (*Content, error) {
	return recorder.OpenSame(ctx, root, rel, size, sum, same)
}

// Sum returns the SHA-256 of all of f in hex, or the error of ctx when that ends first.
func Sum(ctx context.Context, f io.ReaderAt) (string, error) { return recorder.Sum(ctx, f) }
