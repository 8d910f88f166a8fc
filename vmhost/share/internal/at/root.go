package at

import (
	"os"
	"path"
)

// Root is a shared folder, held open.
type Root struct {
	path string
	r    *os.Root
	top  *Dir
}

// OpenRoot opens the directory at a path of the host; links on the way to it
// are followed, because the person chose them.
func OpenRoot(path string) (*Root, error) {
	r, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	root := &Root{path: path, r: r}
	if root.top, err = openDir(root, "."); err != nil {
		r.Close()
		return nil, err
	}
	return root, nil
}

// Path returns the path the Root was opened with.
func (r *Root) Path() string { return r.path }

// Close closes the Root. Directories and files opened from it stay open.
func (r *Root) Close() error {
	r.top.close()
	return r.r.Close()
}

// Dir opens a directory by its slash-separated path in the Root, "." being the
// Root itself. The caller closes it.
func (r *Root) Dir(rel string) (*Dir, error) {
	if rel == "." {
		return &Dir{f: r.top.f, r: r.top.r, shared: true}, nil
	}
	return openDir(r, rel)
}

// Split opens the directory that holds the last component of rel, and returns
// that component.
func (r *Root) Split(rel string) (*Dir, string, error) {
	dir, name := path.Split(rel)
	if dir == "" {
		dir = "."
	}
	if err := CheckName(name); err != nil {
		return nil, "", wrap("open", rel, err)
	}
	d, err := r.Dir(path.Clean(dir))
	return d, name, err
}

// Lstat returns what rel is, "." being the Root itself.
func (r *Root) Lstat(rel string) (Info, error) {
	if rel == "." {
		return r.top.Info()
	}
	d, name, err := r.Split(rel)
	if err != nil {
		return Info{}, err
	}
	defer d.Close()
	return d.Lstat(name)
}
