// Package settings keeps what a person chose in JSON files of the directory of settings.
//
// A [File] holds one document. Each part of the program has its choices in a struct of
// its own and gets a [Value] of that: it neither knows the file nor what else is in it.
// Members that this program does not know are kept, so that a newer program loses
// nothing when an older one writes.
package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"

	"piwork/app/durable"
)

// ConfigName is the file of what a person chose, in the config directory.
const ConfigName = "config.json"

// File is a document of the type T. Its methods may be called from several goroutines
// at once; what [File.Update] returned nil for is on the disk.
type File[T any] struct {
	path    string
	changed func()

	mu   sync.Mutex
	data []byte // as read or written last
	now  T
}

// Open reads a document over the defaults; without a file it is these. A file that cannot
// be read is an error: nothing of it is thrown away. changed is called after each change
// that was written; nil is nobody.
func Open[T any](path string, defaults T, changed func()) (*File[T], error) {
	f := &File[T]{path: path, now: defaults, changed: changed}
	data, err := durable.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return f, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &f.now)
	}
	if err != nil {
		return nil, fmt.Errorf("read the settings in %s: %w", path, err)
	}
	f.data = data
	return f, nil
}

// Get returns the document. Nobody changes what it refers to.
func (f *File[T]) Get() T {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now
}

// Update changes the document and writes it. When change returns an error it is
// returned and nothing is written. change must replace what it changes of slices and
// maps, not write into them.
func (f *File[T]) Update(change func(*T) error) error {
	err := f.write(change)
	if err == nil && f.changed != nil {
		f.changed()
	}
	return err
}

func (f *File[T]) write(change func(*T) error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	next := f.now
	if err := change(&next); err != nil {
		return err
	}
	data, err := durable.MarshalKeeping(f.data, f.now, next)
	if err == nil {
		err = durable.WriteFile(f.path, data)
	}
	if err != nil {
		return fmt.Errorf("write the settings to %s: %w", f.path, err)
	}
	f.data, f.now = data, next
	return nil
}

// Value is a part of a document.
type Value[T any] struct {
	get    func() T
	update func(func(*T) error) error
}

// Of returns the part of a file's document that at points to.
func Of[S, T any](f *File[S], at func(*S) *T) Value[T] {
	return Value[T]{
		get: func() T {
			all := f.Get()
			return *at(&all)
		},
		update: func(change func(*T) error) error {
			return f.Update(func(all *S) error { return change(at(all)) })
		},
	}
}

// Get returns the value.
func (v Value[T]) Get() T { return v.get() }

// Set replaces the value.
func (v Value[T]) Set(to T) error { return v.update(func(now *T) error { *now = to; return nil }) }

// Update is [File.Update] of the value.
func (v Value[T]) Update(change func(*T) error) error { return v.update(change) }
