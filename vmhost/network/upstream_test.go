package network

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"testing"
	"time"

	"piwork/vmhost/network/policy"
)

// The socket itself is checked, whatever was checked before it.
func TestSocketIsCheckedBeforeItConnects(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	to := l.Addr().(*net.TCPAddr).AddrPort()
	u := &upstream{}
	_, err = u.dialOne(context.Background(), to.Addr(), to.Port(), time.Minute, func(a netip.Addr) policy.Verdict {
		return policy.Verdict{Answer: policy.Refuse, Reason: policy.Kind(a)}
	})
	if no, is := errors.AsType[*forbidden](err); !is || no.reason != policy.KindLoopback {
		t.Errorf("%v", err)
	}
	l.(*net.TCPListener).SetDeadline(time.Now().Add(50 * time.Millisecond))
	if c, err := l.Accept(); err == nil {
		c.Close()
		t.Error("it was connected to")
	}
}

func TestAddressesAreRememberedForAWhile(t *testing.T) {
	w, clock := newWorld(t), newClock()
	u := &upstream{resolver: w, now: clock.now, cache: map[string]resolved{}}
	w.names["good.example"] = []netip.Addr{netip.MustParseAddr("93.184.215.14")}
	look := func(name string) error { _, err := u.lookup(context.Background(), name); return err }
	for range 3 {
		if err := look("good.example"); err != nil {
			t.Fatal(err)
		}
		if err := look("gone.example"); err == nil {
			t.Fatal("found")
		}
	}
	if len(w.looked) != 2 {
		t.Errorf("looked up %v", w.looked)
	}
	clock.pass(unresolvedFor)
	if look("gone.example"); len(w.looked) != 3 {
		t.Errorf("looked up %v", w.looked)
	}
	clock.pass(resolvedFor)
	if look("good.example"); len(w.looked) != 4 {
		t.Errorf("looked up %v", w.looked)
	}
	for i := range 3 * maxRemembered {
		look(string(rune('a'+i%26)) + string(rune('a'+i/26%26)) + string(rune('a'+i/676)) + ".example")
	}
	if len(u.cache) > maxRemembered {
		t.Errorf("%d names are remembered", len(u.cache))
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := u.lookup(ended, "other.example"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, ok := u.cache["other.example"]; ok {
		t.Error("what nobody waited for is remembered")
	}
}

func TestOwnAddressesAreThoseOfTheCards(t *testing.T) {
	own := whereHostIs()
	for _, a := range own.Addrs {
		if !a.IsValid() || a.Is4In6() || !slices.ContainsFunc(own.Near, func(p netip.Prefix) bool { return p.Contains(a) }) {
			t.Errorf("%v of %v", a, own.Near)
		}
	}
	if len(own.Addrs) == 0 {
		t.Error("there is not even a loopback")
	}
}
