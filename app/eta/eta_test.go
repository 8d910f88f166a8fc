package eta

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func fresh(t *testing.T) *Rates {
	t.Helper()
	r, err := Load(filepath.Join(t.TempDir(), "rates.json"))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const mb = 1 << 20

// What is left, at once, of what was learned.
func TestLeftLearned(t *testing.T) {
	for _, tt := range []struct {
		name  string
		learn func(*Rates)
		mode  string
		want  int64 // -1: unknown
	}{
		{"nothing", func(*Rates) {}, "kvm", -1},
		{"by content", func(r *Rates) { r.Learn("convert", "kvm", Work{Bytes: 100 * mb}, 10) }, "kvm", 100},
		{"by items", func(r *Rates) { r.Learn("convert", "kvm", Work{Items: 1600}, 10) }, "kvm", 100},
		{"of another mode", func(r *Rates) { r.Learn("convert", "tcg", Work{Bytes: 100 * mb}, 100) }, "kvm", -1},
		{"slow mode has its own", func(r *Rates) {
			r.Learn("convert", "kvm", Work{Bytes: 100 * mb}, 10)
			r.Learn("convert", "tcg", Work{Bytes: 100 * mb}, 100)
		}, "tcg", 1000},
		{"the newest counts most", func(r *Rates) {
			r.Learn("convert", "kvm", Work{Bytes: 1200 * mb}, 1200)
			r.Learn("convert", "kvm", Work{Bytes: 1200 * mb}, 120)
		}, "kvm", 100},
		{"what took no time teaches nothing", func(r *Rates) { r.Learn("convert", "kvm", Work{Bytes: mb}, 0) }, "kvm", -1},
		{"longer than a week is no guess", func(r *Rates) { r.Learn("convert", "kvm", Work{Bytes: 1}, 1) }, "kvm", -1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := fresh(t)
			tt.learn(r)
			j := New(r, tt.mode)
			j.Expect("convert", Work{Bytes: 1000 * mb})
			got, ok := j.Left(time.Unix(0, 0))
			if !ok {
				got = -1
			}
			if got != tt.want {
				t.Errorf("%d, want %d", got, tt.want)
			}
		})
	}
}

// A part whose rate nobody knows: without it when it is small, unknown when not.
func TestLeftOfParts(t *testing.T) {
	r := fresh(t)
	r.Learn("hash", "kvm", Work{Bytes: 100 * mb}, 1)
	r.Learn("convert", "kvm", Work{Bytes: 10 * mb}, 1)
	for _, tt := range []struct {
		merge int64 // MiB
		want  int64
	}{{0, 11}, {10, 12}, {100, -1}} {
		j := New(r, "kvm")
		j.Expect("hash", Work{Bytes: 100 * mb})
		j.Expect("convert", Work{Bytes: 100 * mb})
		j.Expect("merge", Work{Bytes: tt.merge * mb})
		got, ok := j.Left(time.Unix(0, 0))
		if !ok {
			got = -1
		}
		if got != tt.want {
			t.Errorf("with %d MiB to merge: %d, want %d", tt.merge, got, tt.want)
		}
	}
}

// pace is one way in which work goes.
type pace struct {
	seconds int
	rate    int64 // bytes per second
}

// play runs a job with an answer every half second, and returns them.
func play(j *Job, total int64, paces ...pace) []int64 {
	var out []int64
	now, done, took := time.Unix(0, 0), int64(0), 0.0
	j.Expect("convert", Work{Bytes: total})
	for _, p := range paces {
		for range p.seconds * 2 {
			now, took = now.Add(time.Second/2), took+0.5
			done = min(total, done+p.rate/2)
			j.Running("convert", Work{Bytes: done}, took)
			if left, ok := j.Left(now); ok {
				out = append(out, left)
			} else {
				out = append(out, -1)
			}
		}
	}
	return out
}

func TestSteady(t *testing.T) {
	r := fresh(t)
	got := play(New(r, "kvm"), 100*mb, pace{100, mb})
	for i, left := range got {
		at := float64(i+1) / 2
		switch {
		case at < seenEnough && left != -1:
			t.Fatalf("after %g s: %d, and nothing is known yet", at, left)
		case at >= seenEnough && left != int64(100-at+0.5):
			t.Fatalf("after %g s: %d", at, left)
		}
	}
}

// A hiccup is not shown; work that stays slower is, and then stays so.
func TestGrowsWithReason(t *testing.T) {
	r := fresh(t)
	r.Learn("convert", "kvm", Work{Bytes: 10 * mb}, 10)
	got := play(New(r, "kvm"), 300*mb, pace{60, mb}, pace{3, 0}, pace{30, mb})
	for i := 1; i < len(got); i++ {
		if got[i] > got[i-1] {
			t.Fatalf("a hiccup of 3 s: %d s, and then %d s", got[i-1], got[i])
		}
	}
	got = play(New(r, "kvm"), 300*mb, pace{60, mb}, pace{240, mb / 4})
	before, last := got[119], got[len(got)-1]
	if most := maxOf(got[120:]); most < before+100 || before > 241 || before < 239 {
		t.Errorf("before it became slow %d, the most after it %d", before, most)
	}
	if whole := int64(180 / 0.25); last > whole {
		t.Errorf("in the end %d", last)
	}
	turns := 0
	for i := 2; i < len(got); i++ {
		if (got[i]-got[i-1])*(got[i-1]-got[i-2]) < 0 {
			turns++
		}
	}
	if turns > 4 {
		t.Errorf("it turned %d times: %v", turns, got)
	}
}

func maxOf(list []int64) int64 {
	out := list[0]
	for _, v := range list {
		out = max(out, v)
	}
	return out
}

// What a person held up is not learned, and done all the same.
func TestNotLearned(t *testing.T) {
	r := fresh(t)
	j := New(r, "kvm")
	j.Expect("move", Work{Items: 10})
	j.Ended("move", Work{Items: 5}, 3600, false)
	if _, ok := j.Left(time.Unix(0, 0)); ok || r.of("move", "kvm").valid() {
		t.Error("it was learned")
	}
	j.Ended("move", Work{Items: 5}, 1, true)
	if left, ok := j.Left(time.Unix(1, 0)); !ok || left != 0 {
		t.Errorf("at the end: %d, %v", left, ok)
	}
	if !r.of("move", "kvm").valid() {
		t.Error("it was not learned")
	}
}

func TestSaveAndLoad(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rates.json")
	r, err := Load(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Save(file); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("nothing was learned, and there is a file: %v", err)
	}
	r.Learn("convert", "kvm", Work{Items: 10, Bytes: 10 * mb}, 5)
	if err := r.Save(file); err != nil {
		t.Fatal(err)
	}
	again, err := Load(file)
	if err != nil {
		t.Fatal(err)
	}
	if again.of("convert", "kvm") != r.of("convert", "kvm") || !again.of("convert", "kvm").valid() {
		t.Errorf("%v, was %v", again.rates, r.rates)
	}
}

// Whatever is in the file: rates that can be used come of it.
func TestLoadDamaged(t *testing.T) {
	row := `{"weight":1048576,"seconds":1}`
	many := make([]string, 2*maxRates)
	for i := range many {
		many[i] = fmt.Sprintf(`"op%d/kvm":%s`, i, row)
	}
	for _, tt := range []struct {
		name, data string
		rates      int
		fails      bool
	}{
		{"whole", `{"v":1,"rates":{"a/kvm":` + row + `}}`, 1, false},
		{"cut", `{"v":1,"rates":{"a/kvm":` + row, 0, true},
		{"empty", ``, 0, true},
		{"of another version", `{"v":2,"rates":{"a/kvm":` + row + `}}`, 0, true},
		{"another thing", `[]`, 0, true},
		{"bad rates", `{"v":1,"rates":{"a/kvm":{"weight":-1,"seconds":1},"b/kvm":{"weight":1,"seconds":0},"c":` + row + `,"/kvm":` + row + `,"d/kvm":` + row + `}}`, 1, false},
		{"a long name", `{"v":1,"rates":{"` + strings.Repeat("a", maxKey) + `/kvm":` + row + `}}`, 0, false},
		{"too many", `{"v":1,"rates":{` + strings.Join(many, ",") + `}}`, maxRates, false},
		{"too large", `{"v":1,"rates":{}}` + strings.Repeat(" ", maxFile), 0, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "rates.json")
			if err := os.WriteFile(file, []byte(tt.data), 0o600); err != nil {
				t.Fatal(err)
			}
			r, err := Load(file)
			if (err != nil) != tt.fails || r == nil {
				t.Fatalf("%v, %v", r, err)
			}
			if len(r.rates) != tt.rates {
				t.Errorf("%d rates, want %d", len(r.rates), tt.rates)
			}
			r.Learn("new", "kvm", Work{Items: 1}, 1)
			if err := r.Save(file); err != nil {
				t.Errorf("save: %v", err)
			}
			if _, err := Load(file); err != nil {
				t.Errorf("what was saved: %v", err)
			}
		})
	}
}

// What is learned does not grow, and neither do the means.
func TestBounded(t *testing.T) {
	r := fresh(t)
	for i := range 2 * maxRates {
		r.Learn(fmt.Sprintf("op%d", i), "kvm", Work{Items: 1}, 1)
	}
	for range 1000 {
		r.Learn("op1", "kvm", Work{Items: 100}, 100)
	}
	if len(r.rates) != maxRates || r.of("op1", "kvm").Seconds > rememberFor+1e-6 {
		t.Errorf("%d rates, %v", len(r.rates), r.of("op1", "kvm"))
	}
}
