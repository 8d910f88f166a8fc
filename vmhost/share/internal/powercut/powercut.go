// Package powercut simulates, for tests, what a power cut leaves of a directory in
// which a program keeps its records: of every file what it was at its last sync, or
// nothing, and only names that a sync of their directory made durable.
//
// [Watch] is called by the process that will die, [Cut] after it died by the one that
// looks at what is left. Between the two lies a directory of copies. Each file is
// known by its inode, so that it may be renamed and linked.
//
// It is stricter than most file systems. What it does not take is what other names
// in the person's folder share: an inode with several names, and whatever was moved
// or linked into a directory that is not among those watched.
package powercut

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"piwork/vmhost/share/internal/at"
)

// log begins the name of the file that is appended to, in the directory itself: of
// what was not synced of it, a part may have reached the disk by itself.
const log = "log"

// boot is the file in the directory itself that says in which boot of the computer it was used last.
const boot = "boot"

type watcher struct {
	dir, copy string
	subs      []string
}

var (
	mu       sync.Mutex
	watchers []*watcher
)

// Watch writes into the directory copies what becomes durable from now on of dir and
// of the directories subs in it, until the process ends. failed is told why that did
// not work.
func Watch(dir, copies string, failed func(error), subs ...string) error {
	if err := os.MkdirAll(copies, 0o700); err != nil {
		return err
	}
	mu.Lock()
	defer mu.Unlock()
	watchers = append(watchers, &watcher{dir: dir, copy: copies, subs: append([]string{"."}, subs...)})
	at.OnSync(func(f *os.File, all bool) {
		mu.Lock()
		defer mu.Unlock()
		for _, w := range watchers {
			if err := w.synced(f, all); err != nil {
				failed(fmt.Errorf("powercut: %s: %w", f.Name(), err))
			}
		}
	})
	return nil
}

func (w *watcher) synced(f *os.File, all bool) error {
	info, err := at.Stat(f)
	if err != nil {
		return err
	}
	if info.Kind == at.File {
		return w.file(f, info)
	}
	for _, sub := range w.subs {
		here, names, err := list(filepath.Join(w.dir, sub))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if here.ID == info.ID || all && here.Dev == info.Dev {
			if err := w.names(here, names); err != nil {
				return err
			}
		}
		for name := range names {
			if !all || here.Dev != info.Dev {
				break
			}
			if err := w.path(filepath.Join(w.dir, sub, name)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *watcher) path(p string) error {
	f, err := os.Open(p)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // removed meanwhile
	}
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := at.Stat(f)
	if err != nil || info.Kind != at.File {
		return err
	}
	return w.file(f, info)
}

// file notes what a file is. A log is only appended to.
func (w *watcher) file(f *os.File, info at.Info) error {
	to := filepath.Join(w.copy, key("f", info))
	if strings.HasPrefix(filepath.Base(f.Name()), log) {
		out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			return err
		}
		have, err := out.Seek(0, io.SeekEnd)
		if err == nil {
			_, err = io.Copy(out, io.NewSectionReader(f, have, max(info.Size-have, 0)))
		}
		return errors.Join(err, out.Close())
	}
	data, err := io.ReadAll(io.NewSectionReader(f, 0, info.Size))
	if err != nil {
		return err
	}
	return write(to, data)
}

func (w *watcher) names(dir at.Info, names map[string]string) error {
	data, err := json.Marshal(names)
	if err != nil {
		return err
	}
	return write(filepath.Join(w.copy, key("d", dir)), data)
}

// write replaces a file in one step: the process may die at any moment.
func write(p string, data []byte) error {
	if err := os.WriteFile(p+".new", data, 0o600); err != nil {
		return err
	}
	return os.Rename(p+".new", p)
}

func key(kind string, info at.Info) string { return fmt.Sprintf("%s%d.%d", kind, info.Ino, info.Born) }

// list returns what a directory is, and by which key each of its files is known.
func list(dir string) (at.Info, map[string]string, error) {
	root, err := at.OpenRoot(dir)
	if err != nil {
		return at.Info{}, nil, err
	}
	defer root.Close()
	here, err := root.Lstat(".")
	if err != nil {
		return here, nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return here, nil, err
	}
	names := map[string]string{}
	for _, e := range entries {
		if info, err := root.Lstat(e.Name()); err == nil && info.Kind == at.File {
			names[e.Name()] = key("f", info)
		}
	}
	return here, names, nil
}

// Cut takes from dir and the directories subs in it what was not durable when the
// process that called Watch died. What the disk did by itself varies with whim, from 0
// to 19: of what was appended an odd one leaves all, or a part, and every other odd one
// leaves names.
func Cut(dir, copies string, whim int, subs ...string) error {
	for _, sub := range append([]string{"."}, subs...) {
		if err := cutDir(filepath.Join(dir, sub), copies, whim, sub == "."); err != nil {
			return err
		}
	}
	return nil
}

func cutDir(dir, copies string, whim int, top bool) error {
	here, names, err := list(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it died before it was made
	}
	if err != nil {
		return err
	}
	durable := map[string]string{}
	data, err := os.ReadFile(filepath.Join(copies, key("d", here)))
	if err == nil {
		err = json.Unmarshal(data, &durable)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for name, now := range names {
		p := filepath.Join(dir, name)
		if top && name == boot {
			if err := os.Remove(p); err != nil {
				return err
			}
			continue
		}
		if top && !strings.HasPrefix(name, log) {
			continue // a lock
		}
		was, known := durable[name]
		if !known && whim%4 != 3 && !top {
			if err := os.Remove(p); err != nil {
				return err
			}
			continue
		}
		if known && was != now { // replaced by another, whose name was not durable
			if old, err := os.ReadFile(filepath.Join(copies, was)); err == nil {
				if err := write(p, old); err != nil {
					return err
				}
				continue
			}
		}
		if err := cutFile(p, filepath.Join(copies, now), whim, top); err != nil {
			return err
		}
	}
	return nil
}

func cutFile(p, copied string, whim int, appended bool) error {
	durable, err := os.ReadFile(copied)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	info, err := os.Lstat(p)
	if err != nil || several(info) {
		return err
	}
	if err := os.Chmod(p, 0o600); err != nil {
		return err
	}
	now, err := os.ReadFile(p)
	if err != nil {
		return err
	}
	left := durable
	if rest := len(now) - len(durable); rest > 0 && bytes.HasPrefix(now, durable) {
		more := 0
		switch {
		case whim%2 == 1 && appended:
			more = rest * (4 - whim/4%5) / 4
		case whim%4 == 3 && len(durable) > 0:
			more = min(rest/2, 100)
		case appended:
			more = min(rest, 7) // a torn frame
		}
		left = now[:len(durable)+more]
	}
	if !bytes.Equal(left, now) {
		err = os.WriteFile(p, left, 0o600)
	}
	return errors.Join(err, os.Chtimes(p, info.ModTime(), info.ModTime()), os.Chmod(p, info.Mode()))
}
