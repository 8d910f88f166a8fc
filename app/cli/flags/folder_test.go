package flags

import (
	"errors"
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
		got, err := ParseFolder(tt.arg)
		if err != nil || got.Path != tt.path || got.Mode != tt.mode {
			t.Errorf("%q: %+v %v", tt.arg, got, err)
		}
	}
	for _, arg := range []string{"", ":ro", ":rw"} {
		var u *UsageError
		if got, err := ParseFolder(arg); !errors.As(err, &u) {
			t.Errorf("%q: %+v %v", arg, got, err)
		}
	}
}
