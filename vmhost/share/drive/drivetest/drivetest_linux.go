// Package drivetest mounts drives that stop answering on demand, as a network drive does whose
// server is away: calls for them never return, and come to their end when it is back. Or they are
// lost, as one that is pulled out, and the system shows what they should have.
package drivetest

import (
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"

	"piwork/vmhost/share/drive"
)

// Calls at which a drive can go silent.
const (
	Lookup  = "lookup"
	GetAttr = "getattr"
	Open    = "open"
	Create  = "create"
	Read    = "read"
	Write   = "write"
	Fsync   = "fsync"
	Unlink  = "unlink"
	Rename  = "rename"
	Mkdir   = "mkdir"
	SetAttr = "setattr"
	ReadDir = "readdir"
	Statfs  = "statfs"
)

// Hasten has drives be found silent in a second, not in a minute, until the test ends.
func Hasten(t testing.TB) {
	drive.Hasten(150)
	t.Cleanup(func() { drive.Hasten(1) })
}

// longest is how long a drive is silent: no test waits for ever.
const longest = time.Minute

// Drive is one that is mounted at Dir and shows a directory.
type Drive struct {
	fuse.RawFileSystem
	Dir string

	mu     sync.Mutex
	at     string        // the call at which it goes silent; "" for none
	alone  bool          // only such calls wait
	silent chan struct{} // closed when it went
	back   chan struct{} // closed when it is back; nil while it answers
	lost   bool
	told   bool // that names were lost was said
}

// Mount mounts a drive that shows a directory, until the test ends. Without FUSE the test is skipped.
func Mount(t testing.TB, behind string) *Drive {
	t.Helper()
	root, err := fs.NewLoopbackRoot(behind)
	if err != nil {
		t.Fatal(err)
	}
	zero := time.Duration(0) // each call reaches the drive
	d := &Drive{RawFileSystem: fs.NewNodeFS(root, &fs.Options{EntryTimeout: &zero, AttrTimeout: &zero}), Dir: t.TempDir()}
	server, err := fuse.NewServer(d, d.Dir, &fuse.MountOptions{DirectMount: true, FsName: "silent", Name: "silent"})
	if err != nil {
		t.Skip("no FUSE here: ", err)
	}
	go server.Serve()
	if err := server.WaitMount(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		d.Answer()
		for end := time.Now().Add(10 * time.Second); server.Unmount() != nil; <-time.After(20 * time.Millisecond) {
			if time.Now().After(end) {
				t.Errorf("%s is still in use", d.Dir)
				_ = syscall.Unmount(d.Dir, syscall.MNT_DETACH)
				return
			}
		}
	})
	return d
}

// SilentAt has the drive go silent at the next call of a kind: that one and all after it wait.
// The channel is closed then.
func (d *Drive) SilentAt(call string) <-chan struct{} { return d.set(call, false) }

// SlowAt has only calls of one kind wait.
func (d *Drive) SlowAt(call string) <-chan struct{} { return d.set(call, true) }

func (d *Drive) set(call string, alone bool) <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.at, d.alone, d.silent, d.back = call, alone, make(chan struct{}), nil
	time.AfterFunc(longest, d.Answer)
	return d.silent
}

// Answer has the drive answer again: first what waits.
func (d *Drive) Answer() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.back != nil {
		close(d.back)
	}
	d.at, d.back = "", nil
}

// Lose has the drive be lost, or back: it shows what is done and makes no file durable. That names
// are not is said once, as systems do.
func (d *Drive) Lose(lost bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lost, d.told = lost, false
}

// pass waits while the drive is silent.
func (d *Drive) pass(call string) {
	d.mu.Lock()
	if d.at == call && d.back == nil {
		d.back = make(chan struct{})
		close(d.silent)
	}
	back := d.back
	if d.alone && call != d.at {
		back = nil
	}
	d.mu.Unlock()
	if back != nil {
		<-back
	}
}

// opened has the kernel send reads and writes here and not to the file behind, and wait for
// nobody when a file is closed (FOPEN_NOFLUSH of Linux): else a test that panics would wait, as it
// ends, for its own drive, which does not serve any more.
func opened(out *fuse.OpenOut) {
	const noFlush = 1 << 5
	out.OpenFlags, out.BackingID = out.OpenFlags&^fuse.FOPEN_PASSTHROUGH|noFlush, 0
}

// Lookup implements fuse.RawFileSystem.
func (d *Drive) Lookup(c <-chan struct{}, h *fuse.InHeader, name string, out *fuse.EntryOut) fuse.Status {
	d.pass(Lookup)
	return d.RawFileSystem.Lookup(c, h, name, out)
}

// GetAttr implements fuse.RawFileSystem.
func (d *Drive) GetAttr(c <-chan struct{}, in *fuse.GetAttrIn, out *fuse.AttrOut) fuse.Status {
	d.pass(GetAttr)
	return d.RawFileSystem.GetAttr(c, in, out)
}

// SetAttr implements fuse.RawFileSystem.
func (d *Drive) SetAttr(c <-chan struct{}, in *fuse.SetAttrIn, out *fuse.AttrOut) fuse.Status {
	d.pass(SetAttr)
	return d.RawFileSystem.SetAttr(c, in, out)
}

// Open implements fuse.RawFileSystem.
func (d *Drive) Open(c <-chan struct{}, in *fuse.OpenIn, out *fuse.OpenOut) fuse.Status {
	d.pass(Open)
	defer opened(out)
	return d.RawFileSystem.Open(c, in, out)
}

// Create implements fuse.RawFileSystem.
func (d *Drive) Create(c <-chan struct{}, in *fuse.CreateIn, name string, out *fuse.CreateOut) fuse.Status {
	d.pass(Create)
	defer opened(&out.OpenOut)
	return d.RawFileSystem.Create(c, in, name, out)
}

// Read implements fuse.RawFileSystem.
func (d *Drive) Read(c <-chan struct{}, in *fuse.ReadIn, buf []byte) (fuse.ReadResult, fuse.Status) {
	d.pass(Read)
	return d.RawFileSystem.Read(c, in, buf)
}

// Write implements fuse.RawFileSystem.
func (d *Drive) Write(c <-chan struct{}, in *fuse.WriteIn, data []byte) (uint32, fuse.Status) {
	d.pass(Write)
	return d.RawFileSystem.Write(c, in, data)
}

// Fsync implements fuse.RawFileSystem.
func (d *Drive) Fsync(c <-chan struct{}, in *fuse.FsyncIn) fuse.Status {
	d.pass(Fsync)
	d.mu.Lock()
	lost := d.lost
	d.mu.Unlock()
	if lost {
		return fuse.EIO
	}
	return d.RawFileSystem.Fsync(c, in)
}

// FsyncDir implements fuse.RawFileSystem.
func (d *Drive) FsyncDir(c <-chan struct{}, in *fuse.FsyncIn) fuse.Status {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.lost && !d.told {
		d.told = true
		return fuse.EIO
	}
	return fuse.OK
}

// Unlink implements fuse.RawFileSystem.
func (d *Drive) Unlink(c <-chan struct{}, h *fuse.InHeader, name string) fuse.Status {
	d.pass(Unlink)
	return d.RawFileSystem.Unlink(c, h, name)
}

// Rename implements fuse.RawFileSystem.
func (d *Drive) Rename(c <-chan struct{}, in *fuse.RenameIn, old, name string) fuse.Status {
	d.pass(Rename)
	return d.RawFileSystem.Rename(c, in, old, name)
}

// Mkdir implements fuse.RawFileSystem.
func (d *Drive) Mkdir(c <-chan struct{}, in *fuse.MkdirIn, name string, out *fuse.EntryOut) fuse.Status {
	d.pass(Mkdir)
	return d.RawFileSystem.Mkdir(c, in, name, out)
}

// ReadDir implements fuse.RawFileSystem.
func (d *Drive) ReadDir(c <-chan struct{}, in *fuse.ReadIn, out *fuse.DirEntryList) fuse.Status {
	d.pass(ReadDir)
	return d.RawFileSystem.ReadDir(c, in, out)
}

// ReadDirPlus implements fuse.RawFileSystem.
func (d *Drive) ReadDirPlus(c <-chan struct{}, in *fuse.ReadIn, out *fuse.DirEntryList) fuse.Status {
	d.pass(ReadDir)
	return d.RawFileSystem.ReadDirPlus(c, in, out)
}

// StatFs implements fuse.RawFileSystem.
func (d *Drive) StatFs(c <-chan struct{}, in *fuse.InHeader, out *fuse.StatfsOut) fuse.Status {
	d.pass(Statfs)
	return d.RawFileSystem.StatFs(c, in, out)
}
