package operate

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// folder is the folder of results.
type folder struct {
	r       *run
	path    string
	target  string   // what path is renamed to in the end; "" when it has its name
	made    []string // folders that this operation made, outermost first
	replace bool
	used    map[string]bool // names in lower case
	dirs    map[string]bool // folders in it that are there and are folders
}

// openFolder makes the folder of results where it is not there, and finds out
// whether something can be placed in it.
func (r *run) openFolder(replace bool) (*folder, error) {
	f := &folder{r: r, path: r.order.Tool.Out, replace: replace, used: map[string]bool{}, dirs: map[string]bool{}}
	st, err := os.Stat(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := f.make(f.path); err != nil {
			return nil, errors.Join(err, f.close())
		}
	case err != nil:
		return nil, err
	case !st.IsDir():
		return nil, &fs.PathError{Op: "mkdir", Path: f.path, Err: fs.ErrExist}
	}
	if err := f.at("x").try(); err != nil {
		return nil, errors.Join(err, f.close())
	}
	return f, nil
}

// openWhole is openFolder for results that are one thing: a folder that is not
// there appears with all that is in it, or not at all. end ends it.
func (r *run) openWhole(replace bool) (*folder, error) {
	target := r.order.Tool.Out
	if _, err := os.Lstat(target); !errors.Is(err, fs.ErrNotExist) {
		return r.openFolder(replace)
	}
	f := &folder{r: r, target: target, path: temporary(target), replace: replace, used: map[string]bool{}, dirs: map[string]bool{}}
	r.send(Event{Placing: &f.path})
	if err := f.make(f.path); err != nil {
		return nil, f.end(err)
	}
	return f, nil
}

// at is the place of a name in the folder.
func (f *folder) at(name string) placer {
	p := f.r.placerAt(filepath.Join(f.path, name), f.replace)
	if f.target != "" { // all of it goes with the folder
		p.placing = func(string) {}
	}
	return p
}

// unique makes a name that no other result has.
func (f *folder) unique(name string) string { return uniqueName(f.used, name) }

// enter makes the folders on the way to a path in the folder. A link on the way
// is refused: it may lead anywhere.
func (f *folder) enter(dir string) error {
	if dir == "." || f.dirs[dir] {
		return nil
	}
	if err := f.enter(filepath.Dir(dir)); err != nil {
		return err
	}
	full := filepath.Join(f.path, dir)
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
func (f *folder) make(dir string) error {
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
func (f *folder) close() error {
	if len(f.r.result.Out) > 0 {
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

// end gives a folder of openWhole its name, or removes it with all in it when
// the work failed with an error.
func (f *folder) end(err error) error {
	if f.target == "" {
		return errors.Join(err, f.close())
	}
	defer f.r.send(Event{Placing: new("")})
	keep := err == nil && f.useful()
	if keep {
		if err = syncDir(f.path); err == nil {
			err = placer{target: f.target}.rename(f.path)
		}
	}
	if err != nil || !keep {
		f.r.result.Out = nil
		err = errors.Join(err, os.RemoveAll(f.path))
		f.made = f.made[:max(len(f.made)-1, 0)]
		return errors.Join(err, f.close())
	}
	for i, out := range f.r.result.Out {
		f.r.result.Out[i].Path = f.target + strings.TrimPrefix(out.Path, f.path)
	}
	return syncDir(filepath.Dir(f.target))
}

// useful reports whether something is in the folder: empty folders only where
// nothing went wrong.
func (f *folder) useful() bool {
	entries, err := os.ReadDir(f.path)
	return err == nil && len(entries) > 0 && (len(f.r.result.Out) > 0 || len(f.r.result.Problems) == 0)
}
