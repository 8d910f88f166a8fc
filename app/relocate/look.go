package relocate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"piwork/app/durable"
	"piwork/vmhost/share"
)

// Names in the folder that the person chose, and in a place.
const (
	placeName = "piwork"
	dataName  = "data"
	cacheName = "cache"
)

// spare is how many bytes more than what is copied have to be free: what the file
// system needs for names, and what the program writes next.
const spare = 256 << 20

// RefusedCode says why data is not moved to a folder.
type RefusedCode string

// Codes of a RefusedError.
const (
	RefusedRelative RefusedCode = "relative"     // not a whole path
	RefusedMissing  RefusedCode = "missing"      // nothing is there
	RefusedNoFolder RefusedCode = "not-a-folder" // a file or something else
	RefusedSame     RefusedCode = "same"         // it is there already
	RefusedInside   RefusedCode = "inside"       // in piwork's own directories
	RefusedTaken    RefusedCode = "taken"        // a folder "piwork" with something in it is there
	RefusedShared   RefusedCode = "shared"       // in a folder that tasks see
	RefusedWrite    RefusedCode = "read-only"    // nothing can be written there
	RefusedNetwork  RefusedCode = "network"      // on another computer, or not a disk at all
	RefusedMemory   RefusedCode = "memory"       // gone when the computer is switched off
	RefusedOpen     RefusedCode = "not-private"  // everybody could read it: a disk that knows no rights
)

// RefusedError says that data cannot be moved to a folder, and why.
type RefusedError struct {
	Code RefusedCode
	Path string
	Err  error // may be nil
}

func (e *RefusedError) Error() string {
	s := fmt.Sprintf("the data of piwork cannot be moved to %s (%s)", e.Path, e.Code)
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the cause.
func (e *RefusedError) Unwrap() error { return e.Err }

// RoomError says that there is too little room; both in bytes.
type RoomError struct {
	Dir        string
	Need, Free int64
}

func (e *RoomError) Error() string {
	return fmt.Sprintf("%d bytes are needed in %s, %d are free", e.Need, e.Dir, e.Free)
}

// Request says what to move, and where.
type Request struct {
	Dir    string // chosen by the person
	Config string // directory of settings, which stays
	Data   string // in use now, like Cache
	Cache  string
	Own    []string // further directories of piwork
	Shared []string // folders that tasks see

	// Skip says of a path in Data or Cache, relative and with slashes, that it is
	// not copied: it can be made again. KeepCache are names in Cache that stay
	// where they are.
	Skip      func(cache bool, rel string) bool
	KeepCache []string
	// Free says how many bytes are free in a directory.
	Free func(ctx context.Context, dir string) (int64, error)

	kind func(dir string) (diskKind, error) // nil: the system's
}

// Plan is what a move would do.
type Plan struct {
	To    string // the place
	Bytes int64  // to be copied
	Files int
	Need  int64 // bytes that have to be free
	Free  int64 // bytes that are

	r Request
}

// diskKind is what a directory lies on.
type diskKind int

const (
	diskLocal diskKind = iota
	diskNetwork
	diskMemory
)

// Look plans a move. It is a *RefusedError for a folder in which the data would
// not be safe, and a *RoomError, with the plan, for one with too little room. It
// makes a folder for a moment, and changes nothing else.
func Look(ctx context.Context, r Request) (Plan, error) {
	p := Plan{r: r}
	dir, err := check(r)
	if err != nil {
		return p, err
	}
	p.To = filepath.Join(dir, placeName)
	for _, side := range p.sides() {
		bytes, files, err := measure(ctx, side.from, func(rel string) bool { return r.skips(side.cache, rel) })
		if err != nil {
			return p, fmt.Errorf("measure %s: %w", side.from, err)
		}
		p.Bytes += bytes
		p.Files += files
	}
	p.Need = p.Bytes + spare
	if p.Free, err = r.Free(ctx, dir); err != nil {
		return p, fmt.Errorf("ask how much is free in %s: %w", dir, err)
	}
	if p.Free < p.Need {
		return p, &RoomError{Dir: dir, Need: p.Need, Free: p.Free}
	}
	return p, nil
}

// side is one of the directories that move.
type side struct {
	cache    bool
	from, in string // from, and the name in the place
}

func (p Plan) sides() []side {
	return []side{{false, p.r.Data, dataName}, {true, p.r.Cache, cacheName}}
}

func (r Request) skips(cache bool, rel string) bool { return r.Skip != nil && r.Skip(cache, rel) }

// check returns the folder without links on the way.
func check(r Request) (string, error) {
	refuse := func(code RefusedCode, err error) (string, error) {
		return "", &RefusedError{Code: code, Path: r.Dir, Err: err}
	}
	if !filepath.IsAbs(r.Dir) {
		return refuse(RefusedRelative, nil)
	}
	dir, err := share.RealPath(r.Dir)
	if errors.Is(err, fs.ErrPermission) {
		return refuse(RefusedWrite, err)
	}
	if err != nil {
		return refuse(RefusedMissing, err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return refuse(RefusedMissing, err)
	}
	if !info.IsDir() {
		return refuse(RefusedNoFolder, nil)
	}
	to := filepath.Join(dir, placeName)
	if same(to, r.Data) || same(filepath.Join(to, dataName), r.Data) {
		return refuse(RefusedSame, nil)
	}
	for _, own := range append([]string{r.Data, r.Cache, r.Config}, r.Own...) {
		if own != "" && contains(real(own), to) {
			return refuse(RefusedInside, nil)
		}
	}
	for _, shared := range r.Shared {
		if contains(real(shared), to) {
			return refuse(RefusedShared, nil)
		}
	}
	switch names, err := os.ReadDir(to); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil || len(names) > 0:
		return refuse(RefusedTaken, err)
	}
	kind := r.kind
	if kind == nil {
		kind = kindOf
	}
	switch k, err := kind(dir); {
	case err != nil:
		return refuse(RefusedMissing, err)
	case k == diskNetwork:
		return refuse(RefusedNetwork, nil)
	case k == diskMemory:
		return refuse(RefusedMemory, nil)
	}
	return dir, probe(dir, r.Dir)
}

// probe makes a folder as the staging folder will be.
func probe(dir, asked string) error {
	tmp, err := os.MkdirTemp(dir, "."+placeName+"-probe-")
	if err != nil {
		return &RefusedError{Code: RefusedWrite, Path: asked, Err: err}
	}
	defer os.RemoveAll(tmp)
	if err := makePrivate(tmp); err != nil {
		return &RefusedError{Code: RefusedOpen, Path: asked, Err: err}
	}
	return nil
}

// measure adds up what is copied.
func measure(ctx context.Context, dir string, skip func(string) bool) (bytes int64, files int, err error) {
	err = walk(ctx, dir, skip, func(_ string, d fs.DirEntry) error {
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
			return nil
		}
		if err == nil {
			bytes += durable.OnDisk(info)
			files++
		}
		return err
	})
	return bytes, files, err
}

// walk calls f for everything below dir but what is skipped.
func walk(ctx context.Context, dir string, skip func(string) bool, f func(rel string, d fs.DirEntry) error) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if path == dir && err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if rel = filepath.ToSlash(rel); skip(rel) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		return f(rel, d)
	})
}

// same reports whether both are one directory.
func same(a, b string) bool {
	i, err := os.Stat(a)
	if err != nil {
		return false
	}
	j, err := os.Stat(b)
	return err == nil && os.SameFile(i, j)
}

// contains reports whether dir is p or above it, as they are spelt or are.
func contains(dir, p string) bool {
	rel, err := filepath.Rel(dir, p)
	if err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return true
	}
	for up := p; ; up = filepath.Dir(up) {
		if same(dir, up) {
			return true
		}
		if up == filepath.Dir(up) {
			return false
		}
	}
}

// real is a path without links on the way, or as it is.
func real(p string) string {
	if r, err := share.RealPath(p); err == nil {
		return r
	}
	return p
}
