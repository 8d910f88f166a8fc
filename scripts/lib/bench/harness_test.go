package main

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestReport: what was measured is reported with what failed after it, in the shape
// that others read, and clean-ups are done in any case.
func TestReport(t *testing.T) {
	b := &B{ctx: t.Context(), runs: 3}
	cleaned := false
	var out strings.Builder
	err := b.report("x", func(b *B) {
		defer b.end(func() error { cleaned = true; return errors.New("left") })
		n := time.Duration(0)
		side := func(step time.Duration) func() time.Duration {
			return func() time.Duration { n += step; return n }
		}
		b.part("a/b/c", func() { b.compare("a/b/c", "that", side(time.Second), side(0)) })
		b.part("a/b/d", func() { must(0, errors.New("broken")) })
		b.add(row{Name: "never"})
	}, &out, true)
	if err == nil || err.Error() != "a/b/d: broken\nleft" || !cleaned {
		t.Errorf("%v, cleaned %v", err, cleaned)
	}
	want := `{"bench":"x","rows":[{"name":"a/b/c","unit":"ms","ours":2000,"comparator_name":"that","comparator":1000,"ratio":2,"better":"lower","runs":3}]}` + "\n"
	if out.String() != want {
		t.Errorf("got %s want %s", out.String(), want)
	}
	if m := median([]time.Duration{4, 1, 3, 2}); m != 2 {
		t.Errorf("median %v", m)
	}
}

// TestUndoOnce: what is measured as undo is one.
func TestUndoOnce(t *testing.T) {
	b := &B{ctx: t.Context(), runs: 1}
	if err := try(func() {
		if ours, theirs := b.undoOnce(filepath.Join(t.TempDir(), "undo"), 20); ours == 0 || theirs == 0 {
			t.Error("it took no time")
		}
	}); err != nil || b.left != nil {
		t.Error(err, b.left)
	}
}

// TestShareRows: rows of the design have these names for good.
func TestShareRows(t *testing.T) {
	var names []string
	for _, g := range shareGroups {
		for _, pair := range g.pairs {
			for _, w := range g.works {
				names = append(names, rowNames(pair, w)...)
			}
		}
	}
	for _, area := range []string{"chosen", "virtiofs-rw", "device", "virtiofsd"} {
		for _, what := range []string{"seq-write", "seq-read", "rand4k", "create", "stat", "walk", "remove"} {
			if name := "share/" + area + "/" + what; !slices.Contains(names, name) {
				t.Errorf("no row %s", name)
			}
		}
	}
	for _, name := range []string{"share/journal/overwrite", "share/virtiofs-ro/stat", "share/chosen/git-clone", "share/real/git-status", "share/real-device/unpack", "share/real-ways/photos", "share/journal/mixed"} {
		if !slices.Contains(names, name) {
			t.Errorf("no row %s", name)
		}
	}
}
