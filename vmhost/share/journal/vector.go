package journal

import "piwork/vmhost/share/internal/at"

// ReadvAt is ReadAt into several buffers.
func (x *File) ReadvAt(bufs [][]byte, off int64) (int, error) { return at.ReadvAt(x.f, bufs, off) }

// WritevAt is WriteAt of several buffers.
func (x *File) WritevAt(bufs [][]byte, off int64) (n int, err error) {
	err = x.changeContent(func() error {
		n, err = at.WritevAt(x.f, bufs, off)
		return err
	})
	return n, err
}

// Allocate makes or unmakes room in the file, as [at.Allocate] does.
func (x *File) Allocate(mode uint32, off, size int64) error {
	return x.changeContent(func() error { return at.Allocate(x.f, mode, off, size) })
}

// Seek finds data or a hole, as [at.Seek] does.
func (x *File) Seek(off int64, whence int) (int64, error) { return at.Seek(x.f, off, whence) }

// changeContent does what changes the content, after keeping it.
func (x *File) changeContent(do func() error) error {
	if x.folder == nil {
		return do()
	}
	x.folder.gate.RLock()
	defer x.folder.gate.RUnlock()
	if err := x.prepare(); err != nil {
		return err
	}
	x.folder.j.busy()
	return do()
}
