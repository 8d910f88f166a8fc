package door

import (
	"fmt"
	"io"
	"net"
	"testing"
)

// knocks is a listener of connections that are there already, each of a process.
type knocks struct {
	net.Listener
	pids []int
}

type knock struct {
	net.Conn
	pid    int
	closed bool
}

func (k *knocks) Accept() (net.Conn, error) {
	if len(k.pids) == 0 {
		return nil, io.EOF
	}
	pid := k.pids[0]
	k.pids = k.pids[1:]
	return &knock{pid: pid}, nil
}

func (k *knock) Close() error { k.closed = true; return nil }

// TestANewcomerIsLetIn beside programs that take all connections that they get: first those
// that are served, then those that are told that there are too many.
func TestANewcomerIsLetIn(t *testing.T) {
	const each = 2000 // more than any has a place for
	for _, tt := range []struct{ programs, served, told int }{
		{0, 375, 24}, // the one that comes has all that one can have
		{1, 188, 12},
		{2, 94, 6},
		{10, 12, 1},
		{30, 3, 0},
		{60, 1, 0},
	} {
		t.Run(fmt.Sprint(tt.programs), func(t *testing.T) {
			k := &knocks{}
			d := &door{k, newGate(Limited), make(chan net.Conn, maxRefused), func(c net.Conn) int { return c.(*knock).pid }}
			come := func(pid int) (served, told int) {
				for range each {
					k.pids = append(k.pids, pid)
				}
				told = -len(d.refused)
				for {
					if _, err := d.Accept(); err != nil {
						return served, told + len(d.refused)
					}
					served++
				}
			}
			for pid := range tt.programs {
				come(1 + pid)
			}
			served, told := come(1 + tt.programs)
			if served < tt.served || told < tt.told {
				t.Errorf("%d are served, and %d told; want %d and %d", served, told, tt.served, tt.told)
			}
		})
	}
}
