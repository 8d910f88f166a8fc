package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"syscall"

	"piwork/vmhost/share/internal/at"
)

// keepContent copies the content of o, which src has open for reading, into
// the journal and waits until it is durable, with all records before. o.keep
// is held.
func (f *Folder) keepContent(o *object, src *os.File) error {
	k := f.j.known(o)
	if k.image || k.made {
		return f.durable(o)
	}
	gen := k.gen + 1
	var err error
	for range 3 { // a person may be writing it at this moment
		var before, after at.Info
		if before, err = at.Stat(src); err != nil {
			return err
		}
		if err = f.copyContent(o, src, before, gen); err != nil {
			return err
		}
		if after, err = at.Stat(src); err != nil {
			return err
		}
		if stateOf(after).sameData(stateOf(before)) {
			break
		}
		gen++
	}
	return f.durable(o)
}

func (f *Folder) copyContent(o *object, src *os.File, info at.Info, gen uint32) error {
	j := f.j
	s := stateOf(info)
	r := record{K: recImage, O: o.id, G: gen, S: &s}
	if info.Size <= maxInline {
		data := make([]byte, info.Size)
		n, err := src.ReadAt(data, 0)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		sum := sha256.Sum256(data[:n])
		r.data, s.Size, s.Sum = data[:n], int64(n), hex.EncodeToString(sum[:])
		j.mu.Lock()
		defer j.mu.Unlock()
		if err := j.full(int64(n)); err != nil {
			return err
		}
		_, err = j.put(r)
		j.step("image")
		return err
	}
	j.mu.Lock()
	err := j.full(info.Size)
	if err == nil {
		j.used += info.Size
	}
	j.mu.Unlock()
	if err != nil {
		return err
	}
	if s.Size, s.Sum, err = j.copyToStore(storeName(o.id, gen), src, info.Size); err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	_, err = j.put(r)
	j.step("image")
	return err
}

// copyToStore makes images/name durable with the content of src. The sum is ""
// where blocks are shared and nothing was read.
func (j *Journal) copyToStore(name string, src *os.File, size int64) (int64, string, error) {
	_ = j.image.Remove(name) // left by a crash
	dst, _, err := j.image.Create(name, 0o600)
	if err != nil {
		return 0, "", err
	}
	defer dst.Close()
	sum := ""
	if at.Clone(dst, src) != nil {
		h := sha256.New()
		if size, err = copyFile(dst, src, h); err != nil {
			_ = j.image.Remove(name)
			return 0, "", err
		}
		sum = hex.EncodeToString(h.Sum(nil))
	} else if info, err := at.Stat(dst); err == nil {
		size = info.Size
	}
	j.step("image-written")
	if err := errors.Join(dst.Sync(), j.image.Sync()); err != nil {
		return 0, "", err
	}
	return size, sum, nil
}

// copyFile copies src from its beginning, leaving holes where there are only
// zeros, and returns its length.
func copyFile(dst, src *os.File, h hash.Hash) (int64, error) {
	buf := make([]byte, 256<<10)
	var off int64
	for {
		n, err := src.ReadAt(buf, off)
		if n > 0 {
			if h != nil {
				h.Write(buf[:n])
			}
			if !zero(buf[:n]) {
				if _, err := dst.WriteAt(buf[:n], off); err != nil {
					return off, err
				}
			}
			off += int64(n)
		}
		if errors.Is(err, io.EOF) {
			return off, dst.Truncate(off)
		}
		if err != nil {
			return off, err
		}
	}
}

func zero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

// keepName makes o, a file that the task did not make, outlive the loss of the
// name p: by a second name for its inode in the journal, or by a copy.
func (f *Folder) keepName(o *object, p Place, info at.Info) error {
	o.keep.Lock()
	defer o.keep.Unlock()
	if f.j.known(o).ref != 0 {
		return nil
	}
	if !f.noRefs {
		err := f.refer(o, func(ref string) error { return p.Dir.Link(p.Name, f.j.refs, ref) })
		if err == nil || errors.Is(err, ErrRaced) {
			return err
		}
		f.noteRefs(err)
	}
	if f.j.known(o).image {
		return nil
	}
	src, got, err := p.Dir.Open(p.Name, os.O_RDONLY)
	if err != nil {
		return fmt.Errorf("keeping the content: %w", err)
	}
	defer src.Close()
	if got.ID != info.ID {
		return ErrRaced
	}
	return f.keepContent(o, src)
}

// refer gives the inode of o a name in refs/ by calling move, and checks that
// it was o that moved. o.keep is held.
func (f *Folder) refer(o *object, move func(ref string) error) error {
	j := f.j
	gen := j.known(o).gen + 1
	ref := storeName(o.id, gen)
	if err := move(ref); err != nil {
		return err
	}
	j.step("referred")
	if info, err := j.refs.Lstat(ref); err != nil || info.ID != o.ident {
		return ErrRaced
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	_, err := j.put(record{K: recRef, O: o.id, G: gen})
	return err
}

// noteRefs remembers that the journal cannot hold references into this folder.
func (f *Folder) noteRefs(err error) {
	if errors.Is(err, syscall.EXDEV) || errors.Is(err, at.ErrUnsupported) {
		f.noRefs = true
	}
}
