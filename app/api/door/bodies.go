package door

// MaxBodies is what bodies have together that are larger than MaxBody, in bytes: they are in memory
// until their operations are over, and what is made of one can be many times as large.
const MaxBodies = 128 << 20

// MaxWaitingBodies is the same of those whose operations wait for a person or a program. A body for
// which there is no room among them stays among the others.
const MaxWaitingBodies = 512 << 20

// Body is the room that a large body takes. It is for one goroutine.
type Body struct {
	gate  *gate
	of    account
	in    *room
	bytes int64
}

// Body begins to count one, which has no room yet.
func (v *Visitor) Body() *Body {
	return &Body{gate: v.gate, of: v.account(), in: &v.gate.bodies}
}

// Reach has room for so many bytes in all, or reports that there is none.
func (b *Body) Reach(bytes int64) (room bool) {
	if b.in.take(b.of, int(bytes-b.bytes)) != nil {
		return false
	}
	b.bytes = bytes
	return true
}

// Wait says that the body was decoded, and what is made of it waits.
func (b *Body) Wait() {
	if w := &b.gate.waiting; b.in != w && w.take(b.of, int(b.bytes)) == nil {
		b.in.give(b.of, int(b.bytes))
		b.in = w
	}
}

// Leave gives the room back.
func (b *Body) Leave() { b.in.give(b.of, int(b.bytes)) }
