//go:build desktop

package desktop

import (
	"testing"

	"piwork/app/problem"
)

// Where no program opens a file, it is said of the file.
func TestNoProgramOpens(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/none")
	for what, open := range map[string]func() error{
		"open":   func() error { return new(shell).OpenFile(t.Context(), "/a/b.pdf") },
		"reveal": func() error { return new(shell).RevealFile(t.Context(), "/a/b.pdf") },
	} {
		if p := problem.From(open()); p == nil || p.Code != problem.CodeUnsupported || p.Cause != "open" || p.Params["path"] != "/a/b.pdf" {
			t.Errorf("%s: %v", what, p)
		}
	}
	if p := problem.From(second(new(shell).PickFolder(t.Context(), ""))); p == nil || p.Code != "no-window" {
		t.Errorf("before the window is there: %v", p)
	}
}

func second[T any](_ T, err error) error { return err }
