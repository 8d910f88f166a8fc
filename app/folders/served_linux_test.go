package folders

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"piwork/app/task"
	guest "piwork/pack/guest/copied"
)

// A place that works on copies gets those of a task's folders when its share is open.
func TestCopy(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("a"), 0o644); err != nil {
		t.Fatal(err)
	}
	open, err := Sharing(slog.New(slog.DiscardHandler), nil)([]task.Folder{{ID: "1", Path: dir, Name: "Trip", Mode: task.ModeReadOnly}}, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	served := Served{Kind: "test", Open: func() (Share, error) { return open, nil }}
	to, err := served.Copy(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	place := t.TempDir()
	run := func(_ context.Context, argv []string, in io.ReadCloser, out io.Writer) error {
		dirs := argv[3:]
		for i := range dirs {
			dirs[i] = filepath.Join(place, dirs[i])
		}
		return guest.Run(argv[2], dirs, in, out)
	}
	if err := to.Send(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(filepath.Join(place, "folders/Trip/a.txt")); string(b) != "a" {
		t.Errorf("%q %v", b, err)
	}
	closed := errors.New("closed")
	served.Open = func() (Share, error) { return nil, closed }
	if _, err := served.Copy(""); !errors.Is(err, closed) {
		t.Errorf("%v", err)
	}
}
