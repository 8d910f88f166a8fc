package recorder

import (
	"context"

	"piwork/vmhost/share/journal/internal/ledger"
)

// List brings the tables up to date and computes the changes; the caller
// is [Recorder.Alone].
// It also returns the states of files that are open at this moment. stopped
// says that tasks are stopped already.
func (j *Recorder) List(ctx context.Context, stopped bool) ([]*ledger.Step, map[*ledger.Object]ledger.State, error) {
	r := j.OpenRoots()
	defer r.Close()
	return ListIn(ctx, j, r, stopped)
}

// ListIn is List with the folders in r; the others are as they were last seen.
func ListIn(ctx context.Context, j *Recorder, r *Roots, stopped bool) ([]*ledger.Step, map[*ledger.Object]ledger.State, error) {
	start := func() {}
	if !stopped {
		var err error
		if start, err = j.Stop(ctx); err != nil {
			return nil, nil, err
		}
	}
	look := &survey{Recorder: j, r: r, stopped: stopped}
	err := look.renumber()
	if err == nil {
		err = look.decide()
	}
	start()
	if err != nil {
		return nil, nil, err
	}
	if err := look.findAstray(ctx); err != nil {
		return nil, nil, err
	}
	live, err := look.refresh(ctx)
	if err != nil {
		return nil, nil, err
	}
	j.stale = false
	if err := j.Sync(j.File.Position()); err != nil {
		return nil, nil, err
	}
	j.Mu.Lock()
	defer j.Mu.Unlock()
	return j.Tables.Changes(live), live, nil
}

// Spot and gained are those of the tables, for who does not hold j.Mu.
func (j *Recorder) Spot(o *ledger.Object) (dir *ledger.Object, name string, ok bool) {
	j.Mu.Lock()
	defer j.Mu.Unlock()
	return j.Tables.Spot(o)
}

// Gained is a name that o has now and had not before the task, nil for none.
func (j *Recorder) Gained(o *ledger.Object) *ledger.Entry {
	j.Mu.Lock()
	defer j.Mu.Unlock()
	return o.Gained()
}

// Rewrite replaces the log by the shortest one that says the same; j.Mu is
// held.
func (j *Recorder) Rewrite() error {
	if err := ledger.Replace(j.File, j.Tables.LastT, j.Tables.Records()); err != nil {
		return err
	}
	j.compact, j.marked = j.File.Length(), j.File.Length()
	_, err := ledger.AppendTo(j.File, j.Tables.LastT, ledger.MarkRecord{Secret: j.Tables.Secret, Compacted: j.compact})
	if err != nil {
		j.Log.Warn("journal: the log may be compacted again without need", "err", err)
	}
	return nil
}

// compactAt is the length in bytes from which on a log is rewritten, when it has doubled
// since it last was. Tests use a small one.
var compactAt = int64(64 << 20)

// long reports whether the log is to be rewritten; Recorder.Mu is held.
func (f *logFile) long() bool { return f.File.Length() > max(compactAt, 2*f.compact) }

// shorten rewrites the log where it can: on a full disk a long log serves as well, and giving
// it up makes room. j.Mu is held.
func (j *Recorder) shorten() {
	if err := j.Rewrite(); err != nil {
		j.Log.Error("journal: cannot compact", "err", err)
		j.compact = j.File.Length() // not at once again
	}
}
