package folders

import (
	"errors"
	"log/slog"
	"os"
	"testing"

	"piwork/app/task"
	"piwork/vmhost/share"
	"piwork/vmhost/share/guard"
	"piwork/vmhost/share/online/onlinetest"
)

// A folder that a task can only read, as while it plans, is downloaded within the bound, too.
func TestReadOnlyFoldersAreDownloadedWithinTheBound(t *testing.T) {
	c := onlinetest.Mount(t, map[string]string{"a": "12345", "b": "67890"})
	g := guard.New(guard.Policy{Fetches: 9}, guard.Options{})
	t.Cleanup(g.Close)
	made, err := Sharing(slog.New(slog.DiscardHandler), nil)([]task.Folder{{ID: "f", Path: c.Dir, Name: "Cloud", Mode: task.ModeReadOnly}}, nil, g, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer made.Close()
	tree := made.(*server).set.Lookup("Cloud")
	f, _, err := tree.Open("a", os.O_RDONLY)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, _, err := tree.Open("b", os.O_RDONLY); !errors.Is(err, share.ErrFetch) {
		t.Errorf("more than a task may download unasked: %v", err)
	}
}
