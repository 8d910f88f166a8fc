package recorder

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal/internal/ledger"
	"piwork/vmhost/share/journal/internal/partial"
)

// keepContent copies the content of o, which src has open for reading, into
// the journal and waits until it is durable, with all records before. Of a large
// file that cannot share its blocks nothing is copied yet: the result then takes
// each part before it changes. o.Keep is held.
func (f *keeper) keepContent(o *ledger.Object, src *os.File) (*partial.Image, error) {
	k := f.J.known(o)
	switch {
	case k.parts:
		p, err := f.J.PartsOf(o)
		if err == nil {
			return p, f.durable(o) // that it changes again: else what is not kept may be a person's
		}
		// A power cut may take a file of parts for which nobody had waited, and not its record.
		if info, serr := at.Stat(src); serr != nil || !ledger.StateOf(info).SameData(k.base) {
			return nil, err
		}
	case k.image && f.J.keptAhead(o):
		return nil, nil
	case k.made:
		return nil, nil
	case k.image:
		return nil, f.waitFor(o)
	}
	if dir, _, ok := f.J.Spot(o); ok && dir != nil {
		defer f.J.waited(dir)
	}
	if err := f.keepOwner(o, at.FileAttrs(src)); err != nil {
		return nil, err
	}
	const tries = 3 // a person may be writing it at this moment
	for try := range tries {
		before, err := at.Stat(src)
		if err != nil {
			return nil, err
		}
		err = f.copyContent(o, src, before, k.gen+1, before.Size <= f.J.PartsFrom, try == tries-1)
		switch {
		case err == nil:
			return nil, f.durable(o)
		case errors.Is(err, errNoClone):
			return f.beginParts(o, before, k.gen+1)
		case !errors.Is(err, ErrRaced):
			return nil, err
		}
	}
	return nil, ErrRaced
}

// waitFor returns when everything is durable that the content of o may not change before.
func (f *keeper) waitFor(o *ledger.Object) error {
	f.J.Mu.Lock()
	pos := o.Wait
	if pos == 0 {
		pos = f.J.File.Position()
		o.Wait = pos
	}
	f.J.Mu.Unlock()
	return f.J.Sync(pos)
}

// copyContent keeps all of the content, by copying it only where copy says so:
// else it is errNoClone where the file systems cannot share blocks. It is ErrRaced when somebody
// wrote meanwhile; at the last try only what was there before they began counts ([begins]), and that
// only while it was copied, for a log may be appended to all the time: what it had at the beginning is kept.
func (f *keeper) copyContent(o *ledger.Object, src *os.File, info at.Info, gen uint32, copy, last bool) error {
	j := f.J
	s := ledger.StateOf(info)
	whole := func(same func() (bool, error)) error {
		now, err := at.Stat(src)
		if err != nil || s.SameData(ledger.StateOf(now)) {
			return err
		}
		if last && same != nil && now.Size > s.Size {
			if same, err := same(); same || err != nil {
				return err
			}
		}
		return ErrRaced
	}
	if copy && info.Size <= ledger.MaxInline {
		data, err := ReadFile(src, info.Size)
		if err = errors.Join(err, whole(func() (bool, error) { return begins(src, info.Size, SumOf(data)) })); err != nil {
			return err
		}
		return f.putInline(o, info, data, gen, false)
	}
	if !copy && f.noClone.Load() {
		return errNoClone
	}
	h := sha256.New()
	n, err := j.StoreFile(j.Image, ledger.StoreName(o.ID, gen), info.Size, true, func(dst *os.File) error {
		same := func() (bool, error) { return true, nil } // the system has cloned what was there at one moment
		err := at.Clone(dst, src)
		if err != nil && !copy {
			f.noClone.Store(true)
			return errNoClone
		}
		if err != nil {
			_, err = at.CopyFile(dst, src, info.Size, func(b []byte) error { h.Write(b); return nil })
			s.Sum = hex.EncodeToString(h.Sum(nil))
			same = func() (bool, error) { return begins(src, info.Size, s.Sum) }
		}
		j.Step("image-copied")
		return errors.Join(err, whole(same))
	})
	if errors.Is(err, ErrFull) && !copy {
		return errNoClone // parts of it may still find room
	}
	if err = errors.Join(err, j.Image.Sync()); err != nil {
		return err
	}
	if err := whole(nil); err != nil && !(last && errors.Is(err, ErrRaced)) {
		_ = j.Image.Remove(ledger.StoreName(o.ID, gen))
		j.release(info.Size)
		return err
	}
	s.Size = n
	j.Mu.Lock()
	defer j.Mu.Unlock()
	_, err = j.Put(ledger.ImageRecord{Object: o.ID, Gen: gen, State: &s})
	j.Step("image")
	return err
}

// begins reports whether a file, which somebody is writing to, has the content of a sum in its first size
// bytes: that person only appended to it.
func begins(src *os.File, size int64, sum string) (bool, error) {
	h := sha256.New()
	n, err := io.Copy(h, io.NewSectionReader(src, 0, size))
	return n == size && hex.EncodeToString(h.Sum(nil)) == sum, err
}

// putInline writes content down as the image of o, in the log.
func (f *keeper) putInline(o *ledger.Object, info at.Info, data []byte, gen uint32, ahead bool) error {
	j := f.J
	s := ledger.StateOf(info)
	s.Size, s.Sum = int64(len(data)), SumOf(data)
	j.Mu.Lock()
	defer j.Mu.Unlock()
	if err := j.full(s.Size); err != nil {
		return err
	}
	_, err := j.Put(ledger.ImageRecord{Object: o.ID, Gen: gen, State: &s, Ahead: ahead, Inline: &ledger.Inline{Data: data}})
	j.Step("image")
	return err
}

// Reserve takes room for an image, or refuses it; release gives it back.
func (j *Recorder) Reserve(size int64) error {
	j.Mu.Lock()
	defer j.Mu.Unlock()
	if err := j.full(size); err != nil {
		return err
	}
	j.used += size
	return nil
}

func (j *Recorder) release(size int64) {
	j.Mu.Lock()
	defer j.Mu.Unlock()
	j.used -= size
}

var errNoClone = errors.New("the file systems cannot share blocks")

// StoreFile makes d/name of what fill writes, after taking room for size bytes. sync
// makes its content durable. It returns the length of the file.
func (j *Recorder) StoreFile(d *at.Dir, name string, size int64, sync bool, fill func(dst *os.File) error) (n int64, err error) {
	if err := j.Reserve(size); err != nil {
		return 0, err
	}
	err = Stage(d, name, func(dst *os.File, _ at.Info) error {
		if err := fill(dst); err != nil {
			return err
		}
		j.Step("image-written")
		info, err := at.Stat(dst)
		if n = info.Size; err == nil && sync {
			err = at.Sync(dst)
		}
		return err
	})
	if err != nil {
		j.release(size)
	}
	return n, err
}

// ReadFile reads what is in the first bytes of a file.
func ReadFile(f *os.File, size int64) ([]byte, error) {
	data := make([]byte, size)
	n, err := f.ReadAt(data, 0)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return data[:n], err
}

// keepName makes o, a file that the task did not make, outlive the loss of the
// name p: by a second name for its inode in the journal, or by a copy. That of a file that is
// only online is always a copy, which downloads it.
func (f *Changer) keepName(o *ledger.Object, p Place, info at.Info) error {
	o.Keep.Lock()
	defer o.Keep.Unlock()
	if f.J.known(o).ref != 0 {
		return nil
	}
	if !f.NoRefs && !info.Online {
		_, err := f.refer(o, func(ref string) error { return p.Dir.Link(p.Name, f.J.Refs, ref) }, f.J.Refs.Remove)
		if err == nil || errors.Is(err, ErrRaced) || errors.Is(err, ErrFull) {
			return err
		}
		f.noteRefs(err)
	}
	if err := f.J.refute(o, info); err != nil {
		return err
	}
	k := f.J.known(o)
	if k.image && !k.parts && f.J.keptAhead(o) {
		return nil // with its attributes
	}
	src, got, err := p.Dir.Open(p.Name, os.O_RDONLY)
	if err != nil && k.image && !k.parts {
		return f.durable(o)
	}
	if err != nil {
		return fmt.Errorf("keeping the content: %w", err)
	}
	defer src.Close()
	if got.ID != info.ID {
		return ErrRaced
	}
	a := at.FileAttrs(src)
	if err := errors.Join(f.keepAttrs(o, a, true), f.keepOwner(o, a)); err != nil {
		return err
	}
	rest, err := f.keepContent(o, src)
	if err == nil && rest != nil {
		err = f.keepSpans(o, rest, src, partial.Everything) // its inode goes: what is not kept yet, too
	}
	return err
}

// errUnnamed says that a file has lost its name and lies in refs/, without a record of that: the
// next opening of the journal finds it there.
var errUnnamed = errors.New("it waits in the journal until that is opened again")

// refer gives the inode of o a name in refs/ by calling move, and checks that
// it was o that moved. Otherwise, or when that cannot be written down, giveBack takes it back.
// o.Keep is held.
func (f *Changer) refer(o *ledger.Object, move, giveBack func(ref string) error) (moved bool, err error) {
	j := f.J
	gen := j.known(o).gen + 1
	ref := ledger.StoreName(o.ID, gen)
	j.Mu.Lock()
	size := o.Last.Size
	j.Mu.Unlock()
	if err := j.Reserve(size); err != nil {
		return false, err // it would no longer be free after the deletion
	}
	if err := move(ref); err != nil {
		j.release(size)
		return false, err
	}
	j.Step("referred")
	info, err := j.Refs.Lstat(ref)
	if err != nil || info.ID != o.Ident {
		err = ErrRaced
	} else {
		j.Mu.Lock()
		_, err = j.Put(ledger.RefRecord{Object: o.ID, Gen: gen})
		err = errors.Join(err, f.J.SignAgain(o, info))
		j.Mu.Unlock()
	}
	if err == nil && f.syncs {
		err = syncOne(j.Refs, ref)
	}
	if err == nil {
		return true, nil
	}
	j.release(size)
	back := giveBack(ref)
	if back != nil {
		j.Log.Error("journal: a file stays among the references", "ref", ref, "err", back)
	}
	if back != nil && !errors.Is(err, ErrRaced) {
		err = errors.Join(err, errUnnamed)
	}
	return true, err
}

// syncOne makes a file of a directory and its name there durable.
func syncOne(d *at.Dir, name string) error {
	f, _, err := OpenOwn(d, name, os.O_RDONLY)
	if err != nil {
		return err
	}
	defer f.Close()
	return errors.Join(at.Sync(f), d.Sync())
}

// noteRefs remembers that the journal cannot hold references into this folder.
func (f *keeper) noteRefs(err error) {
	if errors.Is(err, syscall.EXDEV) || errors.Is(err, at.ErrUnsupported) {
		f.NoRefs = true
	}
}
