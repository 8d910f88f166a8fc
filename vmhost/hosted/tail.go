package hosted

import (
	"strings"
	"sync"
)

// maxTail is how much a Tail keeps, in bytes.
const maxTail = 8 << 10

// Tail keeps the end of what is written to it: what a place said last.
type Tail struct {
	mu  sync.Mutex
	buf []byte
}

// Write implements io.Writer.
func (t *Tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, b...)
	if n := len(t.buf) - maxTail; n > 0 {
		t.buf = append(t.buf[:0], t.buf[n:]...)
	}
	return len(b), nil
}

// String is valid UTF-8.
func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(strings.ToValidUTF8(string(t.buf), "\uFFFD"))
}
