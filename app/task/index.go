package task

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"
)

// Filter says which tasks are meant; the zero value means all.
type Filter struct {
	// Text is words that all have to be in the title, in what was asked, in the name
	// of a folder or of a result. Case and accents do not matter.
	Text   string
	States []State
	Kinds  []Kind

	Client        string    // only of who has the token of this name
	Folder        string    // only with this folder, or one that lies in it
	Since, Before time.Time // made at this time or later, and earlier than that
	Limit         int       // no more than so many, the newest; 0 is all
}

// index is what was read of records, so that listing and searching many tasks reads
// only those that changed. It is in memory only and made of the records alone: each
// row holds as long as its file is as it was, whoever changes it. The zero value is
// empty. Its methods may be called from several goroutines at once.
type index struct {
	mu    sync.Mutex
	epoch int64 // counts what was forgotten
	rows  map[string]*row
}

type row struct {
	modified time.Time
	size     int64
	task     Task
	text     string // as fold has it
}

// forget drops a row whose record changed. What is being read of it meanwhile is not
// kept: a file that is replaced within one tick of the clock may look the same.
func (x *index) forget(id string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.epoch++
	delete(x.rows, id)
}

// get returns a row that still holds, and the epoch for put.
func (x *index) get(id string, info os.FileInfo) (*row, bool, int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	r, ok := x.rows[id]
	return r, ok && r.modified.Equal(info.ModTime()) && r.size == info.Size(), x.epoch
}

func (x *index) put(id string, r *row, epoch int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.epoch != epoch {
		return
	}
	if x.rows == nil {
		x.rows = map[string]*row{}
	}
	x.rows[id] = r
}

// keep drops the rows of tasks that are not there.
func (x *index) keep(there map[string]bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for id := range x.rows {
		if !there[id] {
			delete(x.rows, id)
		}
	}
}

// List is Find of everything.
func (s *Store) List() ([]Task, []*DamagedError, error) { return s.Find(Filter{}) }

// Find returns the tasks that are meant, newest first, and apart from them the
// records that cannot be read, where no text is asked for. The tasks are without
// Asked; what they point to is shared with other callers and must not be altered.
func (s *Store) Find(f Filter) ([]Task, []*DamagedError, error) {
	rows, damaged, err := s.find(f)
	var tasks []Task
	for _, r := range rows {
		tasks = append(tasks, r.task)
	}
	return tasks, damaged, err
}

// find is Find with what the index has of the tasks.
func (s *Store) find(f Filter) ([]*row, []*DamagedError, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, nil, fmt.Errorf("read the directory of tasks: %w", err)
	}
	words := strings.Fields(fold(f.Text))
	var rows []*row
	var damaged []*DamagedError
	there := make(map[string]bool, len(entries))
	entries = slices.DeleteFunc(entries, func(e os.DirEntry) bool { return !ValidID(e.Name()) })
	got, errs := s.rowsOf(entries)
	for i, e := range slices.Backward(entries) {
		there[e.Name()] = true
		r, err := got[i], errs[i]
		var d *DamagedError
		switch {
		case errors.As(err, &d):
			if len(words) == 0 {
				damaged = append(damaged, d)
			}
		case errors.Is(err, ErrNotFound): // deleted meanwhile
		case err != nil:
			return nil, nil, err
		case f.Means(r.task) && hasAll(r.text, words):
			rows = append(rows, r)
		}
	}
	s.index.keep(there)
	return rows, damaged, nil
}

// rowsOf is row for many tasks: several are read at once.
func (s *Store) rowsOf(entries []os.DirEntry) (rows []*row, errs []error) {
	rows, errs = make([]*row, len(entries)), make([]error, len(entries))
	var next atomic.Int64
	var readers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		readers.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(entries); i = int(next.Add(1)) - 1 {
				rows[i], errs[i] = s.row(entries[i].Name())
			}
		})
	}
	readers.Wait()
	return rows, errs
}

// row returns what the index has of a task, read anew where it does not hold.
func (s *Store) row(id string) (*row, error) {
	info, err := os.Stat(filepath.Join(s.dir, id, recordFile))
	if err != nil {
		_, err := s.Get(id) // says what is the matter
		if err == nil {
			err = &DamagedError{ID: id, Err: errors.New("it comes and goes")}
		}
		return nil, err
	}
	r, holds, epoch := s.index.get(id, info)
	if holds {
		return r, nil
	}
	t, err := s.Get(id)
	if err != nil {
		return nil, err
	}
	r = &row{modified: info.ModTime(), size: info.Size(), text: fold(searched(t))}
	t.Asked = nil // may be large, and nobody reads it in a list
	r.task = t
	s.index.put(id, r, epoch)
	return r, nil
}

// liesIn reports whether a folder is another, or lies in it.
func liesIn(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// Means reports whether a task is meant, but for its text.
func (f Filter) Means(t Task) bool {
	return (f.Client == "" || t.Client == f.Client) && (len(f.States) == 0 || slices.Contains(f.States, t.State)) && (len(f.Kinds) == 0 || slices.Contains(f.Kinds, t.Kind)) &&
		(f.Folder == "" || slices.ContainsFunc(t.Folders, func(has Folder) bool { return liesIn(has.Path, f.Folder) })) &&
		(f.Since.IsZero() || !t.Created.Before(f.Since)) && (f.Before.IsZero() || t.Created.Before(f.Before))
}

// searched is the text in which a task is found.
func searched(t Task) string {
	parts := []string{t.Title, t.Chore, strings.Join(t.Argv, " ")}
	if t.Asked != nil {
		parts = append(parts, t.Asked.Prompt)
	}
	for _, f := range t.Folders {
		parts = append(parts, f.Name)
	}
	for _, r := range t.Results {
		parts = append(parts, r.Path)
	}
	return strings.Join(parts, "\n")
}

func hasAll(text string, words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
}

// fold makes texts equal that differ in case, accents or the form of letters only.
func fold(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if strings.IndexFunc(s, func(r rune) bool { return r > unicode.MaxASCII }) < 0 {
		return strings.ToLower(s)
	}
	out, _, err := transform.String(transform.Chain(norm.NFKD, runes.Remove(runes.In(unicode.Mn)), norm.NFKC), cases.Fold().String(s))
	if err != nil { // none of them fails on UTF-8
		return s
	}
	return out
}
