//go:build vm && linux

package suites_test

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"piwork/pack/packtest"
	"piwork/scripts/lib/tier"
	"piwork/vmhost/vm/suites/order"
)

// counted is a connection that counts what the guest sends.
type counted struct {
	net.Conn
	got atomic.Int64
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.got.Add(int64(n))
	return n, err
}

// What a program reads at once is asked for at once, although nothing is cached: the
// kernel's patch (9p-virtio-takes-all-pages) is in it.
func TestDeviceRequestsAreLarge(t *testing.T) {
	tier.Rest(t, "")
	packtest.Needs9P(t)
	const size = 8 * order.LargePiece
	h := newHost(t)
	h.large(size)
	var c counted
	m := boot(t, h, over9P, options{memoryMB: 512, conn: func(conn net.Conn) net.Conn { c.Conn = conn; return &c }})
	m.mount(over9P)
	before := c.got.Load()
	r := m.order(order.Order{
		Do: order.Run, Argv: []string{"/init", "load", "once", filepath.Join(folders, "rw", order.LoadFile)}, Bare: true, Limit: stall,
	})
	if r.Exit != 0 {
		t.Fatalf("%s", r.Out)
	}
	// A Tread has 23 bytes. There are three for each piece, some calls around them, and
	// would be 2,048 of 4 KiB.
	if got := c.got.Load() - before; got > 100*23 {
		t.Errorf("the guest sent %d bytes to read %d", got, size)
	}
}

// A server that ends takes nothing else with it: every call on the folders has an error,
// the machine goes on, and what is dead can be unmounted.
func TestDeviceServerLeaves(t *testing.T) {
	tier.Rest(t, "")
	packtest.Needs9P(t)
	for name, waits := range map[string]bool{"at once": false, "after calls that have no answer": true} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t)
			h.large(loadSize)
			server := &leaving{gone: make(chan struct{})}
			m := boot(t, h, over9P, options{memoryMB: 512, conn: func(c net.Conn) net.Conn { server.Conn = c; return server }})
			m.mount(over9P)
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
				t.Fatalf("no answer: %v\n%s", err, m.state())
			}
			if r.Exit == 0 || r.Limited {
				t.Errorf("ended with %d (endless: %v): %s", r.Exit, r.Limited, r.Out)
			}
			m.order(order.Order{Do: order.Unmount, Limit: stall})
			if mounts := string(m.mounts()); strings.Contains(mounts, folders) {
				t.Errorf("the dead mount stays: %s", mounts)
			}
			if b, err := os.ReadFile(h.path("ro/file")); err != nil || string(b) != "content of ro/file" {
				t.Errorf("%q, %v", b, err)
			}
		})
	}
}

// Who waits for room in the device's ring hears of it. A host that reads slowly keeps it
// full.
func TestDeviceIsFull(t *testing.T) {
	tier.Rest(t, "")
	packtest.Needs9P(t)
	h := newHost(t)
	m := boot(t, h, over9P, options{memoryMB: 512, conn: func(c net.Conn) net.Conn { return slow{c} }})
	m.mount(over9P)
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

func (m *machine) mounts() []byte {
	m.t.Helper()
	return m.order(order.Order{Do: order.Run, Argv: []string{"/init", "mounts"}, Bare: true, Limit: stall}).Out
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
