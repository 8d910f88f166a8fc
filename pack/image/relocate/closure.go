package relocate

import (
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
)

// A Library is one shared object that a program needs.
type Library struct {
	Name string // as the program asks for it, and as its file has to be called
	Path string // in the tree, links resolved
}

// Closure is what programs need.
type Closure struct {
	Loader    Library   // the ELF interpreter; its Name is the base name
	Libraries []Library // by name, without the loader
}

// NotFoundError is a library that is not in the tree.
type NotFoundError struct {
	Name string
	By   string // who needs it
}

func (e *NotFoundError) Error() string {
	return fmt.Sprintf("library %s, needed by %s, is not in the tree", e.Name, e.By)
}

// Find returns the closure of programs and modules in a tree. Libraries are
// looked for in the run paths of whoever needs them (ld.so(8)), then in dirs.
// All paths are relative to the tree and slash-separated.
func Find(tree *os.Root, programs, dirs []string) (Closure, error) {
	f := finder{tree: tree, dirs: dirs, found: map[string]string{}}
	for _, p := range programs {
		if err := f.visit(p); err != nil {
			return Closure{}, err
		}
	}
	var c Closure
	if f.loader != "" {
		resolved, err := resolve(tree, f.loader)
		if err != nil {
			return Closure{}, fmt.Errorf("loader %s: %w", f.loader, err)
		}
		c.Loader = Library{Name: path.Base(f.loader), Path: resolved}
	}
	for _, name := range slices.Sorted(maps.Keys(f.found)) {
		if name != c.Loader.Name {
			c.Libraries = append(c.Libraries, Library{Name: name, Path: f.found[name]})
		}
	}
	return c, nil
}

type finder struct {
	tree   *os.Root
	dirs   []string
	loader string
	found  map[string]string // soname → path
}

func (f *finder) visit(file string) error {
	needs, err := f.read(file)
	if err != nil {
		return err
	}
	for _, name := range needs.libraries {
		if _, ok := f.found[name]; ok {
			continue
		}
		p, err := f.search(name, append(needs.runPath(file), f.dirs...))
		if err != nil {
			return err
		}
		if p == "" {
			return &NotFoundError{Name: name, By: file}
		}
		f.found[name] = p
		if err := f.visit(p); err != nil {
			return err
		}
	}
	return nil
}

// search returns where a library is, "" when nowhere.
func (f *finder) search(name string, dirs []string) (string, error) {
	if strings.Contains(name, "/") {
		return "", fmt.Errorf("library %q is needed by path: not relocatable", name)
	}
	for _, d := range dirs {
		p, err := resolve(f.tree, path.Join(d, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		return p, nil
	}
	return "", nil
}

// dynamic is what the dynamic section of a file asks for.
type dynamic struct {
	libraries []string
	paths     []string
}

// read reads the dynamic section, and the interpreter when there is one.
func (f *finder) read(file string) (dynamic, error) {
	r, err := f.tree.Open(file)
	if err != nil {
		return dynamic{}, err
	}
	defer r.Close()
	e, err := elf.NewFile(r)
	if err != nil {
		return dynamic{}, fmt.Errorf("%s: %w", file, err)
	}
	for _, p := range e.Progs {
		if p.Type != elf.PT_INTERP || p.Filesz > 4096 {
			continue
		}
		b := make([]byte, p.Filesz)
		if _, err := p.ReadAt(b, 0); err != nil {
			return dynamic{}, fmt.Errorf("%s: interpreter: %w", file, err)
		}
		loader := strings.TrimPrefix(strings.TrimRight(string(b), "\x00"), "/")
		if f.loader != "" && f.loader != loader {
			return dynamic{}, fmt.Errorf("%s has the loader %s, others have %s", file, loader, f.loader)
		}
		f.loader = loader
	}
	var d dynamic
	if d.libraries, err = e.ImportedLibraries(); err != nil {
		return dynamic{}, fmt.Errorf("%s: %w", file, err)
	}
	for _, tag := range []elf.DynTag{elf.DT_RUNPATH, elf.DT_RPATH} {
		lists, err := e.DynString(tag)
		if err != nil {
			return dynamic{}, fmt.Errorf("%s: %w", file, err)
		}
		for _, l := range lists {
			d.paths = append(d.paths, strings.Split(l, ":")...)
		}
	}
	return d, nil
}

// runPath returns the run paths with $ORIGIN put in, relative to the tree.
func (d dynamic) runPath(file string) []string {
	var dirs []string
	for _, p := range d.paths {
		if p == "" {
			continue
		}
		origin := "/" + path.Dir(file)
		p = strings.NewReplacer("${ORIGIN}", origin, "$ORIGIN", origin).Replace(p)
		if strings.Contains(p, "$") {
			continue // $LIB and $PLATFORM: none of Debian's
		}
		dirs = append(dirs, strings.TrimPrefix(path.Clean("/"+p), "/"))
	}
	return dirs
}

// resolve follows links inside of the tree; an absolute link means the tree's
// root. It returns fs.ErrNotExist when the end does not exist.
func resolve(tree *os.Root, name string) (string, error) {
	left := components(name)
	at := ""
	for hops := 0; len(left) > 0; {
		part := left[0]
		left = left[1:]
		if part == ".." {
			at = path.Dir(at)
			if at == "." {
				at = ""
			}
			continue
		}
		next := path.Join(at, part)
		info, err := tree.Lstat(next)
		if err != nil {
			return "", err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			at = next
			continue
		}
		if hops++; hops > 40 {
			return "", fmt.Errorf("%s: too many links", name)
		}
		target, err := tree.Readlink(next)
		if err != nil {
			return "", err
		}
		if path.IsAbs(target) {
			at = ""
		}
		left = append(components(target), left...)
	}
	return at, nil
}

// components splits a path and leaves out what says nothing.
func components(p string) []string {
	return slices.DeleteFunc(strings.Split(p, "/"), func(s string) bool { return s == "" || s == "." })
}
