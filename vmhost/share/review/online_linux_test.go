package review

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"piwork/vmhost/share/journal"
	"piwork/vmhost/share/online/onlinetest"
)

// A list downloads nothing of what is only with a cloud service, which may be away, whatever the
// task made of it. What is applied is downloaded first, and undo brings it back.
func TestListDownloadsNothing(t *testing.T) {
	cloud := onlinetest.Mount(t, map[string]string{"saved": "content of saved", "linked": "content of linked", "gone": "content of gone", "moved": "content of moved"})
	w := newWorld(t, t.TempDir())
	w.dir = cloud.Dir
	w.begin()
	defer w.end()
	s := staged{w.s}
	w.check(errors.Join(s.create("n", "task"), s.rename("n", "saved"), s.link("linked", "second"), s.remove("gone"), s.rename("moved", "there")))
	cloud.Offline(true)
	list, err := w.l.Changes(t.Context())
	w.check(err)
	if len(list) != 4 || cloud.Opens() != 0 {
		t.Errorf("%d opened for %+v", cloud.Opens(), list)
	}
	for _, c := range list {
		if c.Path == "saved" && (c.Effect != journal.EffectChange || c.Before.SHA256 != "" || c.After.SHA256 == "") {
			t.Errorf("%+v %+v", c.Before, c.After)
		}
	}
	cloud.Offline(false)
	if r := w.apply(nil, ApplyOptions{}); len(r.Applied) != 4 || len(r.Conflicts) > 0 {
		t.Errorf("%+v", r)
	}
	if r, err := w.j.Undo(t.Context(), nil, journal.UndoOptions{}); err != nil || len(r.Conflicts) > 0 {
		t.Errorf("%+v %v", r, err)
	}
	for _, name := range []string{"saved", "linked", "gone", "moved"} {
		if got, err := os.ReadFile(filepath.Join(w.dir, name)); err != nil || string(got) != "content of "+name {
			t.Errorf("%s: %q %v", name, got, err)
		}
	}
}
