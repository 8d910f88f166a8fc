package relocate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sync/semaphore"

	"piwork/app/durable"
)

// Names of the pointer in the directory of settings and of the marker in a place.
const (
	pointerName = "place.json"
	markerName  = "place.json"
)

// Pointer says where piwork's directories are. The zero value is where the system
// keeps data of programs.
type Pointer struct {
	V     int      `json:"v"`
	ID    string   `json:"id,omitempty"` // that the marker of the place has
	Data  string   `json:"data,omitempty"`
	Cache string   `json:"cache,omitempty"`
	Begun *begun   `json:"begun,omitempty"` // a move that is under way, or was killed
	Old   []oldDir `json:"old,omitempty"`   // to be removed
}

// begun is what a move made so far.
type begun struct {
	ID      string `json:"id"`
	Staging string `json:"staging"`
	To      string `json:"to"`
}

// oldDir was left by a move.
type oldDir struct {
	Dir  string   `json:"dir"`
	Keep []string `json:"keep,omitempty"` // names in it that stay
}

// marker is the content of place.json in a place.
type marker struct {
	V  int    `json:"v"`
	ID string `json:"id"`
}

// GoneError says that the place of piwork's data is not there: its disk is not
// connected, or the folder was moved away.
type GoneError struct {
	Dir string
	Err error
}

func (e *GoneError) Error() string {
	return fmt.Sprintf("the data of piwork is not at %s: %v", e.Dir, e.Err)
}

// Unwrap returns the cause.
func (e *GoneError) Unwrap() error { return e.Err }

// Read reads the pointer in the directory of settings; without one it is zero.
func Read(config string) (Pointer, error) {
	var p Pointer
	path := filepath.Join(config, pointerName)
	data, err := durable.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &p)
	}
	if err == nil && (p.Data == "") != (p.Cache == "") {
		err = errors.New("it names one directory of two")
	}
	if err == nil && p.Data != "" && (p.ID == "" || !filepath.IsAbs(p.Data) || !filepath.IsAbs(p.Cache)) {
		err = errors.New("it names no place")
	}
	if err != nil {
		return Pointer{}, fmt.Errorf("read where the data of piwork is, in %s: %w", path, err)
	}
	return p, nil
}

// Check returns a *GoneError unless what the pointer names is there.
func (p Pointer) Check() error {
	if p.Data == "" {
		return nil
	}
	place := filepath.Dir(p.Data)
	id, err := markerOf(place)
	if err == nil && id != p.ID {
		err = errors.New("the data of another piwork is there")
	}
	for _, dir := range []string{p.Data, p.Cache} {
		if err == nil {
			_, err = os.Stat(dir)
		}
	}
	if err != nil {
		return &GoneError{Dir: place, Err: err}
	}
	return nil
}

func (p Pointer) write(config string) error {
	p.V = 1
	data, err := json.MarshalIndent(p, "", "  ")
	if err == nil {
		err = durable.WriteFile(filepath.Join(config, pointerName), append(data, '\n'))
	}
	if err != nil {
		return fmt.Errorf("write where the data of piwork is: %w", err)
	}
	return nil
}

func markerOf(place string) (id string, err error) {
	var m marker
	data, err := os.ReadFile(filepath.Join(place, markerName))
	if err == nil {
		err = json.Unmarshal(data, &m)
	}
	if err == nil && m.ID == "" {
		err = errors.New("its marker says nothing")
	}
	return m.ID, err
}

// one at a time changes places: a move, or the removal of what moves left.
var one = semaphore.NewWeighted(1)

// Settle removes what a move that was killed had copied, and what moves left of
// old places, until ctx ends. The caller has the lock of the data directory in use. used says of
// an old one whether somebody still has it: then it stays until the next time, as
// does what cannot be removed, which is in the error.
func Settle(ctx context.Context, config string, used func(dir string) bool) error {
	if err := one.Acquire(ctx, 1); err != nil {
		return context.Cause(ctx)
	}
	defer one.Release(1)
	p, err := Read(config)
	if err != nil || p.Begun == nil && len(p.Old) == 0 {
		return err
	}
	var errs []error
	if b := p.Begun; b != nil {
		if err := b.remove(p); err != nil {
			errs = append(errs, err)
		} else {
			p.Begun = nil
		}
	}
	var left []oldDir
	for _, o := range p.Old {
		done, err := o.remove(ctx, config, p, used)
		if !done {
			left = append(left, o)
		}
		errs = append(errs, err)
	}
	p.Old = left
	return errors.Join(append(errs, p.write(config))...)
}

// remove removes what a move that did not happen made. A folder of the person's
// that has one of the names since is not it.
func (b *begun) remove(p Pointer) error {
	if id, err := markerOf(b.To); err == nil && id == b.ID && id != p.ID {
		if err := os.RemoveAll(b.To); err != nil {
			return fmt.Errorf("remove what a move began: %w", err)
		}
	}
	if err := os.RemoveAll(b.Staging); err != nil {
		return fmt.Errorf("remove what a move began: %w", err)
	}
	return nil
}

func (o oldDir) remove(ctx context.Context, config string, p Pointer, used func(string) bool) (done bool, err error) {
	if _, err := os.Lstat(filepath.Dir(o.Dir)); err != nil {
		return false, nil // its disk is not connected
	}
	if _, err := os.Lstat(o.Dir); errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	for _, now := range []string{p.Data, p.Cache} {
		if now == "" || contains(o.Dir, now) || contains(now, o.Dir) {
			return true, nil // it is in use again
		}
	}
	if contains(o.Dir, config) {
		return true, fmt.Errorf("the old place %s stays: the settings are in it", o.Dir)
	}
	if used(o.Dir) {
		return false, nil
	}
	if err := empty(ctx, o.Dir, o.Keep); err != nil {
		return false, fmt.Errorf("remove the old place: %w", err)
	}
	_ = os.Remove(o.Dir) // when nothing was to be kept
	// The folder that a move had made around it.
	if parent := filepath.Dir(o.Dir); filepath.Base(parent) == placeName && !contains(parent, config) {
		if _, err := os.Lstat(filepath.Join(parent, dataName)); errors.Is(err, fs.ErrNotExist) {
			if _, err := os.Lstat(filepath.Join(parent, cacheName)); errors.Is(err, fs.ErrNotExist) {
				_ = os.Remove(filepath.Join(parent, markerName))
				_ = os.Remove(parent) // when nothing else is in it
			}
		}
	}
	return true, nil
}
