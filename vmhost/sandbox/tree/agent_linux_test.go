package tree

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/cavaliergopher/cpio"
)

// archive is an initramfs with these files.
func archive(t *testing.T, files map[string]string) string {
	t.Helper()
	var b bytes.Buffer
	w := cpio.NewWriter(&b)
	for name, content := range files {
		if err := w.WriteHeader(&cpio.Header{Name: name, Mode: cpio.TypeReg | 0o755, Size: int64(len(content)), Links: 1}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "initramfs.cpio")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// The agent is the init of the initramfs, whole and executable, or there is none.
func TestAgent(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "trees")
	good := archive(t, map[string]string{"dev/x": "y", "init": "the agent", "lib/init": "another"})
	cut := archive(t, map[string]string{"init": "the agent"})
	if err := os.Truncate(cut, 118); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct{ initramfs, digest string }{
		"no init":      {archive(t, map[string]string{"lib/init": "another"}), digest},
		"cut off":      {cut, digest},
		"no archive":   {"/etc/passwd", digest},
		"none there":   {"/no/such/file", digest},
		"wrong digest": {good, "../x"},
	} {
		if got, err := Agent(dir, tt.initramfs, tt.digest); err == nil {
			t.Errorf("%s: %s", name, got)
		}
	}
	place := filepath.Join(dir, agentPrefix+digest)
	for _, row := range []struct {
		from   string
		before func() error
	}{
		{good, nil},
		{"/no/such/file", nil}, // it is there
		{good, func() error { return os.Truncate(place, 3) }},
		{good, func() error { // by an earlier program
			sound.Delete(place)
			return os.WriteFile(place, []byte("THE AGENT"), 0o700)
		}},
	} {
		if row.before != nil {
			if err := row.before(); err != nil {
				t.Fatal(err)
			}
		}
		got, err := Agent(dir, row.from, digest)
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(got)
		if b, rerr := os.ReadFile(got); err != nil || rerr != nil || string(b) != "the agent" || info.Mode() != 0o700 {
			t.Errorf("%q %v %v", b, info, err)
		}
	}
}
