package root

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"
)

// Limits of a bootstrap: far above any real one.
const (
	maxEntries = 1 << 20
	maxEdited  = 1 << 20 // bytes of a file that is edited
)

// Options say what the root becomes.
type Options struct {
	Time    time.Time         // nothing is newer
	Drop    func(string) bool // nil is [Drop]
	User    User
	Content map[string]string // whole files, mode 0644
	Dirs    []Dir
	// Overlays have files that are added or replaced; modes are 0644 and 0755,
	// owner root. Links are kept where the file system is an fs.ReadLinkFS.
	Overlays []fs.FS
	// Base, when not nil, makes a layer instead of a root: only what the base has
	// not, see layer.go.
	Base *Tree
	Keep func(string) bool // files of which the base's is right, whatever the layer has; nil is none
}

// Dir is a directory that is made or changed.
type Dir struct {
	Name string
	Mode fs.FileMode // permissions
	ID   int         // owner and group
}

// Stats says what came out.
type Stats struct {
	Entries int
	Bytes   int64 // of regular files
	Tree    Tree
}

// entry is one file of the result. Data is at offset in the source, in data, or
// in a file of an overlay.
type entry struct {
	h      tar.Header
	offset int64
	data   []byte
	own    bool                    // has data instead of an offset
	open   func() (fs.File, error) // of an overlay, else nil
}

// content of a regular file.
func (e *entry) content(src io.ReaderAt) (io.ReadCloser, error) {
	switch {
	case e.open != nil:
		return e.open()
	case e.own:
		return io.NopCloser(bytes.NewReader(e.data)), nil
	}
	return io.NopCloser(io.NewSectionReader(src, e.offset, e.h.Size)), nil
}

// Rewrite reads the tar archive of a bootstrap and writes the root.
func Rewrite(w io.Writer, src io.ReaderAt, size int64, o Options) (Stats, error) {
	if o.Drop == nil {
		o.Drop = Drop
	}
	entries, err := readAll(src, size, o)
	if err != nil {
		return Stats{}, fmt.Errorf("root file system: %w", err)
	}
	for _, step := range []func(map[string]*entry, io.ReaderAt, Options) error{addUser, addContent, addOverlays, addDirs, addParents, onlyNew} {
		if err := step(entries, src, o); err != nil {
			return Stats{}, fmt.Errorf("root file system: %w", err)
		}
	}
	stats, err := write(w, src, entries, o)
	if err != nil {
		return Stats{}, fmt.Errorf("root file system: %w", err)
	}
	return stats, nil
}

// readAll lists the source by name.
func readAll(src io.ReaderAt, size int64, o Options) (map[string]*entry, error) {
	section := io.NewSectionReader(src, 0, size)
	t := tar.NewReader(section)
	entries := map[string]*entry{}
	var links []*entry
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		name := clean(h.Name)
		if name == "." || o.Drop(name) {
			continue
		}
		if len(entries) == maxEntries {
			return nil, fmt.Errorf("more than %d files", maxEntries)
		}
		switch h.Typeflag {
		case tar.TypeReg, tar.TypeDir, tar.TypeSymlink, tar.TypeLink:
		default:
			continue // devices, pipes, sockets: the guest's kernel makes its own
		}
		at, err := section.Seek(0, io.SeekCurrent)
		if err != nil {
			return nil, err
		}
		e := &entry{h: plain(h, name, o.Time), offset: at}
		entries[name] = e
		if h.Typeflag == tar.TypeLink {
			e.h.Linkname = clean(h.Linkname)
			links = append(links, e)
		}
	}
	return entries, sortLinks(entries, links)
}

// plain is a header with nothing in it that a machine or a moment put there.
func plain(h *tar.Header, name string, latest time.Time) tar.Header {
	p := tar.Header{
		Typeflag: h.Typeflag, Name: name, Linkname: h.Linkname, Size: h.Size,
		Mode: h.Mode & 0o1777, Uid: h.Uid, Gid: h.Gid, ModTime: h.ModTime.Truncate(time.Second),
	}
	if h.Typeflag != tar.TypeReg {
		p.Size = 0
	}
	if p.ModTime.After(latest) {
		p.ModTime = latest
	}
	return p
}

// sortLinks makes the first name of every group of hard links the file and the
// others links to it.
func sortLinks(entries map[string]*entry, links []*entry) error {
	groups := map[string][]string{}
	for _, l := range links {
		groups[l.h.Linkname] = append(groups[l.h.Linkname], l.h.Name)
	}
	for target, names := range groups {
		file, ok := entries[target]
		if !ok || file.h.Typeflag != tar.TypeReg {
			return fmt.Errorf("%s is a hard link to %s, which is not a file or was left out", names[0], target)
		}
		names = append(names, target)
		slices.SortFunc(names, byComponents)
		whole := *file
		for i, n := range names {
			e := whole
			e.h.Name = n
			if i > 0 {
				e.h.Typeflag, e.h.Linkname, e.h.Size = tar.TypeLink, names[0], 0
			}
			entries[n] = &e
		}
	}
	return nil
}

func addUser(entries map[string]*entry, src io.ReaderAt, o Options) error {
	if o.User.Name == "" {
		return nil
	}
	for name, line := range o.User.lines() {
		e, ok := entries[name]
		if !ok && strings.HasSuffix(name, "shadow") {
			continue // a system without passwords: the package passwd makes these
		}
		if !ok || e.h.Typeflag != tar.TypeReg {
			return fmt.Errorf("no %s to add a user to", name)
		}
		if e.h.Size > maxEdited {
			return fmt.Errorf("%s has %d bytes", name, e.h.Size)
		}
		old := make([]byte, e.h.Size)
		if _, err := io.ReadFull(io.NewSectionReader(src, e.offset, e.h.Size), old); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		e.set(append(old, line...))
		e.h.ModTime = o.Time
	}
	home := clean(o.User.Home)
	entries[home] = directory(home, 0o755, o.User.ID, o.Time)
	return nil
}

func addContent(entries map[string]*entry, _ io.ReaderAt, o Options) error {
	for name, text := range o.Content {
		entries[clean(name)] = file(clean(name), 0o644, []byte(text), o.Time)
	}
	return nil
}

func addOverlays(entries map[string]*entry, _ io.ReaderAt, o Options) error {
	for _, overlay := range o.Overlays {
		if err := addOverlay(entries, overlay, o); err != nil {
			return fmt.Errorf("overlay: %w", err)
		}
	}
	return nil
}

func addOverlay(entries map[string]*entry, overlay fs.FS, o Options) error {
	return fs.WalkDir(overlay, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		switch {
		case d.IsDir():
			switch old, ok := entries[name]; {
			case !ok:
				entries[name] = directory(name, 0o755, 0, o.Time)
			case old.h.Typeflag != tar.TypeDir:
				return fmt.Errorf("%s is a directory, in the packages it is not", name)
			}
		case d.Type().IsRegular():
			info, err := d.Info()
			if err != nil {
				return err
			}
			e := file(name, 0o644, nil, o.Time)
			if info.Mode()&0o100 != 0 {
				e.h.Mode = 0o755
			}
			e.h.Size = info.Size()
			e.open = func() (fs.File, error) { return overlay.Open(name) }
			entries[name] = e
		case d.Type() == fs.ModeSymlink:
			target, err := fs.ReadLink(overlay, name)
			if err != nil {
				return err
			}
			entries[name] = &entry{h: tar.Header{Typeflag: tar.TypeSymlink, Name: name, Linkname: target, Mode: 0o777, ModTime: o.Time}}
		default:
			return fmt.Errorf("%s is neither a file, a link nor a directory", name)
		}
		return nil
	})
}

func addDirs(entries map[string]*entry, _ io.ReaderAt, o Options) error {
	for _, d := range o.Dirs {
		entries[clean(d.Name)] = directory(clean(d.Name), int64(d.Mode.Perm()), d.ID, o.Time)
	}
	return nil
}

// addParents makes directories that nothing made, and refuses files with files
// below them.
func addParents(entries map[string]*entry, _ io.ReaderAt, o Options) error {
	for _, name := range slices.Collect(maps.Keys(entries)) {
		for d := path.Dir(name); d != "."; d = path.Dir(d) {
			e, ok := entries[d]
			if !ok {
				entries[d] = directory(d, 0o755, 0, o.Time)
			} else if e.h.Typeflag != tar.TypeDir {
				return fmt.Errorf("%s lies below %s, which is not a directory", name, d)
			}
		}
	}
	return nil
}

func write(w io.Writer, src io.ReaderAt, entries map[string]*entry, o Options) (Stats, error) {
	out := tar.NewWriter(w)
	stats := Stats{Entries: len(entries), Tree: Tree{}}
	top := tar.Header{Typeflag: tar.TypeDir, Name: "./", Mode: 0o755, ModTime: o.Time}
	if err := out.WriteHeader(&top); err != nil {
		return Stats{}, err
	}
	for _, name := range slices.SortedFunc(maps.Keys(entries), byComponents) {
		e := entries[name]
		h := e.h
		if h.Typeflag == tar.TypeDir {
			h.Name += "/"
		}
		if err := out.WriteHeader(&h); err != nil {
			return Stats{}, fmt.Errorf("%s: %w", name, err)
		}
		sum := ""
		if h.Typeflag == tar.TypeReg {
			var err error
			if sum, err = e.copy(out, src); err != nil {
				return Stats{}, fmt.Errorf("%s: %w", name, err)
			}
			stats.Bytes += h.Size
		}
		stats.Tree[name] = e.node(sum)
	}
	return stats, out.Close()
}

// copy writes the content of a regular file and returns its SHA-256. w may be
// nil.
func (e *entry) copy(w io.Writer, src io.ReaderAt) (string, error) {
	r, err := e.content(src)
	if err != nil {
		return "", err
	}
	defer r.Close()
	h := sha256.New()
	to := io.Writer(h)
	if w != nil {
		to = io.MultiWriter(w, h)
	}
	if _, err := io.CopyN(to, r, e.h.Size); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// byComponents is an order in which a directory stands right before its content.
func byComponents(a, b string) int {
	return slices.Compare(strings.Split(a, "/"), strings.Split(b, "/"))
}

func (e *entry) set(data []byte) {
	e.data, e.own, e.h.Size = data, true, int64(len(data))
}

func file(name string, mode int64, data []byte, t time.Time) *entry {
	e := &entry{h: tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: mode, ModTime: t}}
	e.set(data)
	return e
}

func directory(name string, mode int64, id int, t time.Time) *entry {
	return &entry{h: tar.Header{Typeflag: tar.TypeDir, Name: name, Mode: mode, Uid: id, Gid: id, ModTime: t}}
}

// clean is a name relative to the root without "./" or a slash at its ends.
func clean(name string) string {
	if c := strings.TrimPrefix(path.Clean("/"+name), "/"); c != "" {
		return c
	}
	return "."
}
