package main

import (
	"slices"
	"strings"
	"testing"
)

func table(t *testing.T) []fault {
	t.Helper()
	faults, err := readFaults()
	if err != nil {
		t.Fatal(err)
	}
	return faults
}

// The tables follow the tree: every named test is where they say, every fault can
// be planted.
func TestTablesFitTheTree(t *testing.T) {
	root, err := findRoot()
	if err != nil {
		t.Fatal(err)
	}
	if err := checkPromises(root, readPromises()); err != nil {
		t.Error(err)
	}
	if err := checkFaults(root, table(t)); err != nil {
		t.Error(err)
	}
}

// Each promise has three tests and one fault at least, and some faults are seen in
// a real machine only.
func TestEveryPromiseIsCovered(t *testing.T) {
	var ids []string
	faults := table(t)
	for _, p := range readPromises() {
		ids = append(ids, p.id)
		if len(p.held) < 3 {
			t.Errorf("%s is held by %d tests", p.id, len(p.held))
		}
		if !slices.ContainsFunc(faults, func(f fault) bool { return f.Promise == p.id }) {
			t.Errorf("%s has no fault", p.id)
		}
	}
	if got := strings.Join(ids, " "); got != "P1 P2 P3 P4 P5 P6 P7 P8 P9" {
		t.Errorf("promises %s", got)
	}
	count := map[string]int{}
	for _, f := range faults {
		count[f.Tier]++
	}
	if count[tierUnit] < 12 || count[tierVM] < 3 {
		t.Errorf("%v", count)
	}
}

// A fault is planted where it is meant, or not at all.
func TestPlant(t *testing.T) {
	f := fault{File: "x.go", Old: "if a {", New: "if b {"}
	if got, err := f.plant("x\nif a {\n"); err != nil || got != "x\nif b {\n" {
		t.Errorf("%q, %v", got, err)
	}
	for _, source := range []string{"", "if a {\nif a {"} {
		if _, err := f.plant(source); err == nil {
			t.Errorf("planted in %q", source)
		}
	}
	f.New = f.Old
	if _, err := f.plant("if a {"); err == nil {
		t.Error("planted nothing")
	}
}

// Only a test that fails catches a fault: no build error, no time limit, no test
// that was skipped.
func TestVerdict(t *testing.T) {
	say := func(lines ...string) *verdict {
		t.Helper()
		v, err := readVerdict(strings.NewReader(strings.Join(lines, "\n")))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	const (
		pass    = `{"Action":"pass","Package":"p","Test":"TestA"}`
		sub     = `{"Action":"fail","Package":"p","Test":"TestA/one"}`
		fail    = `{"Action":"fail","Package":"p","Test":"TestA"}`
		all     = `{"Action":"fail","Package":"p"}`
		skip    = `{"Action":"skip","Package":"p","Test":"TestA"}`
		noBuild = `{"ImportPath":"p","Action":"build-fail"}`
		timeout = `{"Action":"output","Package":"p","Test":"TestA","Output":"panic: test timed out after 1s\n"}`
	)
	for _, tt := range []struct {
		name          string
		v             *verdict
		caught, sound bool
		wrong         bool
	}{
		{"passes", say(pass), false, true, false},
		{"fails", say(sub, fail, all), true, false, false},
		{"does not compile", say(noBuild, all), false, false, true},
		{"times out", say(timeout, fail, all), false, false, true},
		{"skips", say(skip), false, false, false},
		{"says nothing", say("", "x"), false, false, false},
	} {
		caught, err := tt.v.caught()
		if caught != tt.caught || (err != nil) != tt.wrong {
			t.Errorf("%s: %v, %v", tt.name, caught, err)
		}
		if err := tt.v.sound([]string{"TestA"}); (err == nil) != tt.sound {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// Tests are in the tier of their build tags.
func TestTierOf(t *testing.T) {
	root, err := findRoot()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ pkg, test, tier string }{
		{"scripts/lib/mutants", "TestTierOf", tierUnit},
		{"scripts/lib/mutants", "TestNone", ""},
		{"vmhost/vm", "TestTwoForReal", tierVM},
		{"vmhost/vm/suites", "TestSuites", tierAll},
		{"vmhost/share/internal/at", "TestNamesOfWindows", ""},
	} {
		if got, err := tierOf(root, tt.pkg, tt.test); err != nil || got != tt.tier {
			t.Errorf("%s.%s: %q, %v", tt.pkg, tt.test, got, err)
		}
	}
}
