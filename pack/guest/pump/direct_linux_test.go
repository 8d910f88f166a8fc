package pump

import (
	"io"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// While the kernel speaks on the port, the pump's end says how the mount ended.
func TestWatch(t *testing.T) {
	for name, tt := range map[string]struct {
		path string
		do   func(client, host io.Closer) error
		want int
	}{
		"unmounted":          {t.TempDir(), func(client, _ io.Closer) error { return client.Close() }, 0},
		"the host left":      {t.TempDir(), func(_, host io.Closer) error { return host.Close() }, 1},
		"the client gave up": {filepath.Join(t.TempDir(), "gone"), func(client, _ io.Closer) error { return client.Close() }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			ours, client := socket(t)
			port, host := socket(t)
			code := make(chan int, 1)
			go func() { code <- watch(ours, port, tt.path) }()
			if err := tt.do(client, host); err != nil {
				t.Fatal(err)
			}
			select {
			case got := <-code:
				if got != tt.want {
					t.Errorf("exit code %d, want %d", got, tt.want)
				}
			case <-time.After(10 * time.Second):
				t.Error("it goes on")
			}
		})
	}
}

// Data on the port is the kernel's, and none of the pump's business.
func TestWatchLeavesThePort(t *testing.T) {
	ours, client := socket(t)
	port, host := socket(t)
	if _, err := host.Write([]byte("answer")); err != nil {
		t.Fatal(err)
	}
	code := make(chan int, 1)
	go func() { code <- watch(ours, port, t.TempDir()) }()
	client.Close()
	if got := <-code; got != 0 {
		t.Errorf("exit code %d", got)
	}
	buf := make([]byte, 10)
	if n, err := unix.Read(port, buf); err != nil || string(buf[:n]) != "answer" {
		t.Errorf("%q, %v", buf[:max(n, 0)], err)
	}
}

// A client that writes to the socket speaks to nobody.
func TestWatchNonsense(t *testing.T) {
	ours, client := socket(t)
	port, _ := socket(t)
	if _, err := client.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if got := watch(ours, port, t.TempDir()); got != 1 {
		t.Errorf("exit code %d", got)
	}
}

// What is no 9p mount takes no port.
func TestHandOverRefused(t *testing.T) {
	dir := t.TempDir()
	if canHandOver(dir) {
		t.Error("a directory takes a port")
	}
	if err := handOver(dir, 1); err == nil {
		t.Error("no error")
	}
}
