package template

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"piwork/pack/lazyregexp"
)

// Names of the files of a template.
const (
	RAM   = "ram"
	State = "state"
	Disk  = "disk.qcow2"

	infoFile = "template.json"
)

var parts = []string{RAM, State, Disk}

const (
	version     = 1
	maxInfo     = 1 << 20 // bytes of a small file that are read
	lockRetry   = 100 * time.Millisecond
	lockFile    = "lock"
	stagingName = ".staging-"
	goneName    = ".gone-"
	failedName  = ".failed"
)

var (
	// ErrNone is returned where no template of that key is.
	ErrNone = errors.New("there is no such template")
	// ErrDamaged is returned for a template that is not what was stored.
	ErrDamaged = errors.New("the template is damaged")
	// ErrNoSpace is returned where a template might not fit on the disk.
	ErrNoSpace = errors.New("not enough free space for a template")
)

// keyForm keeps keys from being anything else than a name.
var keyForm = lazyregexp.New(`^[0-9a-f]{16,64}$`)

// Store is a directory of templates. Its methods may be called from several
// goroutines and processes at once.
type Store struct {
	dir  string
	step func(string) error // of tests: called before each step, may end it
	now  func() time.Time
}

// Open returns the store in a directory, which is made when the first template
// is.
func Open(dir string) (*Store, error) {
	if !filepath.IsAbs(dir) {
		return nil, fmt.Errorf("the directory of templates %q is not absolute", dir)
	}
	return &Store{dir: dir, step: func(string) error { return nil }, now: time.Now}, nil
}

// info is template.json.
type info struct {
	V     int             `json:"v"`
	Key   string          `json:"key"`
	Made  time.Time       `json:"made"`
	Files map[string]file `json:"files"`
	Note  json.RawMessage `json:"note"`
}

type file struct {
	Size   int64  `json:"size"`   // bytes
	SHA256 string `json:"sha256"` // see digest
}

// Template is a saved machine on the disk.
type Template struct {
	Dir  string
	Made time.Time
	info info
}

// Note is what its maker wrote down (Staging.Note).
func (t *Template) Note() json.RawMessage { return t.info.Note }

// Path returns where a file of the template is.
func (t *Template) Path(name string) string { return filepath.Join(t.Dir, name) }

// Bytes is what the template takes on the disk.
func (t *Template) Bytes() int64 {
	var n int64
	for _, p := range parts {
		if fi, err := os.Stat(t.Path(p)); err == nil {
			n += allocated(fi)
		}
	}
	return n
}

// Verify reads all of the template; an error that is ErrDamaged says that it is
// not what was stored.
func (t *Template) Verify(ctx context.Context) error {
	for _, name := range parts {
		sum, err := digest(ctx, t.Path(name))
		if err != nil {
			return fmt.Errorf("verify the template: %w", err)
		}
		if sum != t.info.Files[name].SHA256 {
			return fmt.Errorf("%w: %s has other bytes", ErrDamaged, name)
		}
	}
	return nil
}

// Lookup returns the template of a key: ErrNone without one, ErrDamaged for one
// that is not whole.
func (s *Store) Lookup(key string) (*Template, error) {
	if !keyForm().MatchString(key) {
		return nil, fmt.Errorf("%w: %.80q is no key", ErrNone, key)
	}
	t := &Template{Dir: filepath.Join(s.dir, key)}
	if _, err := os.Stat(t.Dir); errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNone
	}
	if err := readJSON(t.Path(infoFile), &t.info); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if t.info.V != version || t.info.Key != key {
		return nil, fmt.Errorf("%w: it says version %d, key %.80q", ErrDamaged, t.info.V, t.info.Key)
	}
	for _, name := range parts {
		want, ok := t.info.Files[name]
		fi, err := os.Lstat(t.Path(name))
		switch {
		case err != nil:
			return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
		case !ok || !fi.Mode().IsRegular() || fi.Size() != want.Size:
			return nil, fmt.Errorf("%w: %s has %d bytes of %d", ErrDamaged, name, fi.Size(), want.Size)
		}
	}
	t.Made = t.info.Made
	return t, nil
}

// Touch notes that a template was used, for Sweep's order.
func (s *Store) Touch(t *Template) { now := s.now(); _ = os.Chtimes(t.Path(infoFile), now, now) }

// Drop removes the template of a key; it is gone at once, whatever of its files
// can be removed.
func (s *Store) Drop(key string) error {
	if !keyForm().MatchString(key) {
		return nil
	}
	return s.discard(filepath.Join(s.dir, key))
}

// discard moves a directory out of the way and removes it.
func (s *Store) discard(dir string) error {
	gone, err := os.MkdirTemp(s.dir, goneName)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	err = os.Rename(dir, filepath.Join(gone, "x"))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, os.RemoveAll(gone))
}

// Sweep removes what a killed program left and every template but those of keep
// and the most recently used other ones, as many as spare says. What another
// process is making stays.
func (s *Store) Sweep(spare int, keep ...string) error {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return fmt.Errorf("sweep templates: %w", err)
	}
	l := flock.New(filepath.Join(s.dir, lockFile))
	mine, lockErr := l.TryLock()
	defer func() { _ = l.Close() }()

	type old struct {
		key  string
		used time.Time
	}
	var olds []old
	var errs []error
	for _, e := range entries {
		name := e.Name()
		path := filepath.Join(s.dir, name)
		switch {
		case strings.HasPrefix(name, goneName):
			errs = append(errs, os.RemoveAll(path))
		case strings.HasPrefix(name, stagingName):
			if mine && lockErr == nil {
				errs = append(errs, os.RemoveAll(path))
			}
		case keyForm().MatchString(name) && !slices.Contains(keep, name):
			o := old{key: name}
			if fi, err := os.Stat(filepath.Join(path, infoFile)); err == nil {
				o.used = fi.ModTime()
			}
			olds = append(olds, o)
		case strings.HasSuffix(name, failedName) && !slices.Contains(keep, strings.TrimSuffix(name, failedName)):
			errs = append(errs, os.Remove(path))
		}
	}
	slices.SortFunc(olds, func(a, b old) int { return b.used.Compare(a.used) })
	for i, o := range olds {
		if i >= spare || o.used.IsZero() {
			errs = append(errs, s.Drop(o.key))
		}
	}
	return errors.Join(errs...)
}

// readJSON reads a small file.
func readJSON(path string, v any) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return json.NewDecoder(io.LimitReader(f, maxInfo)).Decode(v)
}
