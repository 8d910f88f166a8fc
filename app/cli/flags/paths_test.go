package flags

import (
	"errors"
	"path/filepath"
	"testing"
)

// A path of another computer is never looked at here, and none that was made here is taken for
// one there.
func TestPathsThere(t *testing.T) {
	t.Setenv("HOME", "/home/anna")
	for given, want := range map[string]string{
		"/srv/a": "/srv/a", "/srv/../a/": "/a", "~": "/Users/anna", "~/Downloads": "/Users/anna/Downloads", "~/../x": "/Users/x", "/home/annabel": "/home/annabel",
		"": "", "Downloads": "", "./a": "", "~berta/a": "", `C:\a`: "", "-x": "", "/a\x00b": "", "/home/anna": "", "/home/anna/Downloads": "",
	} {
		p := PathsThere("lab", func() (string, error) { return "/Users/anna", nil })
		got, err := p.Abs(given)
		if _, is := errors.AsType[*UsageError](err); got != want || (want == "") != is {
			t.Errorf("%q: %q %v", given, got, err)
		}
	}
	same := PathsThere("lab", func() (string, error) { return "/home/anna", nil })
	if got, err := same.Abs("/home/anna/Downloads"); err != nil || got != "/home/anna/Downloads" {
		t.Errorf("%q %v", got, err)
	}
	gone := PathsThere("lab", func() (string, error) { return "", errors.New("it does not answer") })
	if _, err := gone.Abs("~/x"); err == nil {
		t.Error("a home that nobody knows")
	}
	if f, err := same.Folder("~/x:ro"); err != nil || f.Path != "/home/anna/x" || f.Mode != "ro" {
		t.Errorf("%+v %v", f, err)
	}
	if got, err := (Paths{}).Abs("x"); err != nil || !filepath.IsAbs(got) {
		t.Errorf("%q %v", got, err)
	}
}
