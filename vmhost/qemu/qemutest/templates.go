package qemutest

import (
	"io/fs"
	"os"
	"path/filepath"
)

// LinkTemplates gives a directory of templates those of another, which is on the same
// file system: a file of a template is never written to, others take their places. The
// lock stays where it is.
func LinkTemplates(from, to string) error {
	return filepath.WalkDir(from, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, p)
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, rel), 0o700)
		case filepath.Dir(rel) == ".": // the lock
			return nil
		}
		return os.Link(p, filepath.Join(to, rel))
	})
}
