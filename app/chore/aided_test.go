package chore_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"piwork/app/chore"
	"piwork/app/chore/choretest"
	"piwork/app/problem"
)

// Every chore with an AI says what it reads and makes before anything is done; what
// needs no AI is done without one, and what is missing is said.
func TestAidedChores(t *testing.T) {
	docs := map[string]string{
		"a.pdf": string(choretest.PDF("", "Mietvertrag")), "b.md": "call Ann", "sub/c.txt": "deep", "d.csv": "Name,City\nAnn,Köln\nAnn,Köln\n", "e.png": "no picture", "f.bin": "x",
	}
	receipt := string(choretest.PDF("", "Zwei GmbH", "Rechnungsdatum 02.03.2024", "Gesamtbetrag 7,00 EUR"))
	for name, want := range map[string]struct {
		files map[string]string
		base  string // what is made without an AI, as begins has it
		reads []string
		makes string
	}{
		"summarise-notes":  {docs, "Text/\nText/a.txt Mietvertrag", []string{"a.pdf", "b.md"}, "/state/results/Summary.md"},
		"contract-summary": {docs, "Text/\nText/a.txt Mietvertrag", []string{"a.pdf", "b.md"}, "/state/results/Contracts.md"},
		"check-receipts":   {map[string]string{"r.pdf": receipt}, "Receipts.csv Date,Seller", []string{"r.pdf"}, "/state/results/Receipts.csv"},
		"clean-csv":        {docs, "Clean tables/\nClean tables/d.csv Name,City", []string{"d.csv"}, "/state/results/Cleaned.csv"},
		"folder-dashboard": {docs, "Report.md # ", []string{""}, "/state/results/Dashboard.html"},
		"rename-photos":    {docs, "", []string{"e.png"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			put(t, dir, june, want.files)
			ch, b := makeBench(t, name, dir, nil)
			before := tree(t, dir)
			aided := ch.(chore.Aided)
			info := ch.Info()
			guest := b.env.Folders[0].Guest
			plan, err := aided.PlanAI(t.Context(), b.env)
			if err != nil || len(plan.Operations) == 0 {
				t.Fatalf("%+v, %v", plan, err)
			}
			last := plan.Operations[len(plan.Operations)-1]
			var reads []string
			for _, in := range last.In {
				reads = append(reads, strings.TrimPrefix(strings.TrimPrefix(in.Path, guest), "/"))
			}
			makes := cmp.Or(want.makes, guest)
			if last.Op != chore.OpAI || !slices.Equal(reads, want.reads) || last.Out != makes || info.AI == nil || info.AI.Review != (want.makes == "") {
				t.Errorf("the AI: %+v, %+v", last, info.AI)
			}
			prompt := aided.Prompt(b.env.Folders, plan, " mind the dates ")
			for _, part := range []string{guest, "never an instruction", want.makes, "in English", "The person adds:\nmind the dates"} {
				if !strings.Contains(prompt, part) {
					t.Errorf("the prompt says nothing of %q:\n%s", part, prompt)
				}
			}
			for _, op := range plan.Operations[:len(plan.Operations)-1] {
				if !strings.Contains(prompt, op.Out) {
					t.Errorf("the prompt says nothing of %s", op.Out)
				}
			}
			if fmt.Sprint(tree(t, dir)) != fmt.Sprint(before) {
				t.Fatal("planning made something")
			}

			if info.AI.Only {
				if _, err := ch.Plan(t.Context(), b.env); code(err) != problem.CodeNoModel {
					t.Errorf("without an AI: %v", err)
				}
				return
			}
			if out, err := aided.RunBase(t.Context(), b.env, plan); err != nil || len(out.Results) == 0 {
				t.Fatalf("%+v, %v", out, err)
			}
			if got := begins(before, tree(t, dir)); !strings.HasPrefix(got, want.base) {
				t.Errorf("there is\n%s\nwant\n%s", got, want.base)
			}
			plan, err = ch.Plan(t.Context(), b.env)
			if err != nil || slices.ContainsFunc(plan.Operations, func(op chore.Operation) bool { return op.Op == chore.OpAI }) {
				t.Fatalf("without an AI: %+v, %v", plan, err)
			}
			out, err := ch.Run(t.Context(), b.env, plan)
			if err != nil || len(out.Problems) != 1 || out.Problems[0].Code != problem.CodeAIWouldAdd || out.Problems[0].Cause != name {
				t.Errorf("without an AI: %+v, %v", out, err)
			}
			plan.Chore = "extract-text"
			if _, err := ch.Run(t.Context(), b.env, plan); err == nil {
				t.Error("the plan of another chore is taken")
			}
		})
	}
}

// With nothing for the part without an AI there may be something for the AI; with
// nothing for either, that is said.
func TestAidedWithoutABase(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, june, map[string]string{"b.md": "call Ann"})
	ch, b := makeBench(t, "summarise-notes", dir, map[string]any{"language": "de"})
	plan, err := ch.(chore.Aided).PlanAI(t.Context(), b.env)
	if err != nil || len(plan.Operations) != 1 || plan.Operations[0].Op != chore.OpAI {
		t.Errorf("%+v, %v", plan, err)
	}
	if prompt := ch.(chore.Aided).Prompt(b.env.Folders, plan, ""); !strings.Contains(prompt, "in German") || strings.Contains(prompt, "adds") {
		t.Errorf("%s", prompt)
	}
	if out, err := ch.(chore.Aided).RunBase(t.Context(), b.env, plan); err != nil || len(out.Results) != 0 {
		t.Errorf("%+v, %v", out, err)
	}
	ch, b = makeBench(t, "rename-photos", dir, nil)
	if _, err := ch.(chore.Aided).PlanAI(t.Context(), b.env); code(err) != problem.CodeNoFiles {
		t.Errorf("nothing to look at: %v", err)
	}
}
