//go:build vm && linux

package suites_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"piwork/pack/packtest"
	"piwork/scripts/lib/tier"
	"piwork/vmhost/vm/suites/order"
)

// loadSize is the length of the file that is copied, in bytes; it ends with no page.
// So many copies at once fill the queue of the device.
const loadSize = 16<<20 + 4321

// Whatever happens at the same time, every byte arrives, and everything ends: the
// machine is even stopped and goes on in the middle of it.
func TestLoad(t *testing.T) {
	tier.Rest(t, "")
	size := loadSize
	if s := os.Getenv("PIWORK_LOAD_SIZE"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		size = n
	}
	for _, how := range []frontEnd{over9P, overDevice} {
		t.Run(string(how), func(t *testing.T) {
			if how == over9P {
				packtest.Needs9P(t)
			}
			h := newHost(t)
			content := h.large(size)
			m := boot(t, h, how, options{memoryMB: 512})
			m.mount(how)
			stop := make(chan struct{})
			paused := make(chan error, 1)
			go func() { paused <- m.pauseNowAndThen(t, stop) }()
			r := m.order(order.Order{Do: order.Run, Argv: []string{"/init", "load", filepath.Join(folders, "rw")}, Bare: true, Limit: 8 * time.Minute})
			close(stop)
			if err := <-paused; err != nil {
				t.Error(err)
			}
			if r.Exit != 0 || r.Limited {
				t.Fatalf("ended with %d (endless: %v): %s", r.Exit, r.Limited, r.Out)
			}
			for i := range order.LoadCopies {
				b, err := os.ReadFile(h.path("rw/" + order.LoadCopy + strconv.Itoa(i)))
				if err != nil || !bytes.Equal(b, content) {
					t.Errorf("copy %d has %d bytes and is another file, %v", i, len(b), err)
				}
			}
			if left, err := filepath.Glob(h.path("rw/small*")); err != nil || len(left) > 0 {
				t.Errorf("left %q, %v", left, err)
			}
		})
	}
}

// large makes the file that is copied.
func (h *host) large(size int) []byte {
	h.t.Helper()
	content := make([]byte, size)
	_, err := rand.Read(content)
	h.check(errors.Join(err, os.WriteFile(h.path("rw/"+order.LoadFile), content, 0o644)))
	return content
}

// pauseNowAndThen stops the machine's processors for a moment, again and again.
func (m *machine) pauseNowAndThen(t *testing.T, stop chan struct{}) error {
	for {
		select {
		case <-stop:
			return nil
		case <-time.After(500 * time.Millisecond):
		}
		if err := m.Pause(t.Context()); err != nil {
			return err
		}
		<-time.After(100 * time.Millisecond)
		if err := m.Resume(t.Context()); err != nil {
			return err
		}
	}
}
