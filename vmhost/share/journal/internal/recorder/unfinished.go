package recorder

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

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

// End removes that note, when the record of the end is durable. A power cut may bring the note
// back: then the journal is opened once more, for nothing.
func End(j *Recorder) {
	if err := os.Remove(filepath.Join(j.dir, unfinished)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		j.Log.Warn("journal: the note of an undo stays", "err", err)
	}
}
