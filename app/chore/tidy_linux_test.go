package chore_test

import (
	"fmt"
	"testing"
)

// A name in letters of another age cannot be told to the guest: that file stays
// where it is, is named, and the rest is tidied. Other
// systems have no such names.
func TestTidyAroundForeignNames(t *testing.T) {
	for name, params := range map[string]map[string]any{
		"cleanup-downloads": nil, "find-duplicates": nil, "rename-files": {"pattern": "x {n}{ext}"},
	} {
		dir := t.TempDir()
		put(t, dir, june, map[string]string{"M\xfcller.csv": "same", "ok.csv": "same", "b.csv": "same", "O\xfc/": ""})
		ch, b := tidyBench(t, name, dir, params)
		plan, err := ch.Plan(t.Context(), b.env)
		if err != nil || len(plan.Operations) == 0 || fmt.Sprint(problemCodes(plan.Skipped)) != "[input-name input-name]" {
			t.Errorf("%s: %+v, %v", name, plan, err)
			continue
		}
		if out, err := ch.Run(t.Context(), b.env, plan); err != nil || len(out.Problems) > 0 {
			t.Errorf("%s: %+v, %v", name, out, err)
		}
		if after := tree(t, dir); after["M\xfcller.csv"] != "same" {
			t.Errorf("%s: %q", name, after)
		}
	}
}

// Where two names are two files that are one elsewhere, no one takes the other's.
func TestTidyTwins(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, june, map[string]string{"README.txt": "1", "readme.txt": "2", "é.txt": "3", "e\u0301.txt": "4"})
	ch, b := tidyBench(t, "rename-files", dir, map[string]any{"case": "lower"})
	plan, err := ch.Plan(t.Context(), b.env)
	if err != nil || len(plan.Operations) != 1 || len(plan.Skipped) > 0 {
		t.Fatalf("%+v, %v", plan, err)
	}
	if out, err := ch.Run(t.Context(), b.env, plan); err != nil || len(out.Problems) > 0 {
		t.Fatalf("%+v, %v", out, err)
	}
	if after := tree(t, dir); after["readme (2).txt"] != "1" || after["readme.txt"] != "2" {
		t.Errorf("%q", after)
	}
}
