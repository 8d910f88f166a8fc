package terminal

import (
	"testing"
	"time"
)

func TestFetchedWords(t *testing.T) {
	for _, tt := range []struct {
		done, total, rate, eta int64
		want                   string
	}{
		{12e6, 0, 0, -1, "12 MB"},
		{12e6, 30e6, 0, -1, "12 MB of 30 MB"},
		{12e6, 30e6, 4e6, 5, "12 MB of 30 MB, 4 MB/s, about 5 s left"},
		{12e6, 30e6, 4e6, 0, "12 MB of 30 MB, 4 MB/s"},
		{10e6, 30e6, 1e6, -1, "10 MB of 30 MB, 1 MB/s, about 20 s left"},
		{0, 30e6, 1e5, -1, "0 B of 30 MB, 100 kB/s, about 5 min left"},
		{0, 9e9, 1e6, -1, "0 B of 9 GB, 1 MB/s, about 3 h left"},
		{30e6, 30e6, 1e6, -1, "30 MB of 30 MB, 1 MB/s"},
	} {
		if got := fetchedWords(tt.done, tt.total, tt.rate, tt.eta); got != tt.want {
			t.Errorf("%d of %d: %q, want %q", tt.done, tt.total, got, tt.want)
		}
	}
}

// A speed is that of the last seconds, and a fresh start is none.
func TestPace(t *testing.T) {
	var p pace
	now := time.Unix(0, 0)
	var got int64
	run := func(seconds int, perSecond int64) {
		for range seconds * 2 {
			now = now.Add(time.Second / 2)
			got = p.add(now, p.done+perSecond/2)
		}
	}
	if got = p.add(now, 0); got != 0 {
		t.Errorf("at once: %d", got)
	}
	run(5, 1e6)
	if got != 1e6 {
		t.Errorf("steady: %d", got)
	}
	run(30, 4e6)
	if got < 3.9e6 || got > 4e6 {
		t.Errorf("after a change: %d", got)
	}
	if got = p.add(now.Add(time.Millisecond), p.done+9e6); got < 3.9e6 || got > 4e6 {
		t.Errorf("a jump within a moment: %d", got)
	}
	if got = p.add(now.Add(time.Second), 0); got != 0 {
		t.Errorf("started again: %d", got)
	}
}
