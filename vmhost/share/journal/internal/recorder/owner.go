package recorder

import (
	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal/internal/ledger"
)

// keepOwner writes down whom o belongs to and what the system keeps with it, once,
// unless it is plain ([at.PlainOwner]); o.Keep is held.
func (f *keeper) keepOwner(o *ledger.Object, a *at.Attrs) error {
	j := f.J
	j.Mu.Lock()
	done := o.Owner != nil || o.Made
	j.Mu.Unlock()
	if done {
		return nil
	}
	own, err := a.Owner()
	if err != nil || own == nil || own.Plain() {
		return err
	}
	j.Mu.Lock()
	defer j.Mu.Unlock()
	if err := j.full(2 * int64(64+own.Set.Size())); err != nil {
		return err
	}
	_, err = j.Put(ledger.OwnerRecord{Object: o.ID, Owner: own})
	j.Step("owner")
	return err
}
