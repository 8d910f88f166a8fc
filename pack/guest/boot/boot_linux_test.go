package boot

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestRootKind(t *testing.T) {
	image := func(size int, put func([]byte)) string {
		b := make([]byte, size)
		put(b)
		path := filepath.Join(t.TempDir(), "image")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	squashfs := func(b []byte) { copy(b, "hsqs") }
	erofs := func(b []byte) { binary.LittleEndian.PutUint32(b[erofsOffset:], erofsMagic) }
	ext4 := func(b []byte) { binary.LittleEndian.PutUint16(b[1080:], 0xEF53) }
	for _, tt := range []struct {
		path, want string
	}{
		{image(8192, squashfs), "squashfs"}, {image(8192, erofs), "erofs"}, {image(8192, ext4), ""},
		{image(8192, func([]byte) {}), ""}, {image(100, squashfs), ""}, {"/no/such/device", ""},
	} {
		got, err := rootKind(tt.path)
		if got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("%q, %v, want %q", got, err, tt.want)
		}
	}
}

func TestLog(t *testing.T) {
	var printed []string
	l := Log{Print: func(s string) { printed = append(printed, s) }}
	l.Fail("nothing", nil)
	l.Mark("a")
	l.Mark("b")
	l.Fail("mount", errors.New("no such device"))
	for range 100 {
		l.Fail("again", errors.New("x"))
	}
	marks, errs := l.Marks(), l.Errors()
	if len(marks) != 2 || marks["a"] == 0 || marks["b"] < marks["a"] {
		t.Errorf("marks %v", marks)
	}
	if len(errs) != maxErrors || errs[0] != "mount: no such device" || len(printed) != 101 {
		t.Errorf("%d errors %q, %d printed", len(errs), errs[0], len(printed))
	}
	marks["c"] = 1
	if len(l.Marks()) != 2 {
		t.Error("the log shares its map")
	}
}

func TestAwait(t *testing.T) {
	asked := 0
	if err := Await(t.Context(), "it", func() bool { asked++; return true }); err != nil || asked != 1 {
		t.Errorf("what is there already: asked %d times, %v", asked, err)
	}
	ctx, cancel := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, errors.New("it did not come"))
	defer cancel()
	err := Await(ctx, "it", func() bool { return false })
	if err == nil || !strings.Contains(err.Error(), "it did not come") {
		t.Errorf("error = %v", err)
	}
}

func TestReadOrder(t *testing.T) {
	dir := t.TempDir()
	if o, err := readOrder(dir); err != nil || len(o.First)+len(o.Rest) != 0 {
		t.Errorf("without a file: %+v, %v", o, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "order"), []byte("a.ko\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if o, err := readOrder(dir); err != nil || len(o.First) != 1 {
		t.Errorf("%+v, %v", o, err)
	}
	var l Log
	load(&l, dir, []string{"missing.ko"})
	if len(l.Errors()) != 1 {
		t.Errorf("%v", l.Errors())
	}
}
