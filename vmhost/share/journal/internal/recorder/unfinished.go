package recorder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/internal/wal"
)

// unfinished is the name of a file that lies in the journal's directory from before an undo or
// a redo begins until it has ended. With it the next start of the program finds what was cut
// off without reading the log of every task.
const unfinished = "unfinished"

// Unfinished reports whether an undo or a redo of the journal in dir may have been cut off, or
// is at work.
func Unfinished(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, unfinished))
	return err == nil
}

// Begin notes that an undo or a redo begins. The note is durable before its first record is.
func Begin(j *Recorder) error {
	f, err := os.OpenFile(filepath.Join(j.dir, unfinished), os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), wal.SyncDir(j.dir))
}

// Lost writes into that note that a disk did not take what was done: the memory of the system may go
// on to show it.
func Lost(j *Recorder) {
	if err := os.WriteFile(filepath.Join(j.dir, unfinished), []byte("lost\n"), 0o600); err != nil {
		j.Log.Warn("journal: that a disk was lost is not noted", "err", err)
	}
}

// StillLost is the error of a folder whose disk takes nothing, where the note says that one took not
// everything. That it is full, or that this user may not write there, proves nothing; that it is
// read-only does, as the system makes a disk that had errors.
func StillLost(j *Recorder, r *Roots) error {
	if note, err := os.ReadFile(filepath.Join(j.dir, unfinished)); err != nil || len(note) == 0 {
		return nil
	}
	for t, root := range r.Open {
		err := takes(root, ".piwork-undo-"+j.Tables.ID)
		if err != nil && !errors.Is(err, fs.ErrPermission) && !at.IsFull(err) {
			return fmt.Errorf("%q takes nothing: %w", t.Path, err)
		}
	}
	return nil
}

// takes makes a file durable and removes it. Not every disk lets the times of its top be set back.
func takes(root *at.Root, name string) error {
	d, err := root.Dir(".")
	if err != nil {
		return err
	}
	defer d.Close()
	was, err := d.Info()
	if err != nil {
		return err
	}
	err = Stage(d, name, func(f *os.File, _ at.Info) error {
		_, err := f.WriteString("x")
		return errors.Join(err, at.Sync(f))
	})
	if err != nil {
		return err
	}
	err = d.Remove(name)
	_ = d.SetTimes(was.ATime, was.MTime)
	return err
}

// End removes that note, when the record of the end is durable. A power cut may bring the note
// back: then the journal is opened once more, and nothing is found to finish.
func End(j *Recorder) {
	if err := os.Remove(filepath.Join(j.dir, unfinished)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		j.Log.Warn("journal: the note of an undo stays", "err", err)
	}
}
