package recorder

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"piwork/vmhost/share/journal/internal/ledger"
)

// A journal opens although its log cannot be compacted, as on a full disk. What cannot be
// compacted, or is as short as it gets, is not tried again before it doubled.
func TestCompactionFails(t *testing.T) {
	before := compactAt
	t.Cleanup(func() { compactAt = before })
	compactAt = 2000
	dir := t.TempDir()
	log, inTheWay := filepath.Join(dir, "log"), filepath.Join(dir, "log.new")
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	reopen := func(j *Recorder) *Recorder {
		t.Helper()
		if j != nil {
			check(j.Close())
		}
		j, err := Open(dir, Options{}, nil)
		check(err)
		return j
	}
	last, _ := os.Lstat(log)
	rewritten := func(want bool, when string) {
		t.Helper()
		now, err := os.Lstat(log)
		check(err)
		if same := os.SameFile(last, now); same == want {
			t.Errorf("%s: rewritten %v", when, !same)
		}
		last = now
	}
	grow := func(j *Recorder, by int64) {
		t.Helper()
		for end := j.File.Length() + by; j.File.Length() < end; {
			_, err := ledger.AppendTo(j.File, time.Now(), ledger.AliveRecord{})
			check(err)
		}
	}
	j := reopen(nil)
	for i := range 50 { // which stay
		check(j.PutNow(ledger.UndoneRecord{Change: &ledger.Change{ID: strconv.Itoa(i)}}))
	}
	grow(j, 10_000)
	check(os.Mkdir(inTheWay, 0o700))
	last, _ = os.Lstat(log)
	j = reopen(j)
	rewritten(false, "something is in the way")
	check(os.Remove(inTheWay))
	j.tick()
	rewritten(false, "it has just failed")
	j = reopen(j)
	rewritten(true, "opened again")
	j = reopen(j)
	rewritten(false, "it is as short as it gets")
	grow(j, 2*j.compact)
	j.tick()
	rewritten(true, "it has doubled")
	check(j.Close())
}
