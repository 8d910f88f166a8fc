//go:build vm && linux

package suites_test

import (
	"net"
	"os"
	"path/filepath"
	"piwork/pack/spec"
	"regexp"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"piwork/scripts/lib/tier"
	"piwork/vmhost/qemu/qemutest"
	"piwork/vmhost/vm/suites/order"
)

// onPort is how /proc/mounts describes folders whose client speaks on the port
// itself: 3 is the port's descriptor in the pump. A socket to the pump has another.
var onPort = regexp.MustCompile(` 9p .*,rfd=3,wfd=3 `)

// The pack's kernel needs nobody to copy between its 9p client and the port.
func TestPortIsUsedDirectly(t *testing.T) {
	tier.Rest(t, "")
	qemutest.Needs(t, "a 9p client that speaks on the port itself", func(a spec.Abilities) bool { return a.DirectPort })
	m := boot(t, newHost(t), overPort, options{})
	m.mount(overPort)
	if mounts := m.mounts(); !onPort.Match(mounts) {
		t.Errorf("mounted otherwise: %s", mounts)
	}
}

func (m *machine) mounts() []byte {
	m.t.Helper()
	return m.order(order.Order{Do: order.Run, Argv: []string{"/init", "mounts"}, Bare: true, Limit: stall}).Out
}

// Who leaves while the guest works on the folders ends every call with an error,
// and takes the mount away.
func TestHostLeaves(t *testing.T) {
	tier.Rest(t, "")
	qemutest.Needs(t, "a 9p client on the port itself", func(a spec.Abilities) bool { return a.DirectPort })
	for name, waits := range map[string]bool{"at once": false, "after calls that have no answer": true} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t)
			h.large(loadSize)
			server := &leaving{gone: make(chan struct{})}
			m := boot(t, h, overPort, options{memoryMB: 512, port: func(c net.Conn) net.Conn { server.Conn = c; return server }})
			m.mount(overPort)
			go func() {
				<-time.After(2 * time.Second) // it works
				if waits {
					server.silent.Store(true)
					<-time.After(2 * time.Second) // readers are killed meanwhile
				}
				server.Close()
			}()
			r, err := m.try(order.Order{Do: order.Run, Argv: []string{"/init", "load", filepath.Join(folders, "rw")}, Bare: true, Limit: time.Minute})
			if err != nil {
				t.Fatalf("no answer: %v\n%s", err, m.Console().Tail())
			}
			if r.Exit == 0 || r.Limited {
				t.Errorf("ended with %d (endless: %v): %s", r.Exit, r.Limited, r.Out)
			}
			for limit := time.Now().Add(stall); ; <-time.After(50 * time.Millisecond) {
				mounts := m.mounts()
				if !onPort.Match(mounts) {
					break
				}
				if time.Now().After(limit) {
					t.Fatalf("the dead mount stays: %s", mounts)
				}
			}
		})
	}
}

// Who waits for room in the port hears of it, also when somebody else found it
// before the interrupt was there. A host that reads slowly keeps the port full.
func TestPortIsFull(t *testing.T) {
	tier.Rest(t, "")
	qemutest.Needs(t, "a 9p client on the port itself", func(a spec.Abilities) bool { return a.DirectPort })
	h := newHost(t)
	m := boot(t, h, overPort, options{memoryMB: 512, port: func(c net.Conn) net.Conn { return slow{c} }})
	m.mount(overPort)
	r := m.order(order.Order{Do: order.Run, Argv: []string{"/init", "crowd", filepath.Join(folders, "rw")}, Bare: true, Root: true, Limit: 2 * time.Minute})
	if r.Exit != 0 || r.Limited {
		t.Fatalf("ended with %d (endless: %v): %s", r.Exit, r.Limited, r.Out)
	}
	for i := range order.Crowd {
		b, err := os.ReadFile(h.path("rw/crowd" + strconv.Itoa(i)))
		if err != nil || len(b) != order.CrowdPiece || b[order.CrowdPiece-1] != order.Byte(order.CrowdPiece-1) {
			t.Fatalf("file %d has %d bytes, %v", i, len(b), err)
		}
	}
}

// slow is a connection whose reader takes its time.
type slow struct{ net.Conn }

func (s slow) Read(b []byte) (int, error) {
	<-time.After(time.Millisecond)
	return s.Conn.Read(b[:min(len(b), 32<<10)])
}

// leaving is a connection that can become silent before it ends.
type leaving struct {
	net.Conn
	silent atomic.Bool
	gone   chan struct{}
	once   sync.Once
}

func (l *leaving) Write(b []byte) (int, error) {
	if l.silent.Load() {
		<-l.gone
		return 0, net.ErrClosed
	}
	return l.Conn.Write(b)
}

func (l *leaving) Close() error {
	l.once.Do(func() { close(l.gone) })
	return l.Conn.Close()
}
