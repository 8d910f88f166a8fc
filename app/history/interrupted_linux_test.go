package history

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"piwork/app/audit/audittest"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/scripts/lib/memdir"
	"piwork/vmhost/share/drive"
	"piwork/vmhost/share/drive/drivetest"
)

// An undo that waits for a drive that does not answer can be given up, whether that is known before
// or found out now, and the audit log says no more than what was done.
func TestUndoOfSilentDriveIsAbandoned(t *testing.T) {
	memdir.OnDisk(t)
	for name, known := range map[string]bool{"known": true, "found out": false} {
		for how, forget := range map[string]bool{"forgotten": true, "deleted": false} {
			t.Run(name+", "+how, func(t *testing.T) {
				drivetest.Hasten(t)
				h, id, dir := finished(t, task.ModeReadWrite, nil)
				d := drivetest.Mount(t, filepath.Dir(dir))
				dir = filepath.Join(d.Dir, "letters")
				one, err := h.o.Store.Update(id, func(one *task.Task) error { one.Folders[0].Path = dir; return nil })
				if err != nil {
					t.Fatal(err)
				}
				interrupted(t, h, id, dir)()
				silent := d.SilentAt(drivetest.Lookup)
				go func() { _, _ = os.Lstat(filepath.Join(dir, "b")) }()
				<-silent
				for known && !drive.Silent(dir) {
					drive.Waits(dir)
					time.Sleep(drive.LookEvery() / 4)
				}
				if known {
					err := h.FinishOrAbandon(t.Context(), one, false)
					if p := problem.From(err); err == nil || p.Code != problem.CodeUndoWaits || p.Cause != "silent" || p.Params["path"] != dir {
						t.Errorf("%v", err)
					}
				}
				want := []string{"undo-data abandoned person"}
				if forget {
					want = append(want, "undo-data removed person")
					space, ferr := h.ForgetUndo(t.Context(), id, true)
					if err = ferr; !space.Forgotten || space.Unfinished {
						t.Errorf("%+v", space)
					}
				} else {
					err = h.FinishOrAbandon(t.Context(), one, true)
				}
				if got := audittest.Decisions(t, h.o.Audit); err != nil || !slices.Equal(got, want) {
					t.Errorf("%q, want %q: %v", got, want, err)
				}
				if list, err := h.Forgotten(id, nil); forget && (err != nil || len(list) != 1) {
					t.Errorf("%+v, %v", list, err)
				}
			})
		}
	}
}
