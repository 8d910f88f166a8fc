package act

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"piwork/vmhost/wire"
)

// maxWatched is how many directories one watch looks at.
const maxWatched = 1000

// interests are what is heard of a file or a directory.
const interests = unix.IN_CREATE | unix.IN_CLOSE_WRITE | unix.IN_ATTRIB | unix.IN_DELETE | unix.IN_MOVED_FROM | unix.IN_MOVED_TO |
	unix.IN_DELETE_SELF | unix.IN_MOVE_SELF

// addWatch has one more file or directory watched. Tests replace it.
var addWatch = unix.InotifyAddWatch

// watcher hears what changes below a place.
type watcher struct {
	events *os.File // of inotify
	fd     int      // likewise
	top    string   // path of the first place
	dirs   map[int32]watched
	left   int  // changes that may still be told
	full   bool // no more directories are watched, which was told
	say    func(wire.FileChange) error
}

// watched is a place and how far below it something is heard too.
type watched struct {
	place
	depth int
}

// watch tells what changes, until its time is over or so much was told.
func (at place) watch(ctx context.Context, p wire.FileParams, say func(wire.FileChange) error) (r wire.FileResult, err error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return r, fmt.Errorf("watch: %w", err)
	}
	w := watcher{events: os.NewFile(uintptr(fd), "inotify"), fd: fd, top: at.path, dirs: map[int32]watched{}, left: p.Limit, say: say}
	defer w.events.Close()
	if err := w.events.SetReadDeadline(time.Now().Add(time.Duration(p.WaitMS) * time.Millisecond)); err != nil {
		return r, err
	}
	defer context.AfterFunc(ctx, func() { _ = w.events.SetReadDeadline(time.Now()) })()
	if err := w.add(at, p.Depth, false); err != nil && !errors.Is(err, errEnough) {
		return r, err
	}
	if err := say(wire.FileChange{What: wire.ChangeReady, Path: at.path}); err != nil {
		return r, err
	}
	buf := make([]byte, 64<<10)
	for {
		n, err := w.events.Read(buf)
		if err == nil {
			err = w.heard(buf[:n])
		}
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			return r, nil
		case errors.Is(err, errEnough):
			r.More = true
			return r, nil
		case err != nil:
			return r, err
		}
	}
}

// add watches a place, and directories below it as far as depth. Its name is resolved
// once: what is watched is what was opened. With tell, what is in it is new.
func (w *watcher) add(at place, depth int, tell bool) error {
	if w.full {
		return nil
	}
	if len(w.dirs) >= maxWatched {
		w.full = true
		return w.tell(wire.FileChange{What: wire.ChangeLost, Path: at.path})
	}
	f, err := at.root.OpenFile(at.name, unix.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	wd, err := addWatch(w.fd, fmt.Sprintf("/proc/self/fd/%d", f.Fd()), interests)
	switch {
	case errors.Is(err, unix.ENOSPC) && len(w.dirs) > 0: // no disk is full: the system watches no more for this user
		w.full = true
		return w.tell(wire.FileChange{What: wire.ChangeLost, Path: at.path})
	case errors.Is(err, unix.ENOSPC):
		return refuse(wire.ActFailed, "watch %s: the system watches no more files for this user (fs.inotify.max_user_watches)", at.path)
	case err != nil:
		return fmt.Errorf("watch %s: %w", at.path, err)
	}
	w.dirs[int32(wd)] = watched{at, depth}
	if depth == 0 && !tell {
		return nil
	}
	dir, err := at.root.OpenFile(at.name, unix.O_DIRECTORY|unix.O_NONBLOCK, 0)
	if errors.Is(err, unix.ENOTDIR) {
		return nil
	}
	if err != nil {
		return err
	}
	defer dir.Close()
	entries, err := dir.ReadDir(wire.MaxEntries)
	if err != nil && !errors.Is(err, io.EOF) || len(entries) == wire.MaxEntries { // it is watched all the same
		if err := w.tell(wire.FileChange{What: wire.ChangeLost, Path: at.path}); err != nil {
			return err
		}
	}
	for _, e := range entries {
		below := at.in(e.Name())
		if tell {
			if err := w.tell(wire.FileChange{What: wire.ChangeCreated, Path: below.path}); err != nil {
				return err
			}
		}
		if e.IsDir() && depth > 0 {
			if err := w.addBelow(below, depth-1, tell); err != nil {
				return err
			}
		}
	}
	return nil
}

// addBelow is add for what may be gone by now, or closed to this user: that is told.
func (w *watcher) addBelow(at place, depth int, tell bool) error {
	err := w.add(at, depth, tell)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, fs.ErrPermission):
		return w.tell(wire.FileChange{What: wire.ChangeLost, Path: at.path})
	}
	return err
}

// drop watches no more what had a path, or one below it: it moved away, and what comes of it
// would be told with a path that is not its own.
func (w *watcher) drop(at string) {
	for wd, d := range w.dirs {
		if d.path == at || strings.HasPrefix(d.path, at+"/") {
			_, _ = unix.InotifyRmWatch(w.fd, uint32(wd)) // of one that is gone
			delete(w.dirs, wd)
		}
	}
}

// heard tells what one read of inotify has.
func (w *watcher) heard(buf []byte) error {
	for len(buf) >= unix.SizeofInotifyEvent {
		wd, mask := int32(binary.NativeEndian.Uint32(buf)), binary.NativeEndian.Uint32(buf[4:])
		size := unix.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(buf[12:]))
		name := strings.TrimRight(string(buf[unix.SizeofInotifyEvent:size]), "\x00")
		buf = buf[size:]
		dir, ok := w.dirs[wd]
		switch {
		case mask&unix.IN_Q_OVERFLOW != 0:
			if err := w.tell(wire.FileChange{What: wire.ChangeLost}); err != nil {
				return err
			}
		case mask&unix.IN_IGNORED != 0:
			delete(w.dirs, wd)
		case ok:
			if err := w.event(dir, mask, name); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *watcher) event(dir watched, mask uint32, name string) error {
	at := dir.place
	if name != "" {
		at = at.in(name)
	} else if self := mask&(unix.IN_DELETE_SELF|unix.IN_MOVE_SELF) != 0; at.path != w.top || mask&unix.IN_ISDIR != 0 && !self {
		return nil // the directory above it, or who is told of what is in it, says so
	}
	if mask&unix.IN_MOVE_SELF != 0 || mask&unix.IN_MOVED_FROM != 0 && mask&unix.IN_ISDIR != 0 {
		w.drop(at.path) // where it came to, it is added anew
	}
	what := wire.ChangeChanged
	switch {
	case mask&(unix.IN_CREATE|unix.IN_MOVED_TO) != 0:
		what = wire.ChangeCreated
	case mask&(unix.IN_DELETE|unix.IN_MOVED_FROM|unix.IN_DELETE_SELF|unix.IN_MOVE_SELF) != 0:
		what = wire.ChangeRemoved
	}
	if err := w.tell(wire.FileChange{What: what, Path: at.path}); err != nil {
		return err
	}
	if what != wire.ChangeCreated || mask&unix.IN_ISDIR == 0 || dir.depth == 0 {
		return nil
	}
	return w.addBelow(at, dir.depth-1, true)
}

// tell says one change, while there may be more.
func (w *watcher) tell(c wire.FileChange) error {
	if w.left == 0 {
		return errEnough
	}
	w.left--
	if !utf8.ValidString(c.Path) {
		c = wire.FileChange{What: wire.ChangeLost}
	}
	return w.say(c)
}
