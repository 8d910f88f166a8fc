package network

import (
	"container/list"
	"net/netip"
	"sync"
	"time"
)

// Bounds of the names of one machine.
const (
	maxNames  = 4096
	bindingIs = time.Hour // how long an address stays its name's after the last use
)

// names gives every name that the guest asks for an address of its own. They are
// one to one: what the guest connects to says which name it means.
//
// When there are too many, the one not used for the longest time goes. Its address
// belongs to no other name before all other addresses were given away.
type names struct {
	pool netip.Prefix
	now  func() time.Time

	mu     sync.Mutex
	next   netip.Addr
	byName map[string]*list.Element
	byAddr map[netip.Addr]*list.Element
	used   *list.List // of *binding, latest first
}

type binding struct {
	name string
	addr netip.Addr
	last time.Time
}

func newNames(pool netip.Prefix, now func() time.Time) *names {
	return &names{pool: pool.Masked(), now: now, next: pool.Masked().Addr().Next(),
		byName: map[string]*list.Element{}, byAddr: map[netip.Addr]*list.Element{}, used: list.New()}
}

// address is the address of a name, a new one if it has none.
func (n *names) address(name string) netip.Addr {
	n.mu.Lock()
	defer n.mu.Unlock()
	if e := n.byName[name]; e != nil && n.touch(e) {
		return e.Value.(*binding).addr
	}
	if n.used.Len() >= maxNames {
		n.drop(n.used.Back())
	}
	for n.byAddr[n.next] != nil || !n.host(n.next) {
		n.step()
	}
	b := &binding{name: name, addr: n.next, last: n.now()}
	n.step()
	e := n.used.PushFront(b)
	n.byName[name], n.byAddr[b.addr] = e, e
	return b.addr
}

// name is the name that an address was given for.
func (n *names) name(a netip.Addr) (string, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	e := n.byAddr[a]
	if e == nil || !n.touch(e) {
		return "", false
	}
	return e.Value.(*binding).name, true
}

// touch says that a binding is in use, unless its time is over. mu is held.
func (n *names) touch(e *list.Element) bool {
	b, now := e.Value.(*binding), n.now()
	if now.Sub(b.last) > bindingIs {
		n.drop(e)
		return false
	}
	b.last = now
	n.used.MoveToFront(e)
	return true
}

// drop ends a binding. mu is held.
func (n *names) drop(e *list.Element) {
	b := n.used.Remove(e).(*binding)
	delete(n.byName, b.name)
	delete(n.byAddr, b.addr)
}

func (n *names) step() {
	if n.next = n.next.Next(); !n.pool.Contains(n.next) {
		n.next = n.pool.Addr().Next()
	}
}

// host is false for addresses that look like those of a whole net to some.
func (n *names) host(a netip.Addr) bool {
	last := a.As4()[3]
	return last != 0 && last != 255
}
