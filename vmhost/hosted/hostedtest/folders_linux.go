package hostedtest

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"piwork/vmhost"
	"piwork/vmhost/share"
	"piwork/vmhost/share/journal"
	"piwork/vmhost/share/virtiofs"
	"piwork/vmhost/wire"
)

// Folders are two folders, of which programs may change the first, and a state.
type Folders struct {
	Set     *share.Set
	Journal *journal.Journal
	View    []vmhost.FolderInView // as programs of most places see them
}

// Files makes a directory with the folders rw and ro, and a secret beside them.
func Files(t testing.TB) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, content := range map[string]string{"rw/a.txt": "first\n", "ro/b.txt": "second\n", "secret": "third\n"} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Share shares two directories.
func Share(t testing.TB, rw, ro string) Folders {
	t.Helper()
	j, err := journal.Open(filepath.Join(t.TempDir(), "journal"), journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f := Folders{Set: share.NewSet(share.Options{}), Journal: j}
	t.Cleanup(func() { f.Set.Close(); j.Close() })
	for _, folder := range []share.Folder{{ID: "1", Path: rw}, {ID: "2", Path: ro, ReadOnly: true}} {
		added, err := f.Set.Add(folder, j)
		if err != nil {
			t.Fatal(err)
		}
		f.View = append(f.View, vmhost.FolderInView{Path: wire.FoldersDir + "/" + added.Name, ReadOnly: added.ReadOnly})
	}
	state := filepath.Join(t.TempDir(), "state")
	if err := errors.Join(os.Mkdir(state, 0o700), f.Set.AddState(state, 1<<20)); err != nil {
		t.Fatal(err)
	}
	return f
}

// ServeFUSE serves the folders to a place that mounts them.
func (f Folders) ServeFUSE(log *slog.Logger) func(context.Context, *os.File) error {
	return func(ctx context.Context, device *os.File) error { return f.ServeFUSEAs(log)(ctx, device, 0) }
}

// ServeFUSEAs serves them to a place that says whose files they are there.
func (f Folders) ServeFUSEAs(log *slog.Logger) func(context.Context, *os.File, int) error {
	return func(ctx context.Context, device *os.File, owner int) error {
		return virtiofs.ServeFUSE(ctx, device, f.Set, virtiofs.Options{Log: log, Owner: owner})
	}
}

// NeedFUSE skips a test where this user may not use FUSE.
func NeedFUSE(t testing.TB) {
	t.Helper()
	f, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("this user may not use FUSE, so that there are no folders: %v", err)
	}
	f.Close()
}
