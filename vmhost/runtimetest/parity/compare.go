package parity

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"text/tabwriter"
)

// Difference is what a kind of runtime does otherwise than the machine, and why.
type Difference struct {
	Case   string `json:"case"`
	Kind   string `json:"kind"`
	Reason string `json:"reason"`
}

// Golden returns what the machine gave, by the name of the case.
func Golden() (map[string]Result, error) {
	var golden map[string]Result
	err := read("golden.json", &golden)
	return golden, err
}

// Differences returns the differences that are known.
func Differences() ([]Difference, error) {
	var all []Difference
	err := read("differences.json", &all)
	return all, err
}

func read(name string, into any) error {
	b, err := corpus.ReadFile("corpus/" + name)
	if err == nil {
		err = json.Unmarshal(b, into)
	}
	return err
}

// Verdict is what became of a case in one kind of runtime.
type Verdict struct {
	Case   string
	Word   string // "same", "differs", "cannot", or "FAILED"
	Reason string // why it differs or what is missing; of a failure, what it is
}

// Verdicts of a case.
const (
	Same    = "same"
	Differs = "differs" // and the reason is known
	Cannot  = "cannot"  // the kind does not claim what the case needs
	Failed  = "FAILED"
)

// judge compares what a case gave with what the machine gave.
func judge(kind, name string, got Result, golden map[string]Result, known []Difference) Verdict {
	v := Verdict{Case: name, Word: Same}
	want, there := golden[name]
	if !there {
		return Verdict{name, Failed, "nobody has written down what the machine gives: run its test with -update"}
	}
	differences := compare(got, want)
	i := slices.IndexFunc(known, func(d Difference) bool { return d.Case == name && d.Kind == kind })
	switch {
	case i < 0 && len(differences) > 0:
		v.Word, v.Reason = Failed, "it differs from the machine, and no reason is known:\n"+strings.Join(differences, "\n")
	case i >= 0 && len(differences) == 0:
		v.Word, v.Reason = Failed, "it does not differ any more, remove the reason: "+known[i].Reason
	case i >= 0:
		v.Word, v.Reason = Differs, known[i].Reason
	}
	return v
}

// compare names the members that differ. Both are compared as JSON, as one was read.
func compare(got, want Result) []string {
	g, w := members(got), members(want)
	names := slices.Sorted(maps.Keys(w))
	for name := range g {
		if _, in := w[name]; !in {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var out []string
	for _, name := range names {
		if !reflect.DeepEqual(g[name], w[name]) {
			out = append(out, fmt.Sprintf("%s: %s\n\twant %s", name, show(g[name]), show(w[name])))
		}
	}
	return out
}

func members(r Result) map[string]any {
	var m map[string]any
	if b, err := json.Marshal(r); err != nil || json.Unmarshal(b, &m) != nil {
		return map[string]any{"unreadable": err}
	}
	return m
}

func show(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}

// Table shows what became of cases: a row for each, a column for each kind of runtime,
// and below it why what differs does.
func Table(columns map[string][]Verdict) string {
	kinds := slices.Sorted(maps.Keys(columns))
	words, reasons, sums := map[string]map[string]string{}, []string{}, map[string]map[string]int{}
	for _, k := range kinds {
		sums[k] = map[string]int{}
		for _, v := range columns[k] {
			if words[v.Case] == nil {
				words[v.Case] = map[string]string{}
			}
			words[v.Case][k] = v.Word
			sums[k][v.Word]++
			if v.Reason != "" {
				reasons = append(reasons, fmt.Sprintf("%s, %s: %s", v.Case, k, v.Reason))
			}
		}
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "case\t%s\n", strings.Join(kinds, "\t"))
	for _, name := range slices.Sorted(maps.Keys(words)) {
		fmt.Fprint(w, name)
		for _, k := range kinds {
			word := cmp.Or(words[name][k], "-")
			fmt.Fprint(w, "\t", word)
		}
		fmt.Fprintln(w)
	}
	for _, word := range []string{Same, Differs, Cannot, Failed} {
		fmt.Fprint(w, "all: ", word)
		for _, k := range kinds {
			fmt.Fprint(w, "\t", sums[k][word])
		}
		fmt.Fprintln(w)
	}
	_ = w.Flush() // to memory
	return b.String() + strings.Join(reasons, "\n")
}
