package journal

import (
	"errors"
	"os"
	"time"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal/internal/ledger"
	"piwork/vmhost/share/journal/internal/recorder"
)

// fixInPlace writes into the inode, which other names share, or of which only parts are
// kept: copying 10 GB aside would be slower than what it undoes. info is what was looked
// at.
func (u *writer) fixInPlace(o *ledger.Object, d *at.Dir, name string, mode uint32, info at.Info) error {
	f, _, err := recorder.OpenOwn(d, name, os.O_RDWR)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := asSeen(f, info); err != nil {
		return err
	}
	image, _ := u.j.Kept(o)
	if err := image.Verify(f); err != nil {
		return err
	}
	return u.writeInto(o, f, info, mode)
}

func (u *writer) fixAttributes(i *item, d *at.Dir, name string, info at.Info) error {
	if i.Fix.Attrs != nil {
		if err := u.fixAttrs(i.Fix, d, name, info); err != nil {
			return err
		}
	}
	if mode := i.modeFor(info); mode != info.Mode {
		if err := d.Chmod(name, mode); err != nil {
			return err
		}
	}
	if err := d.Chtimes(name, time.Time{}, i.Fix.Base.MTime()); err != nil || u.inOneGo(i.Fix) {
		return err
	}
	if f, _, err := d.Open(name, os.O_RDONLY); err == nil {
		defer f.Close()
		return at.Sync(f)
	}
	return nil // it must not be read: a cut may take its mode back
}

// fixAttrs restores the extended attributes, for which the file must be
// writable.
func (u *writer) fixAttrs(o *ledger.Object, d *at.Dir, name string, info at.Info) error {
	a, err := d.Attrs(name)
	if err != nil {
		return err
	}
	defer a.Close()
	err = u.restoreAttrs(o, a)
	if !errors.Is(err, os.ErrPermission) || d.Chmod(name, info.Mode|0o600) != nil {
		return err
	}
	return errors.Join(u.restoreAttrs(o, a), d.Chmod(name, info.Mode))
}

// modeFor is the mode from before, unless a person set another one since.
func (i *item) modeFor(info at.Info) uint32 {
	if info.Mode == i.after.Mode || i.Place != nil || i.Fix.Rewriting {
		return i.Fix.Base.Mode
	}
	return info.Mode
}

// rewrite puts the content that o had before, which was verified, into its inode.
func (u *writer) rewrite(o *ledger.Object, f *os.File) error {
	image, _ := u.j.Kept(o)
	return image.Rewrite(f)
}

// fill writes the content that o had before into an empty file, or the parts that are
// kept of it into the file itself.
func (u *writer) fill(o *ledger.Object, f *os.File, verified bool) error {
	image, _ := u.j.Kept(o)
	return image.WriteTo(f, verified)
}

// dress gives f a mode and the time that o had before, and makes it durable. A zero atime is left.
func (u *writer) dress(f *os.File, mode uint32, atime time.Time, o *ledger.Object, sync bool) error {
	err := u.restoreAttrs(o, at.FileAttrs(f))
	if errors.Is(err, os.ErrPermission) && at.SetMode(f, 0o600) == nil {
		err = u.restoreAttrs(o, at.FileAttrs(f))
	}
	if err != nil {
		return err
	}
	if err := at.SetMode(f, mode); err != nil {
		return err
	}
	if err := at.SetTimes(f, atime, o.Base.MTime()); err != nil {
		return err
	}
	u.giveCapability(o, f)
	if !sync {
		return nil
	}
	return at.Sync(f)
}
