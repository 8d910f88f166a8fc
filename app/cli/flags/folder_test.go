package flags

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"piwork/app/task"
)

func TestParseFolder(t *testing.T) {
	cwd, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		arg, path string
		mode      task.Mode
	}{
		{"/a", "/a", ""},
		{"/a:ro", "/a", task.ModeReadOnly},
		{"/a:rw", "/a", task.ModeReadWrite},
		{"/a:review", "/a", task.ModeReview},
		{"/a:b", "/a:b", ""},
		{"/a:b:ro", "/a:b", task.ModeReadOnly},
		{"/a:RO", "/a:RO", ""},
		{"/a:ro:rw", "/a:ro", task.ModeReadWrite},
		{"/12:30", "/12:30", ""},
		{"/a:", "/a:", ""},
		{"/with space/-x/日本:rw", "/with space/-x/日本", task.ModeReadWrite},
		{".", cwd, ""},
		{"sub/../x:ro", filepath.Join(cwd, "x"), task.ModeReadOnly},
	} {
		if !filepath.IsAbs("/a") && strings.HasPrefix(tt.arg, "/") {
			continue // no such paths on this OS
		}
		got, err := (Paths{}).Folder(tt.arg)
		if err != nil || got.Path != tt.path || got.Mode != tt.mode {
			t.Errorf("%q: %+v %v", tt.arg, got, err)
		}
	}
	for _, arg := range []string{"", ":ro", ":rw"} {
		var u *UsageError
		if got, err := (Paths{}).Folder(arg); !errors.As(err, &u) {
			t.Errorf("%q: %+v %v", arg, got, err)
		}
	}
}

// A word after the colon of a folder that is there was meant as a mode, unless it is part of a
// name that is there, or looks like no mode.
func TestUnknownMode(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "a"), 0o700); err != nil {
		t.Fatal(err)
	}
	// Where names can have no colon, such a name is not there, and its end was meant as a mode.
	colon, behind := "b", ""
	if os.Mkdir(filepath.Join(dir, "a:b"), 0o700) == nil {
		colon, behind = "", "rx"
	}
	for arg, wrong := range map[string]string{
		"a:rx": "rx", "a:rwx": "rwx", "a:RO": "RO", "a:read-only": "read-only", "a:rx:ro": "rx",
		"a:b": colon, "a:b:rx": behind, "a:": "", "a:x/y": "", "a:12": "", "a:no mode": "", "none:rx": "", "a:verymanyletters": "",
	} {
		_, err := (Paths{}).Folder(filepath.Join(dir, arg))
		if u, is := errors.AsType[*UsageError](err); wrong == "" && err != nil || wrong != "" && (!is || !strings.Contains(u.Error(), "“"+wrong+"” after the colon")) {
			t.Errorf("%q: %v", arg, err)
		}
	}
}
