package at

import (
	"cmp"
	"errors"
	"os"
	"path"
	"strings"
	"sync/atomic"
)

// stepwise has Root.Dir take one component after the other also where the system
// has one call for all of them.
var stepwise atomic.Bool

// Stepwise switches that, and returns what it was before. Both ways hold the same
// promises, and the tests of both front ends run on both.
func Stepwise(on bool) (before bool) { return stepwise.Swap(on) }

// Root is a shared folder, held open.
type Root struct {
	path string
	r    *os.Root
	top  *Dir
	uses atomic.Int32 // beyond the first
}

// OpenRoot opens the directory at a path of the host; links on the way to it
// are followed, because the person chose them.
func OpenRoot(path string) (*Root, error) {
	r, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return newRoot(path, r)
}

// OpenRealRoot is OpenRoot for a path of [RealPath], in which no link is followed; see [OpenReal].
func OpenRealRoot(path string) (*Root, error) {
	r, err := OpenReal(path)
	if err != nil {
		return nil, err
	}
	return newRoot(path, r)
}

func newRoot(path string, r *os.Root) (root *Root, err error) {
	root = &Root{path: path, r: r}
	if root.top, err = openTop(r); err != nil {
		r.Close()
		return nil, err
	}
	noteDisk(root.top)
	return root, nil
}

// Path returns the path the Root was opened with.
func (r *Root) Path() string { return r.path }

// Retain lets somebody else use the Root too: it stays open until both have
// called Close.
func (r *Root) Retain() *Root {
	r.uses.Add(1)
	return r
}

// Close closes the Root when nobody else has retained it. Directories and files
// opened from it stay open, but for the Root's own directory: it must not be in
// use any more.
func (r *Root) Close() {
	if r.uses.Add(-1) < 0 {
		r.top.close()
		r.r.Close()
	}
}

// Dir opens a directory by its slash-separated path in the Root, "." being the
// Root itself. The caller closes it.
func (r *Root) Dir(rel string) (*Dir, error) {
	if rel == "." {
		return &Dir{f: r.top.f, r: r.top.r, shared: true}, nil
	}
	if !stepwise.Load() {
		if d, err := openBelow(r.top, rel); !errors.Is(err, ErrUnsupported) {
			return d, err
		}
	}
	d := r.top
	for name := range strings.SplitSeq(rel, "/") {
		next, err := d.Sub(name)
		if d != r.top {
			d.Close()
		}
		if err != nil {
			return nil, err
		}
		d = next
	}
	return d, nil
}

// Split opens the directory that holds the last component of rel, and returns
// that component.
func (r *Root) Split(rel string) (*Dir, string, error) {
	dir, name := path.Split(rel)
	dir = cmp.Or(dir, ".")
	if err := CheckName(name); err != nil {
		return nil, "", wrap("open", rel, err)
	}
	d, err := r.Dir(path.Clean(dir))
	return d, name, err
}

// At calls do with the directory that rel is in and its name there, "." being the
// Root itself.
func (r *Root) At(rel string, do func(d *Dir, name string) error) error {
	dir, name := path.Split(rel)
	if dir = path.Clean(dir); rel == "." {
		name = "."
	}
	d, err := r.Dir(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return do(d, name)
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
