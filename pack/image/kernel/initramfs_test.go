package kernel

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"strconv"
	"testing"
	"time"

	"github.com/cavaliergopher/cpio"
)

func testInitramfs() Initramfs {
	return Initramfs{Init: []byte("program"), Time: time.Unix(1700000000, 0)}
}

func TestInitramfs(t *testing.T) {
	var out bytes.Buffer
	if err := testInitramfs().Write(&out); err != nil {
		t.Fatal(err)
	}
	modes, content := map[string]cpio.FileMode{}, map[string]string{}
	inodes := map[int64]string{}
	r := cpio.NewReader(bytes.NewReader(out.Bytes()))
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if other, ok := inodes[h.Inode]; ok {
			t.Errorf("%s and %s have the inode %d", h.Name, other, h.Inode)
		}
		inodes[h.Inode] = h.Name
		if h.Uid != 0 || h.Guid != 0 || h.ModTime.Unix() != 1700000000 {
			t.Errorf("%s: owner %d:%d, time %v", h.Name, h.Uid, h.Guid, h.ModTime)
		}
		modes[h.Name] = h.Mode
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		content[h.Name] = string(data)
	}
	wantModes := map[string]cpio.FileMode{
		"dev": 0o40755, "proc": 0o40755, "sys": 0o40755,
		"dev/console": 0o20600, "dev/null": 0o20666, "init": 0o100755,
	}
	if !maps.Equal(modes, wantModes) {
		t.Errorf("modes %v, want %v", modes, wantModes)
	}
	if content["init"] != "program" {
		t.Errorf("content %q", content)
	}
	// The library does not show device numbers, so they are read as the kernel does.
	for name, want := range map[string][2]uint64{"dev/console": {5, 1}, "dev/null": {1, 3}, "init": {0, 0}} {
		at := bytes.Index(out.Bytes(), []byte(name+"\x00"))
		header := out.Bytes()[at-newcHeader : at]
		major, err1 := strconv.ParseUint(string(header[rdevAt:rdevAt+8]), 16, 32)
		minor, err2 := strconv.ParseUint(string(header[rdevAt+8:rdevAt+16]), 16, 32)
		if err1 != nil || err2 != nil || major != want[0] || minor != want[1] {
			t.Errorf("%s is device %d:%d, want %v", name, major, minor, want)
		}
	}
}

// TestInitramfsModules: each module is there once, in the stage in which it comes
// first, and the list is the one that the guest reads.
func TestInitramfsModules(t *testing.T) {
	a, b := Module{File: "a.ko", Data: []byte("aa")}, Module{File: "b.ko", Data: []byte("bbb")}
	i := testInitramfs()
	i.Early, i.Late = []Module{a}, []Module{a, b}
	var out bytes.Buffer
	if err := i.Write(&out); err != nil {
		t.Fatal(err)
	}
	content := map[string]string{}
	for r := cpio.NewReader(&out); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if _, twice := content[h.Name]; err != nil || twice {
			t.Errorf("%s: %v, twice: %v", h.Name, err, twice)
		}
		content[h.Name] = string(data)
	}
	if content["modules/a.ko"] != "aa" || content["modules/b.ko"] != "bbb" || content["modules/order"] != "a.ko\n--\nb.ko\n" {
		t.Errorf("content %q", content)
	}
}

func TestInitramfsIsTheSameTwice(t *testing.T) {
	var a, b bytes.Buffer
	if err := errors.Join(testInitramfs().Write(&a), testInitramfs().Write(&b)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("two writes differ")
	}
}

func TestInitramfsNeedsInit(t *testing.T) {
	if err := (Initramfs{}).Write(io.Discard); err == nil {
		t.Error("written without an init")
	}
}

type failingWriter struct{ after int }

func (w *failingWriter) Write(p []byte) (int, error) {
	if w.after -= len(p); w.after < 0 {
		return 0, errors.New("disk full")
	}
	return len(p), nil
}

func TestInitramfsReportsWriteErrors(t *testing.T) {
	var whole bytes.Buffer
	if err := testInitramfs().Write(&whole); err != nil {
		t.Fatal(err)
	}
	for after := range whole.Len() {
		if err := testInitramfs().Write(&failingWriter{after: after}); err == nil {
			t.Errorf("no error when the disk is full after %d bytes", after)
		}
	}
}
