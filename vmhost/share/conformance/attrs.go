package conformance

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hugelgupf/p9/linux"

	"piwork/vmhost/share/journal"
)

// Flags of setxattr(2) in Linux.
const (
	AttrCreate  = 1
	AttrReplace = 2
)

// AttrGuest is a Guest that has extended attributes.
type AttrGuest interface {
	Guest
	GetXattr(path, attr string) ([]byte, error)
	SetXattr(path, attr string, value []byte, flags uint32) error
	ListXattr(path string) ([]string, error)
	RemoveXattr(path, attr string) error
}

// attributes are extended attributes: as the host has them, kept by the journal,
// and only those of programs.
func attributes(h *host) {
	g, ok := h.g.(AttrGuest)
	if !ok {
		h.t.Fatal("this guest has no extended attributes")
	}
	for _, p := range []string{"rw/file", "rw/dir"} {
		h.t.Run(p, func(t *testing.T) { attributesOf(t, g, p) })
	}
	for _, c := range []struct {
		what string
		err  error
		want linux.Errno
	}{
		{"a missing one", second(g.GetXattr("rw/file", "user.none")), linux.ENODATA},
		{"of a missing file", second(g.GetXattr("rw/none", "user.x")), linux.ENOENT},
		{"of the virtual root", second(g.GetXattr("", "user.x")), linux.EOPNOTSUPP},
		{"of the system", second(g.GetXattr("rw/file", "security.capability")), linux.EOPNOTSUPP},
		{"rights", second(g.GetXattr("rw/file", "system.posix_acl_access")), linux.EOPNOTSUPP},
		{"setting one of the system", g.SetXattr("rw/file", "trusted.x", []byte("x"), 0), linux.EOPNOTSUPP},
		{"without a name", g.SetXattr("rw/file", "user.", []byte("x"), 0), linux.EOPNOTSUPP},
		{"with a long name", g.SetXattr("rw/file", "user."+strings.Repeat("x", 300), []byte("x"), 0), linux.ERANGE},
		{"removing a missing one", g.RemoveXattr("rw/file", "user.none"), linux.ENODATA},
		{"replacing a missing one", g.SetXattr("rw/file", "user.none", []byte("x"), AttrReplace), linux.ENODATA},
		{"unknown flags", g.SetXattr("rw/file", "user.x", []byte("x"), 8), linux.EINVAL},
		{"setting one in a read-only folder", g.SetXattr("ro/file", "user.x", []byte("x"), 0), linux.EROFS},
		{"removing one in a read-only folder", g.RemoveXattr("ro/file", "user.x"), linux.EROFS},
	} {
		if c.err != c.want { //nolint:errorlint // a guest's errors are numbers
			h.t.Errorf("%s: %v instead of %v", c.what, c.err, c.want)
		}
	}
	if list, err := g.ListXattr("ro/file"); err != nil || len(list) > 0 {
		h.t.Errorf("of a read-only folder: %v %v", list, err)
	}
	h.check(g.SetXattr("rw/file", "user.left", []byte("x"), 0))
	h.check(h.settle())
	if list, err := g.ListXattr("rw/file"); err != nil || !slices.Equal(list, []string{"user.left"}) {
		h.t.Errorf("when it is there: %v %v", list, err)
	}
	h.undone()
	if list, err := g.ListXattr("rw/file"); err != nil || len(list) > 0 {
		h.t.Errorf("after undo: %v %v", list, err)
	}
}

func attributesOf(t *testing.T, g AttrGuest, p string) {
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	if list, err := g.ListXattr(p); err != nil || len(list) > 0 {
		t.Fatalf("at first: %v %v", list, err)
	}
	long := []byte(strings.Repeat("long value ", 150))
	check(g.SetXattr(p, "user.one", []byte("1"), AttrCreate))
	check(g.SetXattr(p, "user.two.three", long, 0))
	check(g.SetXattr(p, "user.empty", nil, 0))
	for name, want := range map[string]string{"user.one": "1", "user.two.three": string(long), "user.empty": ""} {
		if v, err := g.GetXattr(p, name); err != nil || string(v) != want {
			t.Errorf("%s is %q, %v", name, v, err)
		}
	}
	if err := g.SetXattr(p, "user.one", []byte("2"), AttrCreate); err != linux.EEXIST { //nolint:errorlint // a guest's errors are numbers
		t.Errorf("making one that is there: %v", err)
	}
	check(g.SetXattr(p, "user.one", []byte("another"), AttrReplace))
	list, err := g.ListXattr(p)
	slices.Sort(list)
	if err != nil || !slices.Equal(list, []string{"user.empty", "user.one", "user.two.three"}) {
		t.Errorf("names: %v %v", list, err)
	}
	if v, err := g.GetXattr(p, "user.one"); err != nil || string(v) != "another" {
		t.Errorf("replaced: %q %v", v, err)
	}
	for _, name := range list {
		check(g.RemoveXattr(p, name))
	}
	if list, err := g.ListXattr(p); err != nil || len(list) > 0 {
		t.Errorf("at last: %v %v", list, err)
	}
}

// undone takes everything back, as the person does.
func (h *host) undone() {
	h.t.Helper()
	r, err := h.j.Undo(h.t.Context(), nil, journal.UndoOptions{})
	if err != nil || len(r.Conflicts) > 0 {
		h.t.Errorf("undo: %+v %v", r.Conflicts, err)
	}
	if _, err := os.Lstat(h.path("rw/file")); err != nil {
		h.t.Error(err)
	}
}
