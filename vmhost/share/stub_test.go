package share

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"piwork/vmhost/share/guard"
	"piwork/vmhost/share/journal"
	"piwork/vmhost/share/online"
)

// What stands for a file of iCloud is neither removed nor written: that would remove the file there.
func TestStubsStay(t *testing.T) {
	isStub = func(name string) bool { return online.StubOf(name) != "" }
	t.Cleanup(func() { isStub = online.Stub })
	dir := t.TempDir()
	const stub = ".report.pdf.icloud"
	for _, name := range []string{stub, "other"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("bplist"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	j, err := journal.Open(filepath.Join(t.TempDir(), "journal"), journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	set := NewSet(Options{})
	t.Cleanup(func() {
		set.Close()
		_ = j.Close()
	})
	g := guard.New(guard.Policy{Deletes: guard.Limit{Free: 9}, Changes: guard.Limit{Free: 9}}, guard.Options{})
	t.Cleanup(g.Close)
	f, err := set.Add(Folder{ID: "f", Path: dir, Guard: g}, j)
	if err != nil {
		t.Fatal(err)
	}
	tree := set.Lookup(f.Name)
	open := func(flag int) error {
		f, _, err := tree.Open(stub, flag)
		if err == nil {
			f.Close()
		}
		return err
	}
	for what, do := range map[string]func() error{
		"remove":   func() error { return tree.Remove(stub) },
		"rename":   func() error { return tree.Rename(stub, "report.pdf") },
		"replace":  func() error { return tree.Rename("other", stub) },
		"truncate": func() error { return tree.Truncate(stub, 0) },
		"write":    func() error { return open(os.O_RDWR) },
		"mode":     func() error { return tree.SetMeta(stub, Meta{}) },
		"link":     func() error { _, err := tree.Link(stub, "second"); return err },
		"make":     func() error { _, _, err := tree.Create(".new.pdf.icloud", 0o600, true, false); return err },
		"open":     func() error { _, _, err := tree.Create(stub, 0o600, false, true); return err },
	} {
		if err := do(); !errors.Is(err, ErrStub) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := open(os.O_RDONLY); err != nil {
		t.Error(err)
	}
	if b, err := os.ReadFile(filepath.Join(dir, stub)); string(b) != "bplist" || err != nil {
		t.Error(string(b), err)
	}
}
