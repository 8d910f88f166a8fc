package desktop

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// The bundled engine is used, unless the person names another; what is none is not.
func TestFixedWebView2(t *testing.T) {
	base := t.TempDir()
	program := filepath.Join(base, "piwork.exe")
	make := func(dir string) string {
		t.Helper()
		dir = filepath.Join(base, dir)
		if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, webView2Program), nil, 0o600)); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	named := ""
	is := func(want string) {
		t.Helper()
		if got := fixedWebView2(program, func(string) string { return named }); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
	is("")
	if err := os.MkdirAll(filepath.Join(base, webView2Dir, webView2Program), 0o700); err != nil { // a directory, no program
		t.Fatal(err)
	}
	is("")
	if err := os.RemoveAll(filepath.Join(base, webView2Dir)); err != nil {
		t.Fatal(err)
	}
	bundled := make(webView2Dir)
	is(bundled)
	named = filepath.Join(base, "nothing")
	is(bundled)
	named = "webview2" // of which directory?
	is(bundled)
	named = make("other")
	is(named)
}
