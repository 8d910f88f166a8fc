package remote

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// The end of a place is confirmed when its holder let go, and not when that takes too long.
func TestAwaitEnd(t *testing.T) {
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	dial := func() net.Conn {
		t.Helper()
		c, err := net.Dial("unix", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		return c
	}
	held := dial()
	there, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	if err := awaitEnd(held, 20*time.Millisecond); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("it is held: %v", err)
	}
	there.Close()
	if err := awaitEnd(held, time.Minute); err != nil {
		t.Errorf("it was let go: %v", err)
	}
	waits := dial()
	l.Close()
	if err := awaitEnd(waits, time.Minute); err != nil {
		t.Errorf("it was never accepted: %v", err)
	}
}
