package act

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"piwork/pack/guest/landlock"
	"piwork/vmhost/wire"
)

// A page that takes over the browser finds no folder, nor anything else that is not the
// system's: what it may write goes with it. Where the kernel has no Landlock it still works.
func TestABrowserHasNoFolder(t *testing.T) {
	w, asked := newWorld(t), playing(t)
	free := landlock.Version() == 0
	letter, made := w.folders+"/Letters/a.txt", filepath.Join(os.TempDir(), "made")
	got := do(t, w.visit(
		wire.PageStep{Do: wire.PageOpen, URL: "http://a/read?" + letter}, wire.PageStep{Do: wire.PageOpen, URL: "http://a/write?" + letter},
		wire.PageStep{Do: wire.PageOpen, URL: "http://a/write?" + w.work + "/b"}, wire.PageStep{Do: wire.PageOpen, URL: "http://a/write?" + made},
		wire.PageStep{Do: wire.PageOpen, URL: "http://a/read?/etc/hosts"},
		wire.PageStep{Do: wire.PageScreenshot, Into: w.work + "/a.png"},
	), "")
	if got.Page == nil || w.has(t, "work/a.png") != "picture" {
		t.Fatalf("%+v %s", got.Failed, got.words)
	}
	is := func(what string, want bool) {
		t.Helper()
		if slices.Contains(asked(), what+" true") != want {
			t.Errorf("%s: not %v", what, want)
		}
	}
	is("read "+letter, free)
	is("write "+letter, free)
	is("write "+w.work+"/b", free)
	is("write "+made, free)
	is("read /etc/hosts", true)
	if !free && !strings.Contains(w.has(t, "folders/Letters/a.txt"), "hello") {
		t.Error("the browser changed a folder")
	}
}
