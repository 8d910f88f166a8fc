package operate

import (
	"os"
	"path/filepath"
	"testing"

	"piwork/pack/guest/operate/job"
	"piwork/pack/guest/operate/tables"
	"piwork/pack/tools/picture"
)

// TestScratchLeadsNowhere has a program that was taken over leave links to a file of the
// person's under names that the operation writes next.
func TestScratchLeadsNowhere(t *testing.T) {
	const persons = "%PDF-1.4\ntrailer << /ID [<00112233><44556677>] >>\n"
	file := filepath.Join(t.TempDir(), "persons.pdf")
	if err := os.WriteFile(file, []byte(persons), 0o600); err != nil {
		t.Fatal(err)
	}
	r := &job.Job{Order: job.Order{Scratch: t.TempDir()}}
	for what, touch := range map[string]func(name string) error{
		"write":     func(name string) error { return r.ScratchWrite(name, []byte("x")) },
		"arguments": func(name string) error { return withArguments(t.Context(), r, "", name, []string{"x"}) },
		"create":    func(name string) error { _, err := r.ScratchCreate(name); return err },
		"page":      func(name string) error { return joinText(r, nil, name) },
		"trailer":   func(name string) error { return blankTrailer(r.Scratch(name)) },
		"cut":       func(name string) error { return cutJPEG(r.Scratch(name), picture.Info{End: 3, MPFOffset: 1}) },
		"read":      func(name string) error { _, err := job.ReadBounded(r.Scratch(name), 100); return err },
		"table":     func(name string) error { _, err := tables.ParseJSON(r.Scratch(name)); return err },
	} {
		if err := os.Symlink(file, r.Scratch(what)); err != nil {
			t.Fatal(err)
		}
		if err := touch(what); err == nil {
			t.Errorf("%s: went through a link", what)
		}
		if b, err := os.ReadFile(file); string(b) != persons {
			t.Fatalf("%s: the person's file is now %q (%v)", what, b, err)
		}
		if err := r.ScratchRemove(what); err != nil {
			t.Error(err)
		}
	}
}
