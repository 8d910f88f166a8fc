package job

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"sync"
	"sync/atomic"
)

// besideFrom is how much of a write, in bytes, is worth another goroutine: waking
// one takes as long as to hash some kilobytes.
const besideFrom = 64 << 10

// besideBuffers is how many pieces are under way: one that is written and one that
// is filled meanwhile.
const besideBuffers = 2

// beside writes to w while its caller reads on: a share is waited for, and a sum
// is computed, at the same time. Small writes, before any large one, are passed on
// at once. What went wrong is said by a later Write, at the latest by Close.
type beside struct {
	w      io.Writer
	work   chan passage  // nil while there was no large write
	free   chan []byte   // buffers that are not under way
	over   chan struct{} // closed when the goroutine has ended
	failed atomic.Pointer[error]
	close  sync.Once
}

// passage is the beginning of a buffer.
type passage struct {
	buf []byte
	n   int
}

func newBeside(w io.Writer) *beside { return &beside{w: w} }

// Write implements io.Writer.
func (b *beside) Write(p []byte) (int, error) {
	if b.work == nil {
		if len(p) < besideFrom {
			return b.w.Write(p)
		}
		b.start()
	}
	for rest := p; len(rest) > 0; {
		buf := <-b.free
		if err := b.err(); err != nil {
			b.free <- buf
			return len(p) - len(rest), err
		}
		n := copy(buf, rest)
		b.work <- passage{buf, n}
		rest = rest[n:]
	}
	return len(p), nil
}

// start has what follows written beside the caller.
func (b *beside) start() {
	b.work, b.free, b.over = make(chan passage, besideBuffers), make(chan []byte, besideBuffers), make(chan struct{})
	for range besideBuffers {
		b.free <- takeBuffer()
	}
	go func() {
		defer close(b.over)
		for p := range b.work {
			if b.err() == nil {
				if _, err := b.w.Write(p.buf[:p.n]); err != nil {
					b.failed.Store(&err)
				}
			}
			b.free <- p.buf
		}
	}()
}

func (b *beside) err() error {
	if err := b.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// Close waits until all is written, and says what went wrong. Nothing is written
// after it; it may be called again.
func (b *beside) Close() error {
	if b.work == nil {
		return nil
	}
	b.close.Do(func() {
		close(b.work)
		<-b.over
		for range besideBuffers {
			giveBuffer(<-b.free)
		}
	})
	return b.err()
}

// Digest reads to the end, and returns the SHA-256 and the number of bytes.
func Digest(r io.Reader) (sum string, n int64, err error) {
	h := sha256.New()
	aside := newBeside(h)
	n, err = CopyLarge(aside, r)
	err = errors.Join(err, aside.Close())
	return hex.EncodeToString(h.Sum(nil)), n, err
}
