package journal

import (
	"fmt"
	"slices"
	"time"

	"piwork/vmhost/share/journal/internal/ledger"
	"piwork/vmhost/share/journal/internal/recorder"
)

// What undo did to a folder must be durable there before a record says so: the
// record gives up what the journal kept. So the records of an undo wait until
// its end, and one sync of the folder stands for that of each file. When the
// program dies before, undo goes on from what it finds, as if it had made none.

// note takes records over that are written down by commit.
func (u *site) note(recs ...ledger.Record) {
	u.j.Mu.Lock()
	defer u.j.Mu.Unlock()
	u.noted = time.Now().Truncate(time.Millisecond)
	for _, r := range recs {
		if u.namesDirectory(r) {
			u.last.drop()
		}
		if err := u.j.Tables.Apply(r, u.noted); err != nil {
			u.j.Log.Error("journal: a record of undo is wrong", "record", fmt.Sprintf("%T", r), "err", err)
			continue
		}
		u.notes, u.j.Held = append(u.notes, r), true
	}
}

// inOneGo reports whether where o lies is made durable with one sync of its folder:
// what is mounted inside of that is not.
func (u *site) inOneGo(o *ledger.Object) bool {
	return u.atOnce[o.Folder] && o.Ident.Dev == o.Folder.Root.Ident.Dev
}

// commit makes what was done durable, and then writes down what was noted. When
// that fails the same is found out when the journal is opened again: a second try would
// prove nothing, for the system says only once what it could not write.
func (u *site) commit() error {
	if u.lost == nil {
		if u.lost = u.makeDurable(); u.lost != nil {
			recorder.Lost(u.j)
		}
	}
	if u.lost != nil {
		return u.lost
	}
	u.j.Step("undo-durable")
	u.j.Mu.Lock()
	defer u.j.Mu.Unlock()
	if u.j.Closed {
		return ErrClosed
	}
	for part := range slices.Chunk(u.notes, 1000) {
		if _, err := ledger.AppendTo(u.j.File, u.noted, part...); err != nil {
			return err
		}
	}
	u.notes, u.j.Held = nil, false
	u.j.Ticks.Arm()
	u.j.Step("undo-noted")
	return nil
}

// makeDurable makes what was done in the folders durable. It fails where a disk was pulled out:
// then names are back in the memory only. The top of each folder is synced for that, too.
func (u *site) makeDurable() error {
	defer u.last.drop() // Windows renames no directory with one open in it
	for f, once := range u.atOnce {
		if !once {
			continue
		}
		if err := u.r.Open[f].SyncAll(); err != nil {
			return fmt.Errorf("making %q durable: %w", f.Path, err)
		}
	}
	dirs := map[*ledger.Object]bool{}
	for o := range u.dirs {
		dirs[o.Folder.Root] = true
		if !u.inOneGo(o) {
			dirs[o] = true
		}
	}
	for o := range dirs {
		d, err := u.dir(o)
		if err != nil {
			continue // removed, or closed again
		}
		err = d.Sync()
		d.Close()
		if err != nil {
			return fmt.Errorf("making %q durable: %w", o.Folder.Path, err)
		}
	}
	return nil
}
