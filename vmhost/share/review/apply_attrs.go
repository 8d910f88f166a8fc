package review

import (
	"runtime"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal"
)

// dress gives what is at rel in the original the extended attributes of a
// record; nil are none of its business.
func (a *applying) dress(rel string, set attrs) error {
	if set == nil {
		return nil
	}
	if err := a.to.SetXattrs(rel, at.AttrSet(set)); err != nil {
		return err
	}
	a.l.step("attrs")
	return nil
}

// writable lets the owner write what gets other attributes (xattr(7)). now is
// corrected.
func (a *applying) writable(rel string, now *stamp, set attrs) error {
	if set == nil || now.Mode&0o200 != 0 || runtime.GOOS == "windows" {
		return nil
	}
	mode := now.Mode | 0o200
	err := a.to.SetMeta(rel, at.Meta{Mode: &mode})
	if err == nil {
		now.Mode = mode
	}
	return err
}

// undressed returns a conflict when a person changed the attributes of an
// original that the task gave others.
func (a *applying) undressed(rel string, rec nodeRec) error {
	if rec.Attrs == nil || rec.Kind != at.File && rec.Kind != at.Directory {
		return nil
	}
	now, err := a.l.originalAttrs(rel)
	if err != nil {
		return err
	}
	if d := now.digest(); d != rec.Had && d != rec.Attrs.digest() {
		return conflictf(journal.ReasonChanged, "the attributes of %q were changed since", rel)
	}
	return nil
}
