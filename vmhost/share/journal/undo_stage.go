package journal

import (
	"context"
	"errors"
	"fmt"
	"os"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal/internal/ledger"
	"piwork/vmhost/share/journal/internal/recorder"
)

// Staging file after file, each with its own sync, takes milliseconds a file: a
// large undo stages what it can beforehand and syncs all of it at once, or
// several at a time where the system cannot do that.
const (
	stageFrom  = recorder.Many // files
	stageBytes = 512 << 20     // at most so many are on the disk twice
	stageAtime = 16            // files at the same time
)

// together finds out which folders are made durable in one go: those in which
// there is much to do, on systems that can.
func (u *undo) together() {
	count := map[*ledger.Folder]int{}
	for _, i := range u.items {
		if f := i.folder(); i.conflict == nil && !i.done() {
			if count[f]++; count[f] == stageFrom {
				u.atOnce[f] = u.r.Open[f] != nil && at.SyncsAll
			}
		}
	}
}

// prestage makes the files that undo is going to put into place, durable, under
// names of its own. What cannot be staged now is staged when its turn comes.
func (u *undo) prestage() {
	var list []*item
	total := int64(0)
	for _, i := range u.items {
		if o := u.stageable(i); o != nil && total+o.Image.Size <= stageBytes {
			total += o.Image.Size
			list = append(list, i)
		}
	}
	if len(list) >= stageFrom {
		_ = recorder.Each(context.Background(), list, stageAtime, func(_ context.Context, i *item) error {
			i.staged = u.stageItem(i) == nil
			return nil
		})
		u.j.Step("undo-prestaged")
	}
	for f, once := range u.atOnce {
		if !once {
			continue
		}
		// Also without a staged file: it says what could not be written before this undo, which is
		// said once, and is not to be taken for what undo did.
		if err := u.r.Open[f].SyncAll(); err != nil {
			u.j.Log.Warn("journal: cannot sync at once", "path", f.Path, "err", err)
			u.unstage(f)
			u.atOnce[f] = false
		}
	}
}

// stageable returns the object whose content undo is going to put under a name
// in a directory that is there already and stays.
func (u *undo) stageable(i *item) *ledger.Object {
	if i.conflict != nil || i.done() || i.force || i.Change.Effect == EffectMove {
		return nil
	}
	o := i.Object
	if o == nil || o.Kind != at.File || o.Image == nil || o.Image.Parts || o.Ref != 0 || o.Base.Links > 1 || o.Rewriting {
		return nil
	}
	if i.Place == nil && (!i.contentDiffers() || !at.KeepsOwner) || i.whole {
		return nil
	}
	return o
}

// stageIn returns the directory that the file of an item belongs in.
func (u *undo) stageIn(i *item) (*at.Dir, string, error) {
	if i.Place != nil {
		d, err := u.dir(i.Entry.Dir)
		return d, i.Entry.Name, err
	}
	return u.where(i.Fix)
}

func (u *undo) stageItem(i *item) error {
	d, name, err := u.stageIn(i)
	if err != nil {
		return err
	}
	defer d.Close()
	o := i.Object
	if i.Place != nil {
		return u.stage(o, d, u.tempName(o, ".new"), nil, o.Base.Mode, !u.inOneGo(i.Entry.Dir))
	}
	info, err := d.Lstat(name)
	if err != nil || u.links(i, info) > 1 {
		return errors.Join(ErrRaced, err)
	}
	return u.stageLike(i, d, name, info, !u.inOneGo(o))
}

// stageLike stages what takes the place of the file at a name, which is info.
func (u *undo) stageLike(i *item, d *at.Dir, name string, info at.Info, sync bool) error {
	f, got, err := d.Open(name, os.O_RDONLY)
	if err == nil {
		defer f.Close()
		if got.ID != info.ID {
			return ErrRaced
		}
	}
	i.stagedFor = ledger.StateOf(info)
	return u.stage(i.Fix, d, u.tempName(i.Fix, ".new"), f, i.modeFor(info), sync)
}

// take returns the name under which the file of an item is staged in d, after staging
// it where that was not done.
func (u *undo) take(i *item, o *ledger.Object, d *at.Dir, stage func() error) (string, error) {
	tmp := u.tempName(o, ".new")
	if i.staged {
		i.staged = false
		if _, err := d.Lstat(tmp); err == nil {
			return tmp, nil
		}
	}
	return tmp, stage()
}

// unstage removes what was staged and not used.
func (u *undo) unstage(f *ledger.Folder) {
	for _, i := range u.items {
		if !i.staged || f != nil && i.folder() != f {
			continue
		}
		i.staged = false
		if d, _, err := u.stageIn(i); err == nil {
			if err := d.Remove(u.tempName(i.Object, ".new")); err != nil && !recorder.IsMissing(err) {
				u.j.Log.Warn("journal: a staged file stays", "err", fmt.Errorf("%s: %w", i.Change.Path, err))
			}
			d.Close()
		}
	}
}
