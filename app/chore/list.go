package chore

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"piwork/app/problem"
	"piwork/vmhost/share/online"
)

// MaxEntries is how many files and folders are listed at most.
const MaxEntries = 200_000

// tooMany is the problem of more files and folders than are listed.
func tooMany(most int) error { return problem.New(problem.CodeTooManyInputs).With("max", most) }

// Entry is something in a folder.
type Entry struct {
	Path string // relative to the folder, slash-separated, bytes as on disk
	Type fs.FileMode
	Size int64 // bytes
	Time time.Time

	Online bool // its content is with a cloud service alone, and is downloaded when it is read
	Stub   bool // it is only in iCloud, and cannot be read by its name
}

// List reads the names in a folder, in no order. Nothing is opened but
// directories, so that no file is downloaded, no link is followed, and nothing
// outside of the folder is seen.
// Names that begin with a dot are left out, and what is in a directory that
// cannot be read. That there are more than MaxEntries is a problem.
func List(ctx context.Context, folder *os.Root, recursive bool) ([]Entry, error) {
	return list(ctx, folder, recursive, MaxEntries)
}

func list(ctx context.Context, folder *os.Root, recursive bool, most int) ([]Entry, error) {
	var out []Entry
	err := fs.WalkDir(folder.FS(), ".", func(p string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		switch {
		case err != nil && p == ".":
			return err
		case err != nil:
			if d != nil && d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case p == ".":
			return nil
		}
		stub := online.Stub(path.Base(p)) && !d.IsDir()
		if strings.HasPrefix(path.Base(p), ".") && !stub {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if len(out) == most {
			return tooMany(most)
		}
		e := Entry{Path: p, Type: d.Type()}
		switch d.Type() {
		case 0, fs.ModeIrregular: // which a file of a cloud service is on some systems
			info, err := d.Info()
			if err != nil {
				return nil // gone meanwhile
			}
			var file bool
			if file, e.Online = online.Of(filepath.Join(folder.Name(), filepath.FromSlash(p)), info); file {
				e.Type, e.Size, e.Time = 0, info.Size(), info.ModTime()
			}
			if stub {
				e.Path, e.Size, e.Stub = path.Join(path.Dir(p), online.StubOf(path.Base(p))), 0, true
			}
		}
		out = append(out, e)
		if d.IsDir() && !recursive {
			return fs.SkipDir
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the folder: %w", err)
	}
	return out, nil
}
