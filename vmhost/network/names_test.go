package network

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestNamesAreOneToOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := newClock()
		n := newNames(netip.MustParsePrefix("198.19.0.0/24"), c.now)
		of := map[string]netip.Addr{} // what the guest remembers
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			name := fmt.Sprintf("n%d.example", rapid.IntRange(0, 9).Draw(t, "name"))
			switch rapid.IntRange(0, 2).Draw(t, "step") {
			case 0:
				a := n.address(name)
				if back, ok := n.name(a); !ok || back != name {
					t.Fatalf("%s has %v, which is of %q", name, a, back)
				}
				of[name] = a
			case 1:
				if a, ok := of[name]; ok {
					if back, ok := n.name(a); ok && back != name {
						t.Fatalf("%v was %s's and is %s's", a, name, back)
					}
				}
			case 2:
				c.pass(time.Duration(rapid.IntRange(1, 40).Draw(t, "minutes")) * time.Minute)
			}
		}
	})
}

func TestNamesAreBounded(t *testing.T) {
	c := newClock()
	n := newNames(namesPool, c.now)
	kept := n.address("kept.example")
	first := n.address("n0.example")
	for i := range 2 * maxNames {
		n.address(fmt.Sprintf("n%d.example", i))
		n.name(kept) // is in use
	}
	if got, ok := n.name(kept); !ok || got != "kept.example" {
		t.Error("a name that is in use went")
	}
	if got, ok := n.name(first); ok {
		t.Errorf("the address of a name that went is that of %s", got)
	}
	if len(n.byName) != maxNames || len(n.byAddr) != maxNames || n.used.Len() != maxNames {
		t.Errorf("%d names, %d addresses, %d uses", len(n.byName), len(n.byAddr), n.used.Len())
	}
}

func TestNamesEnd(t *testing.T) {
	c := newClock()
	n := newNames(namesPool, c.now)
	a := n.address("a.example")
	c.pass(bindingIs)
	if _, ok := n.name(a); !ok {
		t.Error("ended too early")
	}
	c.pass(bindingIs)
	if n.address("a.example") != a {
		t.Error("moved while it was in use")
	}
	c.pass(bindingIs + time.Second)
	if got, ok := n.name(a); ok {
		t.Errorf("still that of %s", got)
	}
	if b := n.address("b.example"); b == a {
		t.Error("used again at once")
	}
}
