package door

import "testing"

// Bodies that wait leave their room to others, and are bounded: what finds no room among those that
// wait stays where it was.
func TestWaitingBodiesAreBounded(t *testing.T) {
	g := newGate(Limited)
	const size = MaxBodies / 4
	var held []*Body
	for n := 0; ; n++ {
		b := (&Visitor{gate: g, place: &place{}}).Body()
		if !b.Reach(size/2) || !b.Reach(size) {
			break
		}
		if n > (MaxBodies+MaxWaitingBodies)/size {
			t.Fatal("there is no bound")
		}
		b.Wait()
		b.Wait()
		held = append(held, b)
	}
	if g.waiting.taken != MaxWaitingBodies || g.bodies.taken < MaxBodies/2 || g.bodies.taken > MaxBodies {
		t.Errorf("%d wait, %d are at work", g.waiting.taken, g.bodies.taken)
	}
	for _, b := range held {
		b.Leave()
	}
	if g.waiting.taken != 0 || g.bodies.taken > size {
		t.Errorf("afterwards %d wait, %d are at work", g.waiting.taken, g.bodies.taken)
	}
}
