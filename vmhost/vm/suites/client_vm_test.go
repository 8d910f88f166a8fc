//go:build vm && linux

package suites_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"piwork/pack/packtest"
	"piwork/scripts/lib/tier"
	"piwork/vmhost/vm/suites/order"
)

// What the guest's kernel once did wrong over 9p (pack/image/kernel/recipe/patches), and what
// each side sees of the other's changes to an open file and to directories. It caches a file whose qid has a
// version, which the server's once had where the times of content and change differ.
func TestClient(t *testing.T) {
	tier.Rest(t, "")
	for _, how := range []frontEnd{over9P, overDevice} {
		t.Run(string(how), func(t *testing.T) {
			if how == over9P {
				packtest.Needs9P(t)
			}
			h := newHost(t)
			m := boot(t, h, how, options{})
			m.mount(how)
			for _, tt := range []struct {
				what string
				host func(dir string) error // what the host does meanwhile
			}{
				{order.Append, nil}, {order.Times, nil}, {order.Shrink, h.shrink}, {order.Edited, h.edit}, {order.Shown, h.look}, {order.Replaced, h.replace},
			} {
				for _, kind := range []string{"of old", "new"} {
					t.Run(tt.what+" "+kind, func(t *testing.T) { m.client(t, tt.what, kind, tt.host) })
				}
			}
		})
	}
}

// client has the guest's program of that name work on a new file.
func (m *machine) client(t *testing.T, what, kind string, host func(dir string) error) {
	rel := filepath.Join("rw", what+"-"+kind)
	file := filepath.Join(m.h.path(rel), "file")
	content := make([]byte, order.Size)
	for i := range content {
		content[i] = order.Byte(int64(i))
	}
	err := errors.Join(os.Mkdir(m.h.path(rel), 0o755), os.WriteFile(file, content, 0o644))
	if kind == "of old" {
		old := time.Unix(1_500_000_000, 0)
		err = errors.Join(err, os.Chtimes(file, old, old))
	}
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		if host == nil {
			done <- nil
			return
		}
		done <- host(m.h.path(rel))
	}()
	r, err := m.try(order.Order{
		Do: order.Run, Argv: []string{"/init", "client", what, filepath.Join(folders, rel, "file")}, Bare: true, Limit: time.Minute,
	})
	if err != nil { // what spins in the kernel cannot be ended, and is waited for
		t.Errorf("no answer: %v", err)
	} else if r.Exit != 0 || r.Limited {
		t.Errorf("ended with %d (endless: %v): %s", r.Exit, r.Limited, r.Out)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if what == order.Times {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		st := info.Sys().(*syscall.Stat_t)
		if a, mtime := st.Atim.Nano(), st.Mtim.Nano(); a != order.ATime || mtime != order.MTime {
			t.Errorf("the host has %d and %d", a, mtime)
		}
	}
}

// shrink makes the file shorter when the guest has it open.
func (h *host) shrink(dir string) error {
	return h.meet(dir, func(file string) error { return os.Truncate(file, order.ShrunkSize) })
}

// edit fills it.
func (h *host) edit(dir string) error {
	return h.meet(dir, func(file string) error {
		f, err := os.OpenFile(file, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		_, err = f.Write(edited)
		return errors.Join(err, f.Close())
	})
}

// look finds what the guest has written and not closed yet.
func (h *host) look(dir string) error {
	return h.meet(dir, func(file string) error {
		b, err := os.ReadFile(file)
		if err == nil && !bytes.Equal(b, edited) {
			err = errors.New("the host does not see what was written")
		}
		return err
	})
}

// replace changes directories, each in another way.
func (h *host) replace(dir string) error {
	return h.meet(dir, func(file string) error {
		in := func(parts ...string) string { return filepath.Join(append([]string{filepath.Dir(file)}, parts...)...) }
		at := time.Unix(0, order.MTime)
		return errors.Join(
			os.Rename(in(order.Moved), in(order.NewName)),
			os.RemoveAll(in(order.Removed)),
			os.RemoveAll(in(order.Filed)), os.WriteFile(in(order.Filed), []byte(order.Now), 0o644),
			os.RemoveAll(in(order.Linked)), os.Symlink(order.NewName, in(order.Linked)),
			os.Rename(in(order.Swapped), in("swapped away")), os.Mkdir(in(order.Swapped), 0o755),
			os.WriteFile(in(order.Swapped, order.Inside), []byte(order.Now), 0o644),
			os.Chtimes(in(order.Timed), at, at),
		)
	})
}

var edited = bytes.Repeat([]byte{order.Edit}, order.Size)

// meet does something with the file when the guest is ready, and says so.
func (h *host) meet(dir string, do func(file string) error) error {
	for limit := time.Now().Add(stall); ; time.Sleep(10 * time.Millisecond) {
		_, err := os.Stat(filepath.Join(dir, order.GuestReady))
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrNotExist) || time.Now().After(limit) {
			return err
		}
	}
	return errors.Join(do(filepath.Join(dir, "file")), os.WriteFile(filepath.Join(dir, order.HostReady), nil, 0o644))
}
