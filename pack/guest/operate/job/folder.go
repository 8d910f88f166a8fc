package job

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Folder is the folder of results.
type Folder struct {
	r       *Job
	Path    string
	target  string   // what path is renamed to in the end; "" when it has its name
	made    []string // folders that this operation made, outermost first
	replace bool
	used    map[string]bool // names in lower case
	dirs    map[string]bool // folders in it that are there and are folders
}

// OpenFolder makes the folder of results where it is not there, and finds out
// whether something can be placed in it.
func (r *Job) OpenFolder(replace bool) (*Folder, error) {
	f := &Folder{r: r, Path: r.Order.Tool.Out, replace: replace, used: map[string]bool{}, dirs: map[string]bool{}}
	st, err := os.Stat(f.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := f.make(f.Path); err != nil {
			return nil, errors.Join(err, f.close())
		}
	case err != nil:
		return nil, err
	case !st.IsDir():
		return nil, &fs.PathError{Op: "mkdir", Path: f.Path, Err: fs.ErrExist}
	}
	if err := f.At("x").try(); err != nil {
		return nil, errors.Join(err, f.close())
	}
	return f, nil
}

// OpenWhole is OpenFolder for results that are one thing: a folder that is not
// there appears with all that is in it, or not at all. end ends it.
func (r *Job) OpenWhole(replace bool) (*Folder, error) {
	target := r.Order.Tool.Out
	if _, err := os.Lstat(target); !errors.Is(err, fs.ErrNotExist) {
		return r.OpenFolder(replace)
	}
	f := &Folder{r: r, target: target, Path: temporary(target), replace: replace, used: map[string]bool{}, dirs: map[string]bool{}}
	r.Send(Event{Placing: &f.Path})
	if err := f.make(f.Path); err != nil {
		return nil, f.End(err)
	}
	return f, nil
}

// At is the place of a name in the folder.
func (f *Folder) At(name string) Placer {
	p := f.r.placerAt(filepath.Join(f.Path, name), f.replace)
	if f.target != "" { // all of it goes with the folder
		p.placing = func(string) {}
	}
	return p
}

// Unique makes a name that no other result has.
func (f *Folder) Unique(name string) string { return UniqueName(f.used, name) }

// Enter makes the folders on the way to a path in the folder. A link on the way
// is refused: it may lead anywhere.
func (f *Folder) Enter(dir string) error {
	if dir == "." || f.dirs[dir] {
		return nil
	}
	if err := f.Enter(filepath.Dir(dir)); err != nil {
		return err
	}
	full := filepath.Join(f.Path, dir)
	if err := os.Mkdir(full, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	st, err := os.Lstat(full)
	if err != nil {
		return err
	}
	if !st.IsDir() {
		return &fs.PathError{Op: "mkdir", Path: full, Err: fs.ErrExist}
	}
	f.dirs[dir] = true
	return nil
}

// make makes a folder, and those on the way to it.
func (f *Folder) make(dir string) error {
	err := os.Mkdir(dir, 0o777)
	if errors.Is(err, fs.ErrNotExist) && filepath.Dir(dir) != dir {
		if err := f.make(filepath.Dir(dir)); err != nil {
			return err
		}
		err = os.Mkdir(dir, 0o777)
	}
	if err == nil {
		f.made = append(f.made, dir)
	}
	return err
}

// close removes the folder again when it was made for nothing.
func (f *Folder) close() error {
	if len(f.r.Result.Out) > 0 {
		return nil
	}
	for _, dir := range slices.Backward(f.made) {
		if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
			return err
		}
		if err := os.Remove(dir); err != nil {
			return err
		}
	}
	return nil
}

// End gives a folder of OpenWhole its name, or removes it with all in it when
// the work failed with an error.
func (f *Folder) End(err error) error {
	if f.target == "" {
		return errors.Join(err, f.close())
	}
	defer f.r.Send(Event{Placing: new("")})
	keep := err == nil && f.useful()
	if keep {
		if err = syncDir(f.Path); err == nil {
			err = Placer{target: f.target}.rename(f.Path)
		}
	}
	if err != nil || !keep {
		f.r.Result.Out = nil
		err = errors.Join(err, os.RemoveAll(f.Path))
		f.made = f.made[:max(len(f.made)-1, 0)]
		return errors.Join(err, f.close())
	}
	for i, out := range f.r.Result.Out {
		f.r.Result.Out[i].Path = f.target + strings.TrimPrefix(out.Path, f.Path)
	}
	return syncDir(filepath.Dir(f.target))
}

// useful reports whether something is in the folder: empty folders only where
// nothing went wrong.
func (f *Folder) useful() bool {
	entries, err := os.ReadDir(f.Path)
	return err == nil && len(entries) > 0 && (len(f.r.Result.Out) > 0 || len(f.r.Result.Problems) == 0)
}
