package agent

import (
	"testing"
	"time"
)

func TestPatience(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	const limit = 8 * time.Minute // looked at every minute
	for _, row := range []struct {
		name  string
		looks []time.Duration // since the one before
		heard map[int]bool    // at which look
		over  int             // at which look it ends, -1 for never
	}{
		{"nothing is heard", []time.Duration{time.Minute, time.Minute, time.Minute, time.Minute, time.Minute, time.Minute, time.Minute, time.Minute}, nil, 7},
		{"something is heard", []time.Duration{time.Minute, time.Minute, time.Minute, time.Minute, time.Minute, time.Minute, time.Minute, time.Minute}, map[int]bool{1: true}, -1},
		{"the computer slept", []time.Duration{time.Minute, 9 * time.Hour, time.Minute, time.Minute}, nil, -1},
		{"and nothing is heard afterwards, either", []time.Duration{time.Minute, 9 * time.Hour, time.Minute, time.Minute, time.Minute, time.Minute, time.Minute, time.Minute}, nil, 6},
		{"a clock that goes back", []time.Duration{time.Minute, -time.Hour, time.Minute}, nil, -1},
		{"a busy computer looks late", []time.Duration{2 * time.Minute, 2 * time.Minute, 2 * time.Minute, 2 * time.Minute}, nil, 3},
	} {
		p := Patience{limit: limit, at: start}
		now, over := start, -1
		for i, d := range row.looks {
			now = now.Add(d)
			if p.Over(now, row.heard[i]) {
				over = i
				break
			}
		}
		if over != row.over {
			t.Errorf("%s: over at look %d, want %d", row.name, over, row.over)
		}
	}
}
