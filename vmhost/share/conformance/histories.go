package conformance

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"piwork/scripts/lib/tier"
	"piwork/vmhost/share"
	"piwork/vmhost/share/journal"
	"piwork/vmhost/share/model"
)

// Histories plays short histories of package model, in which a task is a guest. PIWORK_MODEL_SEED and
// PIWORK_MODEL_TIME say which and for how long.
func Histories(t *testing.T, start func(t *testing.T, set *share.Set) Guest) {
	tier.Unraced(t)
	if runtime.GOOS == "windows" {
		t.Skip("package model reads folders of Unix")
	}
	seed, err := strconv.ParseUint(cmp.Or(os.Getenv("PIWORK_MODEL_SEED"), strconv.FormatUint(rand.Uint64()>>1, 10)), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	most, err := time.ParseDuration(cmp.Or(os.Getenv("PIWORK_MODEL_TIME"), tier.Pick("10s", "10s", "10m")))
	if err != nil {
		t.Fatal(err)
	}
	base, err := os.MkdirTemp("/dev/shm", "piwork-model-")
	if err != nil {
		base = t.TempDir()
	}
	defer os.RemoveAll(base)
	pick := model.Random(seed)
	res := model.Run(base, 4, most, func(r *model.Runner) {
		set := share.NewSet(share.Options{})
		t.Cleanup(set.Close)
		g := start(t, set)
		r.Open = func(dir string, _ func(string)) (*journal.Journal, error) {
			return journal.Open(dir, journal.Options{})
		}
		r.Drive = func(j *journal.Journal, top string) (model.Driver, error) { return drive(g, set, j, top) }
	}, model.Only(model.History.Plain, func() model.History { return model.OfFront(pick) }))
	t.Logf("PIWORK_MODEL_SEED=%d: %d histories in %.1f s, %d failed", seed, res.Histories, res.Took.Seconds(), res.Failed)
	if res.Err != nil || res.Failed > 0 {
		t.Error(res.Err, res)
	}
}

// task is a guest as a model.Driver.
type task struct {
	g       Guest
	set     *share.Set
	folder  share.Folder
	handles map[string]Handle
}

var folders atomic.Int64

func drive(g Guest, set *share.Set, j *journal.Journal, top string) (model.Driver, error) {
	f, err := set.Add(share.Folder{ID: fmt.Sprint("f", folders.Add(1)), Path: top}, j)
	return &task{g: g, set: set, folder: f, handles: map[string]Handle{}}, err
}

func (d *task) path(p string) string { return d.folder.Name + "/" + p }

func (d *task) Open(label, path string) error {
	h, err := d.g.Open(d.path(path), ReadWrite)
	if err == nil {
		d.handles[label] = h
	}
	return err
}

func (d *task) Close() error {
	var err error
	for _, h := range d.handles {
		err = errors.Join(err, h.Close())
	}
	clear(d.handles)
	return err
}

func (d *task) End() { d.set.Remove(d.folder.ID) }

func (d *task) Do(w model.Work) error {
	a, b := d.path(w.A), d.path(w.B)
	switch w.Verb {
	case "create":
		h, err := d.g.Create(a, ReadWrite|Exclusive, 0o644)
		if err != nil {
			return err
		}
		_, err = h.WriteAt([]byte(w.Data), 0)
		if err == nil && w.Label != "" {
			d.handles[w.Label] = h
			return nil
		}
		return errors.Join(err, h.Close())
	case "rename":
		return d.g.Rename(a, b)
	case "link":
		return d.g.Link(a, b)
	case "unlink":
		return d.g.Unlink(a)
	case "rmdir":
		return d.g.Rmdir(a)
	case "mkdir":
		return d.g.Mkdir(a, 0o755)
	case "symlink":
		return d.g.Symlink(w.Data, a)
	case "chmod":
		return d.g.Chmod(a, w.Mode)
	case "utimes":
		return d.g.Chtimes(a, w.Time)
	}
	h := d.handles[w.A]
	if !w.Handle {
		var err error
		if h, err = d.g.Open(a, ReadWrite); err != nil {
			return err
		}
		defer h.Close()
	}
	switch w.Verb {
	case "write":
		_, err := h.WriteAt([]byte(w.Data), 0)
		return err
	case "append":
		st, err := h.Stat()
		if err == nil {
			_, err = h.WriteAt([]byte(w.Data), int64(st.Size)) //nolint:gosec // small
		}
		return err
	case "trunc":
		return h.Truncate(uint64(w.Size)) //nolint:gosec // not negative
	}
	return fmt.Errorf("no guest can %q", w.Verb)
}
