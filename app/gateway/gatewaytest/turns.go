package gatewaytest

import (
	"fmt"
	"strings"
	"time"
)

// Paced is an answer of n parts of a few letters with a pause between them, as a
// model writes.
func Paced(n int, pause time.Duration) Turn {
	t := Turn{Pause: pause}
	for i := range n {
		t.Parts = append(t.Parts, fmt.Sprintf("word%d ", i))
	}
	return t
}

// Bulk is an answer of at least so many bytes, as fast as they are taken.
func Bulk(bytes int) Turn {
	const size = 16 << 10
	part := strings.Repeat("0123456789abcdef", size/16)
	t := Turn{}
	for range max(1, (bytes+size-1)/size) {
		t.Parts = append(t.Parts, part)
	}
	return t
}
