package wording

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"piwork/app/chore"
	"piwork/app/words"
)

func init() { os.Setenv("LC_ALL", "C") }

// Thousands of files that are made are a line for each folder.
func TestPlanOfManyResults(t *testing.T) {
	p := chore.Plan{Chore: "searchable-scans"}
	for i := range 3000 {
		in := chore.Input{Path: fmt.Sprintf("/folders/Trip/%d.jpg", i), Size: 1 << 20}
		p.Operations = append(p.Operations, chore.Operation{In: []chore.Input{in}, Out: fmt.Sprintf("/folders/Trip/Searchable/%d.pdf", i), Effect: chore.EffectCreate})
	}
	for _, op := range p.Operations {
		text := chore.Operation{In: []chore.Input{{Path: op.Out}}, Out: strings.TrimSuffix(op.Out, "pdf") + "txt", Effect: chore.EffectCreate}
		p.Operations = append(p.Operations, text)
	}
	p.Operations = append(p.Operations, chore.Operation{In: []chore.Input{{Path: "/folders/Trip/a.zip", Size: 5}}, Out: "/folders/Trip/a", Effect: chore.EffectCreate})
	for verbose, lines := range map[bool]int{false: 3, true: 1 + 2*6001} {
		said := PlanLines(p, verbose)
		if len(said) != lines {
			t.Errorf("verbose %v: %d lines", verbose, len(said))
		}
		text := strings.Join(said, "\n")
		if !verbose && !strings.Contains(text, "create  6,000 results in Trip/Searchable  from 3,000 scans (3.1 GB)") {
			t.Errorf("%s", text)
		}
	}
}

// A file of which several things are made is one.
func TestPlanOfOneFile(t *testing.T) {
	p := chore.Plan{Chore: "clean-table"}
	for i := range 12 {
		in := chore.Input{Path: "/folders/Trip/2024.xlsx", Size: 2000}
		p.Operations = append(p.Operations, chore.Operation{In: []chore.Input{in}, Out: fmt.Sprintf("/folders/Trip/Clean tables/2024 (%d).xlsx", i), Effect: chore.EffectCreate})
	}
	if text := strings.Join(PlanLines(p, false), "\n"); !strings.Contains(text, "create  12 results in Trip/Clean tables  from 1 table (2 kB)") {
		t.Errorf("%s", text)
	}
}

// In German, what a plan is made from stands in the dative.
func TestPlanInGerman(t *testing.T) {
	for n, want := range map[int]string{1: "1 Bild", 4: "4 Bildern", 3000: "3.000 Bildern"} {
		if got := words.OfInputs(words.For("de"), "pictures-to-pdf", n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
	if got := words.OfInputs(words.For("en"), "pictures-to-pdf", 4); got != "4 pictures" {
		t.Errorf("%s", got)
	}
}

// A plan says what is downloaded for it.
func TestPlanOfFilesThatAreOnline(t *testing.T) {
	p := chore.Plan{Chore: "merge-pdf", Online: &chore.Online{Files: 3, Bytes: 40e6}}
	if text := strings.Join(PlanLines(p, false), "\n"); !strings.Contains(text, "3 of these files (40 MB) are only online.") {
		t.Errorf("%s", text)
	}
}
