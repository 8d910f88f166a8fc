package vhostuser_test

import (
	"bytes"
	"fmt"
	"testing"

	"piwork/vmhost/share/virtiofs/vhostuser/vhostusertest"
)

// Requests that wait for something do not hold up the next ones, one by one or
// all at once, and each gets its own answer in the end.
func TestRequestsThatWait(t *testing.T) {
	release := make(chan struct{})
	d := serve(t, func(read, write [][]byte) ([]byte, int) {
		if bytes.HasPrefix(read[0], []byte("wait")) {
			<-release
		}
		return bytes.Clone(read[0]), 0
	})
	d.up()
	var waiting []*vhostusertest.Call
	for i := range 20 {
		waiting = append(waiting, d.Rings[1].Go(fmt.Appendf(nil, "wait %d", i), 100))
		if i%5 != 0 {
			continue // these come while the one before is dealt with
		}
		if got, err := d.Rings[1].Do([]byte("now"), 100); err != nil || string(got) != "now" {
			t.Fatalf("after %d: %q %v", i, got, err)
		}
	}
	close(release)
	for i, c := range waiting {
		if got, err := c.Wait(vhostusertest.Patience); err != nil || string(got) != fmt.Sprint("wait ", i) {
			t.Errorf("%d: %q %v", i, got, err)
		}
	}
	d.cancel()
	if err := d.end(); err != nil {
		t.Error(err)
	}
}

// Rings are stopped and started again and again while they are used.
func TestStopsWhileBusy(t *testing.T) {
	d := serve(t, echo)
	d.up()
	for range 50 {
		var calls []*vhostusertest.Call
		for range 3 {
			calls = append(calls, d.Rings[1].Go([]byte("x"), 100))
		}
		d.Start(d.Stop()...)
		for _, c := range calls {
			if got, err := c.Wait(vhostusertest.Patience); err != nil || string(got) != "you said: x" {
				t.Fatalf("%q %v", got, err)
			}
		}
	}
	d.cancel()
	if err := d.end(); err != nil {
		t.Error(err)
	}
}
