package task

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"piwork/app/durable"
)

// Names in a task's directory.
const (
	recordFile   = "task.json"
	timelineFile = "timeline.jsonl"
	planFile     = "plan.json"
	journalDir   = "journal"
	resultsDir   = "results"
)

// Prefixes of directories that are not tasks yet, or any more.
const (
	stagingPrefix = ".new-"
	trashPrefix   = ".gone-"
)

// Errors of the store.
var (
	ErrNotFound = errors.New("no such task")
	ErrExists   = errors.New("the task exists already")
)

// DamagedError is a record that is there and cannot be read. The directory is
// left as it is.
type DamagedError struct {
	ID  string
	Err error
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("the record of task %s cannot be read: %v", e.ID, e.Err)
}

func (e *DamagedError) Unwrap() error { return e.Err }

// Store is the directory of all tasks. One process at a time may use it (the
// controller holds a lock); its methods may be called from several goroutines
// at once. What returned nil is on the disk.
type Store struct {
	dir string
	now func() time.Time

	index index

	mu        sync.Mutex
	timelines map[string]*timeline
}

// OpenStore opens or creates the directory, and clears away what an interrupted
// Create or Delete left.
func OpenStore(dir string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the directory of tasks: %w", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("read the directory of tasks: %w", err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), stagingPrefix) || strings.HasPrefix(e.Name(), trashPrefix) {
			if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
				return nil, fmt.Errorf("clear away a half-made task: %w", err)
			}
		}
	}
	return &Store{dir: dir, now: time.Now, timelines: map[string]*timeline{}}, nil
}

// ReadStore is a store for who has no lock on the directory: it may read, and nothing else.
func ReadStore(dir string) *Store {
	return &Store{dir: dir, now: time.Now, timelines: map[string]*timeline{}}
}

// NewID returns a fresh id (UUIDv7); ids sort by the time they were made.
func NewID() (string, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return "", fmt.Errorf("make an id: %w", err)
	}
	return id.String(), nil
}

// ValidID reports whether id is written as NewID writes it; only such an id
// names a directory.
func ValidID(id string) bool {
	u, err := uuid.Parse(id)
	return err == nil && u.String() == id
}

// IDTime returns when an id was made, to the millisecond; the zero time for an
// id that does not say.
func IDTime(id string) time.Time {
	u, err := uuid.Parse(id)
	if err != nil || u.Version() != 7 {
		return time.Time{}
	}
	return time.Unix(u.Time().UnixTime()).UTC()
}

// Dir returns the directory of a task, whether or not it exists; "" for an id
// that is not one.
func (s *Store) Dir(id string) string {
	if !ValidID(id) {
		return ""
	}
	return filepath.Join(s.dir, id)
}

// JournalDir returns where the journal of a task is.
func (s *Store) JournalDir(id string) string { return filepath.Join(s.Dir(id), journalDir) }

// ResultsDir returns where results that go to no folder are.
func (s *Store) ResultsDir(id string) string { return filepath.Join(s.Dir(id), resultsDir) }

// Create records a new task. Its directory appears with the whole record or
// not at all.
func (s *Store) Create(t Task) error {
	dir := s.Dir(t.ID)
	if dir == "" {
		return fmt.Errorf("task id %q: %w", t.ID, ErrNotFound)
	}
	data, err := durable.MarshalKeeping(nil, nil, t)
	if err != nil {
		return fmt.Errorf("record of task %s: %w", t.ID, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := os.Lstat(dir); err == nil {
		return fmt.Errorf("task %s: %w", t.ID, ErrExists)
	}
	staging := filepath.Join(s.dir, stagingPrefix+t.ID)
	err = os.MkdirAll(filepath.Join(staging, resultsDir), 0o700)
	if err == nil {
		err = durable.WriteFile(filepath.Join(staging, recordFile), data)
	}
	if err == nil {
		err = os.Rename(staging, dir)
	}
	if err == nil {
		err = durable.SyncDir(s.dir)
	}
	if err != nil {
		_ = os.RemoveAll(staging)
		return fmt.Errorf("record task %s: %w", t.ID, err)
	}
	return nil
}

// Get returns one record: ErrNotFound, or a DamagedError, where it cannot.
func (s *Store) Get(id string) (Task, error) {
	t, _, err := s.read(id)
	return t, err
}

func (s *Store) read(id string) (Task, []byte, error) {
	dir := s.Dir(id)
	if dir == "" {
		return Task{}, nil, fmt.Errorf("task id %q: %w", id, ErrNotFound)
	}
	data, err := durable.ReadFile(filepath.Join(dir, recordFile))
	if err != nil {
		if _, dirErr := os.Lstat(dir); errors.Is(dirErr, os.ErrNotExist) {
			return Task{}, nil, fmt.Errorf("task %s: %w", id, ErrNotFound)
		}
		return Task{}, nil, &DamagedError{ID: id, Err: err}
	}
	var t Task
	if err := json.Unmarshal(data, &t); err != nil {
		return Task{}, nil, &DamagedError{ID: id, Err: err}
	}
	if t.V < 1 || t.V > RecordVersion || t.ID != id {
		return Task{}, nil, &DamagedError{ID: id, Err: fmt.Errorf("version %d, id %q", t.V, t.ID)}
	}
	return t, data, nil
}

// Update changes a record. change gets the present one and alters it; when it
// returns an error nothing happens. A change of state must be in the life of a
// task (TransitionError). Members that this program does not know are kept.
func (s *Store) Update(id string, change func(*Task) error) (Task, error) {
	return s.update(id, CanGo, change)
}

// End is Update for the end of a run. A summary that did not come about leaves a task as it
// was, from whatever state: of all ends, only that is not in the life of a task.
func (s *Store) End(id string, change func(*Task) error) (Task, error) {
	return s.update(id, func(_, to State) bool { return to.Final() }, change)
}

func (s *Store) update(id string, may func(from, to State) bool, change func(*Task) error) (Task, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old, data, err := s.read(id)
	if err != nil {
		return Task{}, err
	}
	t, _, err := s.read(id) // an own copy: change may alter slices and maps in place
	if err != nil {
		return Task{}, err
	}
	if err := change(&t); err != nil {
		return old, err
	}
	t.V, t.ID, t.Kind, t.Created = old.V, old.ID, old.Kind, old.Created
	if t.State != old.State && !may(old.State, t.State) {
		return old, &TransitionError{ID: id, From: old.State, To: t.State}
	}
	out, err := durable.MarshalKeeping(data, old, t)
	if err != nil {
		return old, fmt.Errorf("record of task %s: %w", id, err)
	}
	if err := durable.WriteFile(filepath.Join(s.Dir(id), recordFile), out); err != nil {
		return old, fmt.Errorf("record task %s: %w", id, err)
	}
	s.index.forget(id)
	return t, nil
}

// Delete removes a task with its journal and results: from then on it does not
// exist, even when removing the files is interrupted.
func (s *Store) Delete(id string) error {
	dir := s.Dir(id)
	if dir == "" {
		return fmt.Errorf("task id %q: %w", id, ErrNotFound)
	}
	s.Release(id)
	s.mu.Lock()
	defer s.mu.Unlock()
	trash := filepath.Join(s.dir, trashPrefix+id)
	if err := os.Rename(dir, trash); err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("task %s: %w", id, ErrNotFound)
		}
		return fmt.Errorf("delete task %s: %w", id, err)
	}
	s.index.forget(id)
	if err := durable.SyncDir(s.dir); err != nil {
		return err
	}
	if err := os.RemoveAll(trash); err != nil {
		return fmt.Errorf("remove the files of task %s: %w", id, err)
	}
	return nil
}

// SavePlan writes the plan of a task.
func (s *Store) SavePlan(id string, plan any) error {
	data, err := durable.MarshalKeeping(nil, nil, plan)
	if err != nil {
		return fmt.Errorf("plan of task %s: %w", id, err)
	}
	if err := durable.WriteFile(filepath.Join(s.Dir(id), planFile), data); err != nil {
		return fmt.Errorf("save the plan of task %s: %w", id, err)
	}
	return nil
}

// LoadPlan reads the plan of a task into plan; ErrNotFound when it has none.
func (s *Store) LoadPlan(id string, plan any) error {
	if _, err := s.Get(id); err != nil {
		return err
	}
	data, err := durable.ReadFile(filepath.Join(s.Dir(id), planFile))
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("plan of task %s: %w", id, ErrNotFound)
	}
	if err != nil {
		return fmt.Errorf("read the plan of task %s: %w", id, err)
	}
	if err := json.Unmarshal(data, plan); err != nil {
		return &DamagedError{ID: id, Err: fmt.Errorf("plan: %w", err)}
	}
	return nil
}
