package journal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal/internal/ledger"
)

// errOwner says that a new file cannot be given what the one in its place is.
var errOwner = errors.New("owner, group or access rights cannot be given to a new file")

// giveOwner makes a new file of d belong to whom like does, which it will replace, or else
// to whom o did before. Only with like, which can be written into instead, is it an
// error that it cannot.
func (u *writer) giveOwner(o *ledger.Object, d *at.Dir, f, like *os.File) error {
	if like == nil {
		u.noteLacking(o, d.SetOwnerOfNew(f, ownerOf(o)))
		return nil
	}
	own, err := at.FileAttrs(like).Owner()
	if err == nil && own != nil {
		err = d.SetOwnerOfNew(f, own)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errOwner, err)
	}
	return nil
}

// ownerOf is whom o belonged to. Nothing is written down of what was plain: made anew, it must
// not get the ACL or the group that its directory gives.
func ownerOf(o *ledger.Object) *at.Owner { return cmp.Or(o.Owner, at.PlainOwner()) }

// giveCapability gives f the capabilities that the task's writing took from it.
func (u *writer) giveCapability(o *ledger.Object, f *os.File) {
	if o.Owner == nil {
		return
	}
	if value, ok := o.Owner.Set[at.Capability]; ok {
		u.noteLacking(o, at.FileAttrs(f).SetCapability(value))
	}
}

// noteLacking notes what o did not get back although the rest of it did.
func (u *writer) noteLacking(o *ledger.Object, err error) {
	if err == nil {
		return
	}
	u.j.Mu.Lock()
	defer u.j.Mu.Unlock()
	u.lacking[o] = err
}

// detachKept makes what is kept of an item for Redo a file of its own, durable, before
// undo writes into the inode.
func (u *redoKeeper) detachKept(i *item) error {
	k := u.kept(i)
	if k == nil || k.File == "" || k.Parts || k.Copy {
		return nil
	}
	f, info, err := u.j.Trash.Open(k.File, os.O_RDONLY)
	if err != nil {
		return err
	}
	defer f.Close()
	next := *k
	next.File = k.File + "c"
	ctx := context.Background() // it is an item that has begun
	err = u.keepWith(ctx, &next, func() ([]byte, error) { return nil, u.keepCopy(ctx, &next, f, info.Size) })
	return errors.Join(err, u.j.Trash.Sync(), u.j.Sync(u.j.File.Position()), u.j.Trash.Remove(k.File))
}
