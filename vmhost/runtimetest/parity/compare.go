package parity

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
)

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

// judge compares what a case gave with what the machine gave, or with what is listed of its kind.
func (l lists) judge(kind, name string, got Result) Verdict {
	want, there := l.golden[name]
	if !there {
		return Verdict{name, Failed, "nobody has written down what the machine gives: run its test with -update"}
	}
	g, w := members(got), members(want)
	differences, known := compare(g, w), l.difference(kind, name)
	switch {
	case known == nil && len(differences) > 0:
		return Verdict{name, Failed, "it differs from the machine, and no reason is known:\n" + strings.Join(differences, "\n")}
	case known == nil:
		return Verdict{name, Same, ""}
	case len(differences) == 0:
		return Verdict{name, Failed, "it does not differ any more, remove the reason: " + known.Reason}
	}
	maps.Copy(w, known.Want)
	if differences := compare(g, w); len(differences) > 0 {
		return Verdict{name, Failed, "it differs from the machine otherwise than it is listed:\n" + strings.Join(differences, "\n")}
	}
	return Verdict{name, Differs, known.Reason}
}

// lacking is the verdict of a case that a kind cannot play.
func (l lists) lacking(kind, name, lacks string) Verdict {
	i := slices.IndexFunc(l.lacks, func(k Lack) bool { return k.Lacks == lacks && of(kind, k.Kind) })
	if i < 0 {
		return Verdict{name, Failed, "it was not played, since the kind does not claim " + lacks + ", and no reason is known"}
	}
	return Verdict{name, Cannot, lacks + ": " + l.lacks[i].Reason}
}

// compare names the members that differ.
func compare(got, want map[string]any) []string {
	all := maps.Clone(want)
	maps.Copy(all, got)
	var out []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if !matches(got[name], want[name]) {
			out = append(out, fmt.Sprintf("%s: %s\n\twant %s", name, show(got[name]), show(want[name])))
		}
	}
	return out
}

// matches compares a member; "…" in a text is at least one letter, and no end of a line.
func matches(got, want any) bool {
	g, isText := got.(string)
	w, wanted := want.(string)
	if !isText || !wanted || !strings.Contains(w, "…") {
		return reflect.DeepEqual(got, want)
	}
	pattern := "^" + strings.ReplaceAll(regexp.QuoteMeta(w), "…", `[^\n]+`) + "$"
	return regexp.MustCompile(pattern).MatchString(g)
}

// members are those of a result as JSON has them, as which one was read.
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
// and below it why what differs does, each reason once.
func Table(columns map[string][]Verdict) string {
	kinds := slices.Sorted(maps.Keys(columns))
	words, sums := map[string]map[string]string{}, map[string]map[string]int{}
	var reasons []string               // each once, with its kind in front
	explained := map[string][]string{} // the cases of each
	for _, k := range kinds {
		sums[k] = map[string]int{}
		for _, v := range columns[k] {
			if words[v.Case] == nil {
				words[v.Case] = map[string]string{}
			}
			words[v.Case][k] = v.Word
			sums[k][v.Word]++
			if v.Reason == "" {
				continue
			}
			r := k + ": " + v.Reason
			if explained[r] == nil {
				reasons = append(reasons, r)
			}
			explained[r] = append(explained[r], v.Case)
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
	for i, r := range reasons {
		cases := strings.Join(explained[r], ", ")
		if n := len(explained[r]); n > 4 {
			cases = fmt.Sprintf("%d cases", n)
		}
		reasons[i] = cases + ", " + r
	}
	return b.String() + strings.Join(reasons, "\n")
}
