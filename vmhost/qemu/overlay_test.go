package qemu

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// qemu-img judges the header; it is no part of the product.
func TestCreateOverlayAgainstQEMUImg(t *testing.T) {
	tool, err := exec.LookPath("qemu-img")
	if err != nil {
		t.Skip("qemu-img is not installed")
	}
	run := func(args ...string) []byte {
		t.Helper()
		out, err := exec.CommandContext(context.Background(), tool, args...).CombinedOutput()
		if err != nil {
			t.Fatalf("qemu-img %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return out
	}
	for _, size := range []string{"512", "1M", "536870912", "536871424", "16G", "4T"} {
		for _, dirName := range []string{"plain", "with space, comma: and ü日本"} {
			t.Run(size+" "+dirName, func(t *testing.T) {
				dir := filepath.Join(t.TempDir(), dirName)
				if err := os.Mkdir(dir, 0o700); err != nil {
					t.Fatal(err)
				}
				// A cluster size of 2 MiB keeps qemu-img's own tables of a large base small.
				base, overlay := filepath.Join(dir, "base.qcow2"), filepath.Join(dir, "overlay.qcow2")
				run("create", "-q", "-f", "qcow2", "-o", "cluster_size=2M", base, size)
				if err := CreateOverlay(overlay, base); err != nil {
					t.Fatal(err)
				}
				var info struct {
					Format   string `json:"format"`
					Virtual  int64  `json:"virtual-size"`
					Backing  string `json:"backing-filename"`
					Format2  string `json:"backing-filename-format"`
					Dirty    bool   `json:"dirty-flag"`
					Specific struct {
						Data struct {
							Compat  string `json:"compat"`
							Corrupt bool   `json:"corrupt"`
						} `json:"data"`
					} `json:"format-specific"`
				}
				if err := json.Unmarshal(run("info", "--output=json", overlay), &info); err != nil {
					t.Fatal(err)
				}
				want, err := virtualSize(base)
				if err != nil {
					t.Fatal(err)
				}
				if info.Format != "qcow2" || info.Virtual != want || info.Backing != base || info.Format2 != "qcow2" ||
					info.Dirty || info.Specific.Data.Corrupt || info.Specific.Data.Compat != "1.1" {
					t.Errorf("qemu-img info: %+v", info)
				}
				run("check", "-f", "qcow2", overlay)

				// It also works: writing through it leaves the base alone and a sound image.
				if io, err := exec.LookPath("qemu-io"); err == nil && want >= 1<<20 {
					before, err := os.ReadFile(base)
					if err != nil {
						t.Fatal(err)
					}
					if out, err := exec.CommandContext(context.Background(), io, "-f", "qcow2", "-c", "write -P 7 65k 3k", "-c", "read -P 7 65k 3k", "-c", "read -P 0 0 64k", overlay).CombinedOutput(); err != nil || bytes.Contains(out, []byte("verification failed")) {
						t.Fatalf("qemu-io: %v\n%s", err, out)
					}
					run("check", "-f", "qcow2", overlay)
					after, err := os.ReadFile(base)
					if err != nil {
						t.Fatal(err)
					}
					if !bytes.Equal(before, after) {
						t.Error("the backing file changed")
					}
				}
			})
		}
	}
}

func TestCreateOverlayRefuses(t *testing.T) {
	dir := t.TempDir()
	base := filepath.Join(dir, "base.qcow2")
	image, err := overlayImage(16<<30, "/nowhere")
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string, b []byte) string {
		t.Helper()
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return p
	}
	write("base.qcow2", image)
	changed := func(off int, b ...byte) []byte {
		c := bytes.Clone(image)
		copy(c[off:], b)
		return c
	}
	for _, tt := range []struct {
		name, path, base string
		is               error
		text             string
	}{
		{"there is a file", base, base, fs.ErrExist, ""},
		{"no base", "o", filepath.Join(dir, "missing"), fs.ErrNotExist, ""},
		{"base is short", "o", write("short", image[:50]), ErrNotQCOW2, ""},
		{"base is empty", "o", write("empty", nil), ErrNotQCOW2, ""},
		{"base is raw", "o", write("raw", make([]byte, 4096)), ErrNotQCOW2, ""},
		{"base of version 4", "o", write("v4", changed(4, 0, 0, 0, 4)), ErrNotQCOW2, ""},
		{"base of no size", "o", write("zero", changed(24, 0, 0, 0, 0, 0, 0, 0, 0)), nil, "virtual size"},
		{"base of absurd size", "o", write("huge", changed(24, 255, 255, 255, 255, 255, 255, 255, 0)), nil, "virtual size"},
		{"base of half a sector", "o", write("odd", changed(24, 0, 0, 0, 0, 0, 0, 3, 1)), nil, "virtual size"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := tt.path
			if path == "o" {
				path = filepath.Join(dir, "overlay")
			}
			err := CreateOverlay(path, tt.base)
			if err == nil || (tt.is != nil && !errors.Is(err, tt.is)) || !strings.Contains(err.Error(), tt.text) {
				t.Fatalf("error %v", err)
			}
			if path != base {
				if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
					t.Error("something was left behind")
				}
			}
		})
	}
	if now, err := os.ReadFile(base); err != nil || !bytes.Equal(now, image) {
		t.Error("the file that exists was changed")
	}
	if _, err := overlayImage(1<<30, strings.Repeat("x", 1024)); err == nil {
		t.Error("a name of 1024 bytes was accepted")
	}
}

func TestCreateOverlayIsPrivate(t *testing.T) {
	dir := t.TempDir()
	base, overlay := filepath.Join(dir, "base"), filepath.Join(dir, "overlay")
	image, err := overlayImage(16<<30, "/nowhere")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(base, image, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := CreateOverlay(overlay, base); err != nil {
		t.Fatal(err)
	}
	fi, err := os.Stat(overlay)
	if err != nil {
		t.Fatal(err)
	}
	if fi.Mode().Perm() != 0o600 || fi.Size() > 1<<20 {
		t.Errorf("mode %v, %d bytes", fi.Mode(), fi.Size())
	}
}

func FuzzParseHeader(f *testing.F) {
	image, err := overlayImage(16<<30, "/base")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(image[:qcow2HeaderSize])
	f.Add([]byte("QFI\xfb"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		size, err := parseHeader(b)
		if err == nil {
			if _, err := overlayImage(size, "/base"); err != nil {
				t.Errorf("size %d was read and cannot be written: %v", size, err)
			}
		}
	})
}
