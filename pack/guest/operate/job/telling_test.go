package job

import (
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"
)

// fullShare answers as a full share does: first with nothing, then with why.
type fullShare struct{ calls int }

func (f *fullShare) Write([]byte) (int, error) {
	if f.calls++; f.calls == 1 {
		return 0, io.ErrUnexpectedEOF
	}
	return 0, syscall.ENOSPC
}

func TestFullShareIsNamed(t *testing.T) {
	if _, err := CopyLarge(&fullShare{}, strings.NewReader("a page")); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("copy: %v, want ENOSPC", err)
	}
}
