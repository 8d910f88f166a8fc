package review

import (
	"bytes"
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
	return a.at(rel, func(p journal.Place) error { return a.dressAt(p, set) })
}

func (a *applying) dressAt(p journal.Place, set attrs) error {
	if set == nil {
		return nil
	}
	x, err := p.Dir.Attrs(p.Name)
	if err != nil {
		return err
	}
	now, err := x.All()
	x.Close()
	if err != nil {
		return err
	}
	for name := range now {
		if _, ok := set.find(name); !ok {
			if err := a.to.RemoveXattr(p, name); err != nil {
				return err
			}
		}
	}
	for _, r := range set {
		if have, ok := now[string(r.Name)]; ok && bytes.Equal(have, r.Value) {
			continue
		}
		if err := a.to.SetXattr(p, string(r.Name), r.Value, 0); err != nil {
			return err
		}
	}
	a.l.step("attrs")
	return nil
}

// writable lets the owner write what gets other attributes (xattr(7)). now is
// corrected.
func (a *applying) writable(p journal.Place, now *stamp, set attrs) error {
	if set == nil || now.Mode&0o200 != 0 || runtime.GOOS == "windows" {
		return nil
	}
	mode := now.Mode | 0o200
	err := a.to.Chmod(p, mode)
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
