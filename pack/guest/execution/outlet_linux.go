package execution

import (
	"errors"
	"os"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// outlet is a pipe or terminal from which a program's output is read, by one goroutine.
// Others can wait until what is in it was taken.
type outlet struct {
	file *os.File
	raw  syscall.RawConn

	mu     sync.Mutex // held from the read of some bytes to when they were taken
	more   *sync.Cond // taken or closed changed
	taken  int64      // bytes
	closed bool
}

func newOutlet(f *os.File) *outlet {
	o := &outlet{file: f}
	o.more = sync.NewCond(&o.mu)
	o.raw, _ = f.SyscallConn() // of an open file
	return o
}

// read waits for some bytes and has take take what is there, as io.Reader says of n and err.
func (o *outlet) read(buf []byte, take func([]byte)) (n int, err error) {
	try := func(fd uintptr) bool {
		o.mu.Lock()
		defer o.mu.Unlock()
		n, err = readOnce(int(fd), buf)
		if errors.Is(err, unix.EAGAIN) {
			n, err = 0, nil
			return false
		}
		for more := n; more > 0 && n < len(buf); n += max(more, 0) { // many small writes are one message
			more, _ = readOnce(int(fd), buf[n:]) // an error comes again
		}
		if n > 0 {
			take(buf[:n])
			o.taken += int64(n)
			o.more.Broadcast()
		}
		return true
	}
	failed := o.raw.Read(try)
	if errors.Is(failed, os.ErrDeadlineExceeded) { // also where something is there, which nobody had the time to read
		some := false
		if o.raw.Control(func(fd uintptr) { some = try(fd) }) == nil && some {
			failed = nil
		}
	}
	if failed != nil {
		return 0, failed
	}
	if n <= 0 && err == nil {
		err = os.ErrClosed // everybody who could write has closed it
	}
	return max(n, 0), err
}

func readOnce(fd int, buf []byte) (n int, err error) {
	for {
		if n, err = unix.Read(fd, buf); !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}

// settle waits until everything that is in the outlet now was taken.
func (o *outlet) settle() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return
	}
	waiting := 0
	_ = o.raw.Control(func(fd uintptr) { // of one that is not closed
		waiting, _ = unix.IoctlGetInt(int(fd), unix.TIOCINQ)
	})
	for until := o.taken + int64(waiting); o.taken < until && !o.closed; {
		o.more.Wait()
	}
}

// close ends the outlet, with all that is left in it.
func (o *outlet) close() {
	o.mu.Lock()
	o.closed = true
	o.more.Broadcast()
	o.mu.Unlock()
	_ = o.file.Close() // nothing was written
}
