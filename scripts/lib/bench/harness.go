package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"text/tabwriter"
	"time"
)

// B is a run of one bench, as testing.B is of a Go benchmark: what fails ends the
// bench (check, must), and what was measured before is reported all the same.
type B struct {
	env
	ctx  context.Context
	runs int // of each side, at least 1
	rows []row
	left error // what clean-ups could not do
}

// failure is what a bench panics with to end itself.
type failure struct{ err error }

// check ends the bench with an error.
func check(err error) {
	if err != nil {
		panic(failure{err}) //nolint:forbidigo // as testing.B ends a benchmark: try recovers it, and nobody else runs here
	}
}

// must is the value of a call that ends the bench when it fails.
func must[T any](v T, err error) T {
	check(err)
	return v
}

// checkf is check with what was tried.
func checkf(err error, format string, args ...any) {
	if err != nil {
		check(fmt.Errorf(format+": %w", append(args, err)...))
	}
}

// failf ends the bench.
func failf(format string, args ...any) { check(fmt.Errorf(format, args...)) }

// try returns the error with which do ended itself.
func try(do func()) (err error) {
	defer func() {
		switch x := recover().(type) {
		case nil:
		case failure:
			err = x.err
		default:
			panic(x) //nolint:forbidigo // a fault of the bench itself
		}
	}()
	do()
	return nil
}

// end is for defer: it cleans up, whether the bench goes on or has failed.
func (b *B) end(clean func() error) { b.left = errors.Join(b.left, clean()) }

// remove is for defer, too.
func (b *B) remove(dir string) { b.end(func() error { return os.RemoveAll(dir) }) }

// wants reports whether a row is to be measured.
func (b *B) wants(name string) bool { return b.only == nil || b.only.MatchString(name) }

// part does what measures one row, if that is wanted, and says so.
func (b *B) part(name string, do func()) {
	if b.wants(name) {
		fmt.Fprintln(os.Stderr, name)
		checkf(try(do), "%s", name)
	}
}

// rest waits until d is over or the bench is interrupted.
func (b *B) rest(d time.Duration) {
	select {
	case <-time.After(d):
	case <-b.ctx.Done():
		check(context.Cause(b.ctx))
	}
}

// program runs a program to its end.
func (b *B) program(name string, args ...string) {
	out, err := exec.CommandContext(b.ctx, name, args...).CombinedOutput()
	checkf(err, "%s: %s", name, out)
}

// row is one measure; the figures are medians over runs.
type row struct {
	Name           string  `json:"name"`
	Unit           string  `json:"unit"`
	Ours           float64 `json:"ours"`
	ComparatorName string  `json:"comparator_name"`
	Comparator     float64 `json:"comparator"`
	Ratio          float64 `json:"ratio"`  // ours / comparator
	Better         string  `json:"better"` // "lower" or "higher"
	Runs           int     `json:"runs"`
}

// add reports a row.
func (b *B) add(r row) {
	if r.Comparator > 0 {
		r.Ratio = r.Ours / r.Comparator
	}
	r.Better = cmp.Or(r.Better, "lower")
	b.rows = append(b.rows, r)
}

// compare adds a row of the times that both sides take.
func (b *B) compare(name, comparator string, ours, theirs func() time.Duration) {
	x, y := inTurn(b.runs, ours, theirs)
	b.times(name, comparator, x, y)
}

// times adds a row of times.
func (b *B) times(name, comparator string, ours, theirs []time.Duration) {
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	b.add(row{Name: name, Unit: "ms", Ours: ms(median(ours)), ComparatorName: comparator, Comparator: ms(median(theirs)), Runs: len(ours)})
}

// rates adds a row of how much is done in a second, of which n is done in each time.
func (b *B) rates(name, comparator, unit string, n float64, ours, theirs []time.Duration) {
	b.add(row{Name: name, Unit: unit, Ours: n / median(ours).Seconds(), ComparatorName: comparator, Comparator: n / median(theirs).Seconds(), Better: "higher", Runs: len(ours)})
}

// inTurn measures both sides n times in turn, so that a machine that becomes
// slower in between is slower for both.
func inTurn[T any](n int, ours, theirs func() T) (x, y []T) {
	for i := range n {
		if i%2 == 1 {
			y = append(y, theirs())
			x = append(x, ours())
			continue
		}
		x = append(x, ours())
		y = append(y, theirs())
	}
	return x, y
}

func median[T float64 | time.Duration](x []T) T {
	if len(x) == 0 {
		return 0
	}
	x = slices.Sorted(slices.Values(x))
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}

// timed is how long do takes.
func timed(do func()) time.Duration {
	began := time.Now()
	do()
	return time.Since(began)
}

// report runs a bench and prints one JSON document, or a table. What took an hour is
// not lost by what failed after it.
func (b *B) report(name string, bench func(*B), w io.Writer, asJSON bool) error {
	err := errors.Join(try(func() { bench(b) }), b.left)
	if err != nil && len(b.rows) == 0 {
		return err
	}
	if asJSON {
		return errors.Join(err, json.NewEncoder(w).Encode(struct {
			Bench string `json:"bench"`
			Rows  []row  `json:"rows"`
		}{name, b.rows}))
	}
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(t, "row\tours\tcomparator\tratio\truns\tcomparator is")
	for _, x := range b.rows {
		fmt.Fprintf(t, "%s\t%.3g %s\t%.3g %s\t%.2f (%s is better)\t%d\t%s\n", x.Name, x.Ours, x.Unit, x.Comparator, x.Unit, x.Ratio, x.Better, x.Runs, x.ComparatorName)
	}
	return errors.Join(err, t.Flush())
}
