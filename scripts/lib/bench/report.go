package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"
)

// report is what a bench prints: one document, or a table.
type report struct {
	Bench string `json:"bench"`
	Rows  []row  `json:"rows"`
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

// side is one of the two things that are measured in turn.
type side func() (time.Duration, error)

// compare measures both sides n times in turn, so that a machine that becomes
// slower in between is slower for both.
func compare(n int, name, comparator string, ours, theirs side) (row, error) {
	var a, b []time.Duration
	for i := range n {
		sides := []struct {
			f  side
			to *[]time.Duration
		}{{ours, &a}, {theirs, &b}}
		if i%2 == 1 {
			slices.Reverse(sides)
		}
		for _, s := range sides {
			d, err := s.f()
			if err != nil {
				return row{}, err
			}
			*s.to = append(*s.to, d)
		}
	}
	return newRow(name, comparator, a, b), nil
}

func newRow(name, comparator string, ours, theirs []time.Duration) row {
	r := row{Name: name, Unit: "ms", Ours: ms(median(ours)), ComparatorName: comparator, Comparator: ms(median(theirs)), Better: "lower", Runs: len(ours)}
	if r.Comparator > 0 {
		r.Ratio = r.Ours / r.Comparator
	}
	return r
}

func median[T float64 | time.Duration](x []T) T {
	if len(x) == 0 {
		return 0
	}
	x = slices.Clone(x)
	slices.Sort(x)
	if n := len(x); n%2 == 0 {
		return (x[n/2-1] + x[n/2]) / 2
	}
	return x[len(x)/2]
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func (r report) write(w io.Writer, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(w).Encode(r)
	}
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(t, "row\tours\tcomparator\tratio\truns\tcomparator is")
	for _, x := range r.Rows {
		fmt.Fprintf(t, "%s\t%.3g %s\t%.3g %s\t%.2f (%s is better)\t%d\t%s\n", x.Name, x.Ours, x.Unit, x.Comparator, x.Unit, x.Ratio, x.Better, x.Runs, x.ComparatorName)
	}
	return t.Flush()
}
