package boot

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

func TestDiskBySerial(t *testing.T) {
	sys := fstest.MapFS{
		"block/vda/serial": {Data: []byte("root")}, "block/vdb/serial": {Data: []byte("")},
		"block/vdc/serial": {Data: []byte("layer-1\n")}, "block/vdd/serial": {Data: []byte("layer-10\n")},
		"block/dm-0/size": {Data: []byte("8")},
	}
	for serial, want := range map[string]string{"root": "vda", "layer-1": "vdc", "layer-10": "vdd", "layer": "", "layer-2": ""} {
		if got := diskBySerial(sys, serial); got != want {
			t.Errorf("%s is %q, want %q", serial, got, want)
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

// TestLoadModules: without a list there are no modules; one that cannot be loaded
// is told and does not keep the next from being tried.
func TestLoadModules(t *testing.T) {
	dir := t.TempDir()
	if o, err := readModuleOrder(dir); err != nil || len(o.Early)+len(o.Late) != 0 {
		t.Errorf("without a list: %+v, %v", o, err)
	}
	if err := os.WriteFile(filepath.Join(dir, OrderFile), []byte("a.ko\n--\nb.ko\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if o, err := readModuleOrder(dir); err != nil || len(o.Early) != 1 || len(o.Late) != 1 {
		t.Errorf("%+v, %v", o, err)
	}
	var l Log
	loadModules(&l, dir, []string{"missing.ko", "another.ko"})
	if errs := l.Errors(); len(errs) != 2 || !strings.HasPrefix(errs[1], "module another.ko: ") {
		t.Errorf("%q", errs)
	}
}
