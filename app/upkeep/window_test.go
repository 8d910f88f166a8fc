package upkeep

import "testing"

// Of several windows, one tells of an event, also when many events come.
func TestOneWindowTellsOfAnEvent(t *testing.T) {
	var c claims
	for seq := range int64(2 * maxClaims) {
		if !c.take(seq) || c.take(seq) {
			t.Fatalf("event %d was not claimed once", seq)
		}
	}
	if len(c.seqs) > maxClaims {
		t.Errorf("%d events are kept", len(c.seqs))
	}
}
