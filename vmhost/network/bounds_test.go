package network

import (
	"fmt"
	"io"
	"net"
	"testing"
	"time"

	"gvisor.dev/gvisor/pkg/tcpip/adapters/gonet"

	"piwork/vmhost/network/policy"
)

func TestConnectionsAreBounded(t *testing.T) {
	w := newWorld(t)
	w.serve("good.example", "93.184.215.14", 7777, echo)
	g := boot(t, w, with(t, w, restricted(t, "good.example:7777", "")))
	a, _ := g.lookup("good.example")
	var all []*gonet.TCPConn
	for i := range maxConnections {
		c, err := g.dialAddr(a, 7777)
		if err != nil {
			t.Fatalf("connection %d: %v", i, err)
		}
		all = append(all, c)
	}
	c, err := g.dialAddr(a, 7777)
	if err := refused(c, err); err != nil {
		t.Error(err)
	}
	for _, c := range all {
		if err := says(c, "hello"); err != nil {
			t.Fatal(err)
		}
		c.Close()
	}
	waitFor(t, "free places", func() bool {
		c, err := g.dialAddr(a, 7777)
		if err != nil {
			return false
		}
		defer c.Close()
		return says(c, "hello") == nil
	})
}

func TestWhoWaitsLeavesPlacesForOthers(t *testing.T) {
	g, p, _ := asking(t, "new.example:7777")
	a, _ := g.lookup("slow.example")
	results := make(chan dialled, 2*maxWaiting)
	for range 2 * maxWaiting {
		go func() { results <- <-g.inBackground(a, 7777) }()
	}
	for range maxWaiting {
		if err := (<-results).refused(); err != nil {
			t.Error(err)
		}
	}
	c, err := g.dial("new.example", 7777)
	if err != nil || says(c, "hello") != nil {
		t.Error(err)
	}
	g.n.SetRules(mustRules(t, "", "slow.example"))
	for range maxWaiting {
		if err := (<-results).refused(); err != nil {
			t.Error(err)
		}
	}
	if len(p.asked) != 1 {
		t.Errorf("%d questions", len(p.asked))
	}
}

// What is remembered of what was told cannot grow with what a guest does.
func TestEventsAreBounded(t *testing.T) {
	told, clock := 0, newClock()
	c := newTeller(clock.now, func(Event) { told++ })
	storm := func() {
		for i := range 3 * maxRemembered {
			c.event(Refused, policy.Target{Name: fmt.Sprintf("r%d.example", i), Port: 443}, "rule")
		}
	}
	storm()
	if len(c.told) != maxRemembered || told != maxRemembered {
		t.Errorf("%d events are remembered, told %d times", len(c.told), told)
	}
	clock.pass(time.Minute)
	storm()
	if len(c.told) != maxRemembered || told != 2*maxRemembered {
		t.Errorf("a minute later %d events are remembered, told %d times", len(c.told), told)
	}
}

func BenchmarkDownload(b *testing.B) {
	for _, mtu := range []int{1500, 9000, 65520} {
		b.Run(fmt.Sprint(mtu), func(b *testing.B) {
			w := newWorld(b)
			w.serve("good.example", "93.184.215.14", 7777, func(c net.Conn) {
				for buf := make([]byte, 1<<20); ; {
					if _, err := c.Write(buf); err != nil {
						return
					}
				}
			})
			config := restricted(b, "good.example:7777", "")
			config.MTU = mtu
			g := boot(b, w, with(b, w, config))
			c, err := g.dial("good.example", 7777)
			if err != nil {
				b.Fatal(err)
			}
			defer c.Close()
			b.SetBytes(1 << 20)
			for b.Loop() {
				if _, err := io.CopyN(io.Discard, c, 1<<20); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
