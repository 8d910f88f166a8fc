//go:build vm && linux

package vm

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"piwork/pack/guest/guestvm"
	"piwork/pack/packtest"
	"piwork/scripts/lib/tier"
	"piwork/vmhost"
	"piwork/vmhost/qemu"
	"piwork/vmhost/share"
	"piwork/vmhost/share/journal"
	"piwork/vmhost/share/ninep"
	"piwork/vmhost/share/virtiofs"
	"piwork/vmhost/wire"
)

// shared is what a task shares with its machine.
type shared struct {
	set *share.Set
	log *journal.Journal
	dir string
	mu  sync.Mutex
	out bytes.Buffer // what the guest's log said
}

// Write takes a line of the log.
func (s *shared) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.Write(b)
}

func newShared(t testing.TB) *shared {
	t.Helper()
	log, err := journal.Open(t.TempDir(), journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := &shared{set: share.NewSet(share.Options{}), log: log, dir: t.TempDir()}
	t.Cleanup(func() {
		s.set.Close()
		if err := s.log.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// add shares a folder with one file, which says the folder's name.
func (s *shared) add(t testing.TB, name string) (dir string) {
	t.Helper()
	dir = filepath.Join(s.dir, name)
	err := errors.Join(os.Mkdir(dir, 0o755), os.WriteFile(filepath.Join(dir, "name"), []byte(name), 0o644))
	if err == nil {
		_, err = s.set.Add(share.Folder{ID: name, Path: dir}, s.log)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// config gives a VM the folders, over 9p where the pack's QEMU has it.
func (s *shared) config(c *Config) {
	s.serve(c)
	c.Log = slog.New(slog.NewTextHandler(s, nil))
	c.Folders = []vmhost.FolderInView{{Path: wire.FoldersDir + "/one"}}
	if c.Image.Limits.No9PDevice {
		s.serveDevice(c)
	}
}

func (s *shared) serve(c *Config) {
	c.ServeFS = func(ctx context.Context, conn io.ReadWriteCloser) error {
		return ninep.Serve(ctx, conn, s.set, ninep.Options{})
	}
}

// asDevice is config with the folders as virtio-fs.
func (s *shared) asDevice(c *Config) {
	s.config(c)
	s.serveDevice(c)
}

func (s *shared) serveDevice(c *Config) {
	c.ServeDevice = func(ctx context.Context, l net.Listener) error {
		return virtiofs.Serve(ctx, l, s.set, virtiofs.Options{})
	}
}

// said is what the log says.
func (s *shared) said() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.String()
}

// The folders of a restored machine, whatever way they go, and none where there are none.
func TestFoldersOfRestoredForReal(t *testing.T) {
	f := realFactory(t)
	file := filepath.Join(t.TempDir(), "media.img")
	if err := os.WriteFile(file, guestvm.Erofs(map[string]string{"opt/which": "media"}), 0o600); err != nil {
		t.Fatal(err)
	}
	addOn := qemu.Layer{Name: "media", File: file, Verity: protected(t, file)}
	plain, withAddOn := func(*Config) {}, func(c *Config) { c.Image.AddOns = []qemu.Layer{addOn} }
	for _, tt := range []struct {
		name   string
		kind   string
		change func(*Config)
	}{
		{"9p", Share9P, plain}, {"9p and add-on", Share9P, withAddOn}, {"virtio-fs", ShareVirtioFS, plain}, {"virtio-fs and add-on", ShareVirtioFS, withAddOn},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.name != "virtio-fs and add-on" {
				tier.Rest(t, "virtio-fs with an add-on")
			}
			s := newShared(t)
			one := s.add(t, "one")
			s.add(t, "two")
			config, mounted, which := s.asDevice, "folders /folders virtiofs .*nosuid,nodev", ""
			if tt.kind == Share9P {
				packtest.Needs9P(t)
				config, mounted = s.config, "folders /folders 9p .*nosuid,nodev.*msize=512000.*trans=virtio"
			}
			if strings.Contains(tt.name, "add-on") {
				which = "media"
			}
			v := restoredVM(t, f, config, tt.change)
			if kind, why := v.Share(); kind != tt.kind || why != nil {
				t.Errorf("%s: %v", kind, why)
			}
			if got := shell(t, v, "cd /folders; ls; cat one/name two/name; stat -c '%a %u %g' .; touch x 2>&1 | grep -c denied; grep -c '"+mounted+"' /proc/mounts; grep -c /folders /proc/mounts; cat /opt/which 2>/dev/null; true"); got != strings.TrimSpace("one\ntwo\nonetwo555 1000 1000\n1\n1\n1\n"+which) {
				t.Errorf("%q", got)
			}
			if got := shell(t, v, "cd /folders/one && mkdir d && echo new > d/new && mv d/new . && rmdir d && printf more >> name && cat name && head -c 3000000 /dev/zero > big && wc -c < big"); got != "onemore3000000" {
				t.Errorf("%q", got)
			}
			if b, err := os.ReadFile(filepath.Join(one, "new")); err != nil || string(b) != "new\n" {
				t.Errorf("%q %v", b, err)
			}
			s.add(t, "three")
			if got := shell(t, v, "cat /folders/three/name; ls /folders"); got != "threeone\nthree\ntwo" {
				t.Errorf("%q", got)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			if err := v.Close(ctx); err != nil {
				t.Error(err)
			}
			if said := s.said(); strings.Contains(said, "level=WARN") {
				t.Errorf("it was mounted another way: %s", said)
			}
		})
	}
	t.Run("none", func(t *testing.T) {
		v := restoredVM(t, f, func(c *Config) { c.ServeFS, c.Folders = nil, nil })
		if got := shell(t, v, "ls -A /folders; touch /folders/x 2>/dev/null; ls -A /folders; grep -c /folders /proc/mounts; true"); got != "0" {
			t.Errorf("%q", got)
		}
	})
	t.Run("another server", func(t *testing.T) { // than the one that was expected
		tier.Rest(t, "TestRestoredMachinesAreFresh")
		v := restoredVM(t, f)
		if got := shell(t, v, "cat /folders/folder/hello.txt; grep -c /folders /proc/mounts"); got != "hello1" {
			t.Errorf("%q", got)
		}
	})
}
