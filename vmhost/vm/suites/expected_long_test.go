//go:build long && linux

package suites_test

import (
	"bufio"
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/expected.txt")

const expectedFile = "testdata/expected.txt"

// expectedHead is how the file begins.
const expectedHead = `# What the suites find: local disk of the guest, 9p, virtio-fs. See the comment of
# the package. First how many tests passed, failed and were skipped there; then
# every test in which the folders differ from the disk, and why.
`

// places in the order of the file's columns.
var places = []frontEnd{noFolders, over9P, overDevice}

// A finding is a test that is not the same everywhere.
type finding struct {
	outcomes [3]string // in the order of places; "absent" where it did not run
	why      string
}

// findings are what the file holds.
type findings struct {
	totals map[string]string // by suite
	tests  map[string]finding
}

// absent is the outcome of a test that did not run.
const absent = "absent"

// found makes findings of outcomes.
func found(got map[frontEnd]outcomes) findings {
	f := findings{totals: map[string]string{}, tests: map[string]finding{}}
	all := map[string]bool{}
	for _, o := range got {
		for test := range o {
			all[test] = true
		}
	}
	counts := map[string]*[3][3]int{}
	for test := range all {
		var x finding
		suite, _, _ := strings.Cut(test, ": ")
		if counts[suite] == nil {
			counts[suite] = &[3][3]int{}
		}
		for i, place := range places {
			x.outcomes[i] = cmp.Or(got[place][test], absent)
			if at := slices.Index([]string{passed, failed, skipped}, x.outcomes[i]); at >= 0 {
				counts[suite][i][at]++
			}
		}
		if x.outcomes[1] != x.outcomes[0] || x.outcomes[2] != x.outcomes[0] {
			f.tests[test] = x
		}
	}
	for suite, c := range counts {
		var words []string
		for _, place := range c {
			words = append(words, fmt.Sprintf("%d/%d/%d", place[0], place[1], place[2]))
		}
		f.totals[suite] = strings.Join(words, " ")
	}
	return f
}

func readFindings(file string) (findings, error) {
	f := findings{totals: map[string]string{}, tests: map[string]finding{}}
	b, err := os.ReadFile(file)
	if err != nil {
		return f, err
	}
	for lines := bufio.NewScanner(bytes.NewReader(b)); lines.Scan(); {
		line, why, _ := strings.Cut(lines.Text(), " # ")
		words := strings.SplitN(line, " ", 4)
		switch {
		case line == "" || line[0] == '#':
		case words[0] == "total":
			f.totals[words[1]] = strings.Join(words[2:], " ")
		case len(words) == 4:
			f.tests[strings.TrimSpace(words[3])] = finding{outcomes: [3]string(words[:3]), why: why}
		default:
			return f, fmt.Errorf("%s: %q", file, line)
		}
	}
	return f, nil
}

func (f findings) String() string {
	var b strings.Builder
	b.WriteString(expectedHead)
	for _, suite := range slices.Sorted(maps.Keys(f.totals)) {
		fmt.Fprintf(&b, "total %s %s\n", suite, f.totals[suite])
	}
	for _, test := range slices.Sorted(maps.Keys(f.tests)) {
		x := f.tests[test]
		fmt.Fprintf(&b, "%s %s # %s\n", strings.Join(x.outcomes[:], " "), test, x.why)
	}
	return b.String()
}

// of are the findings of one suite; "" is all.
func (f findings) of(suite string) findings {
	return f.only(func(of string) bool { return suite == "" || of == suite })
}

func (f findings) only(these func(suite string) bool) findings {
	part := findings{totals: map[string]string{}, tests: map[string]finding{}}
	for suite, total := range f.totals {
		if these(suite) {
			part.totals[suite] = total
		}
	}
	for test, x := range f.tests {
		if suite, _, _ := strings.Cut(test, ": "); these(suite) {
			part.tests[test] = x
		}
	}
	return part
}

// compare holds outcomes to what is wanted of the suites that ran: both what is
// worse and what is better fail. all is what the file says.
func compare(t *testing.T, want findings, got map[frontEnd]outcomes, all findings) {
	t.Helper()
	have := found(got)
	for test, x := range have.tests {
		if old, ok := want.tests[test]; ok {
			x.why = old.why
			have.tests[test] = x
		}
		if x.why == "" {
			t.Errorf("%s: %q, and nobody wrote why", test, x.outcomes)
		}
	}
	if *update {
		others := all.only(func(suite string) bool { return have.totals[suite] == "" })
		maps.Copy(have.totals, others.totals)
		maps.Copy(have.tests, others.tests)
		if err := os.WriteFile(expectedFile, []byte(have.String()), 0o644); err != nil {
			t.Error(err)
		}
		return
	}
	for _, test := range slices.Sorted(maps.Keys(want.tests)) {
		if now, was := have.tests[test], want.tests[test]; now.outcomes != was.outcomes {
			t.Errorf("%s: expected %q, is %q", test, was.outcomes, now.outcomes)
		}
	}
	for suite, was := range want.totals {
		if now := have.totals[suite]; now != was {
			t.Errorf("%s: expected %s passed/failed/skipped, is %s", suite, was, now)
		}
	}
}
