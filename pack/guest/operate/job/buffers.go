package job

import (
	"bufio"
	"os"

	"piwork/pack/tools/picture"
)

// BufferSize is how many bytes are read at a time.
const BufferSize = picture.BufferSize

// freeBuffers are for the next who needs one: many small files are not worth a large
// buffer each, and memory that was written to before need not be had from the kernel.
var freeBuffers = make(chan []byte, 3)

// takeBuffer returns BufferSize bytes, of any content.
func takeBuffer() []byte {
	select {
	case b := <-freeBuffers:
		return b
	default:
		return make([]byte, BufferSize)
	}
}

// giveBuffer is for one that nobody uses any more.
func giveBuffer(b []byte) {
	select {
	case freeBuffers <- b:
	default:
	}
}

// prepareBuffers has the memory of as many as an operation uses at once.
func prepareBuffers() {
	for range cap(freeBuffers) {
		b := make([]byte, BufferSize)
		for i := 0; i < len(b); i += os.Getpagesize() {
			b[i] = 1
		}
		giveBuffer(b)
	}
	r := bufio.NewReaderSize(&endless{}, BufferSize)
	_, _ = r.Peek(BufferSize) // all of it
	giveReader(r)
}

// endless gives zeros.
type endless struct{}

func (*endless) Read(b []byte) (int, error) { clear(b); return len(b), nil }
