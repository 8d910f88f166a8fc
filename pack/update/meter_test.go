package update

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// The rate is smooth, right from the start, and honest about a stop.
func TestMeter(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	const total = 100 << 20
	m := newMeter(0, total, 7, now)
	if p := m.at(now); p.Rate != 0 || p.Reused != 7 {
		t.Errorf("in the beginning: %+v", p)
	}
	step := func(bytes int) Progress {
		now = now.Add(200 * time.Millisecond)
		if bytes > 0 {
			m.received(bytes)
			m.kept(int64(bytes))
		}
		return m.at(now)
	}
	var p Progress
	const rate = 1 << 20 // bytes/s, in bursts
	for i := range 50 {
		n := 0
		if i%5 == 4 {
			n = rate
		}
		p = step(n)
	}
	if p.Rate < rate*8/10 || p.Rate > rate*12/10 {
		t.Errorf("rate %d, is %d", p.Rate, rate)
	}
	for range 5 * 300 { // nothing comes
		last := p.Rate
		if p = step(0); p.Rate > last {
			t.Errorf("the rate grows from %d to %d while nothing comes", last, p.Rate)
		}
	}
	if p.Rate != 0 {
		t.Errorf("after five minutes of nothing: %+v", p)
	}
	if p := (Progress{Done: 5, Total: 10, Reused: 100}).Of(40); p.Done != 35 || p.Total != 40 || p.Reused != 70 {
		t.Errorf("of a resumed download: %+v", p)
	}
}

// Pauses grow, have an end, and differ.
func TestPauseAfterFailures(t *testing.T) {
	differ := false
	for n := 0; n < 200; n++ {
		d := pause(n)
		if d < firstPause/2 || d > maxPause || n == 1 && d > firstPause || n > 10 && d < maxPause/2 {
			t.Errorf("after %d failures: %s", n, d)
		}
		differ = differ || d != pause(n)
	}
	if !differ {
		t.Error("always the same")
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for in, want := range map[string]time.Duration{
		"": 0, "5": 5 * time.Second, " 120 ": 2 * time.Minute, "-5": 0, "1e9": 0, "soon": 0, "99999999999999999999": 0,
		now.Add(time.Hour).Format(http.TimeFormat): time.Hour, now.Add(-time.Hour).Format(http.TimeFormat): 0,
	} {
		if got := retryAfter(in, now); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}

// FuzzContentRange: whatever a server sends, a range is one that makes sense.
func FuzzContentRange(f *testing.F) {
	for _, s := range []string{"bytes 0-99/200", "bytes 0-99/*", "bytes */200", "bytes 5-2/9", "bytes 0-9223372036854775807/1", "bytes -1-2/3", "items 0-1/2"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		from, to, total, err := contentRange(in)
		if err == nil && (from < 0 || to <= from || total >= 0 && to > total || !strings.HasPrefix(in, "bytes ")) {
			t.Errorf("%q: %d to %d of %d", in, from, to, total)
		}
	})
}

// Every code is told in some order, none twice.
func TestCodes(t *testing.T) {
	seen := map[Code]bool{}
	for _, c := range Codes() {
		if c == "" || seen[c] {
			t.Errorf("code %q", c)
		}
		seen[c] = true
	}
	a, b := &Error{Code: CodeOffline}, &Error{Code: CodeProxyAuth}
	if CodeOf(worst([]*Error{a, b})) != CodeProxyAuth || CodeOf(worst([]*Error{b, a})) != CodeProxyAuth || CodeOf(worst(nil)) != CodeNoMirror {
		t.Error("not the worst first")
	}
}
