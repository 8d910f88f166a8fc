package chore_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"piwork/app/chore"
	"piwork/app/chore/choretest"
	"piwork/app/problem"
	"piwork/vmhost/wire"
)

func TestExtractText(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, june, map[string]string{
		"a.pdf": string(choretest.PDF("", "Ein langer Satz")), "b.rtf": `{\rtf1 K\'f6ln\par}`, "-c.html": "<p>Kopf<script>x</script>",
		"cut.rtf": `{\rtf1 half`, "note.txt": "plain already", "sub/d.htm": "<p>tief",
	})
	ch, b := makeBench(t, "extract-text", dir, map[string]any{"recursive": true})
	before := tree(t, dir)
	plan, err := ch.Plan(t.Context(), b.env)
	if err != nil || len(plan.Operations) != 5 || plan.Limits.WallMS == 0 {
		t.Fatalf("%+v, %v", plan, err)
	}
	out, err := ch.Run(t.Context(), b.env, plan)
	if err != nil || fmt.Sprint(problemCodes(out.Problems)) != "[input-broken]" || len(out.Results) != 4 {
		t.Fatalf("%+v, %v", out, err)
	}
	want := "Text/\nText/-c.txt Kopf/\nText/a.txt Ein langer Satz/\nText/b.txt Köln/\nText/sub/\nText/sub/d.txt tief/"
	if got := begins(before, tree(t, dir)); got != want {
		t.Errorf("there is\n%s\nwant\n%s", got, want)
	}
}

func TestReceiptsToTable(t *testing.T) {
	dir := t.TempDir()
	receipt := func(name, day, total string) string {
		return string(choretest.PDF("", name+" GmbH", "Rechnungsdatum "+day, "Gesamtbetrag "+total+" EUR"))
	}
	put(t, dir, june, map[string]string{
		"unsure.pdf": string(choretest.PDF("", "Kassenbon", "Summe 3,50")),
		"2.pdf":      receipt("Zwei", "02.03.2024", "1.234,56"), "10.pdf": receipt("Zehn", "10.03.2024", "7,00"),
		"Receipts.csv": "mine", "locked.pdf": string(choretest.PDF("pw", "x")),
	})
	ch, b := makeBench(t, "receipts-to-table", dir, nil)
	before := tree(t, dir)
	plan, err := ch.Plan(t.Context(), b.env)
	if err != nil || len(plan.Operations) != 1 || len(plan.Operations[0].In) != 4 {
		t.Fatalf("%+v, %v", plan, err)
	}
	out, err := ch.Run(t.Context(), b.env, plan)
	if err != nil || fmt.Sprint(problemCodes(out.Problems)) != "[input-locked receipt-unsure]" || len(out.Results) != 1 {
		t.Fatalf("%+v, %v", out, err)
	}
	if p := out.Problems[1]; p.Severity != problem.Warning || p.Params["name"] != "unsure.pdf" || p.Params["confidence"].(int) > 60 || fmt.Sprint(p.Params["unsure"]) != "[date seller currency]" {
		t.Errorf("what is not sure: %+v", p)
	}
	after := tree(t, dir)
	rows := strings.Split(strings.TrimSpace(after["Receipts (2).csv"]), "\n")
	if len(rows) != 4 || !strings.HasPrefix(rows[0], "Date,Seller,Total,") || !strings.HasPrefix(rows[1], "2024-03-02,Zwei GmbH,1234.56,,EUR,,2.pdf,0.9") || !strings.HasPrefix(rows[2], "2024-03-10,Zehn GmbH,7.00,") {
		t.Errorf("%q", rows)
	}
	for name, content := range before {
		if after[name] != content {
			t.Errorf("%q was changed", name)
		}
	}
	// What changed meanwhile is not read.
	if plan, err = ch.Plan(t.Context(), b.env); err != nil {
		t.Fatal(err)
	}
	put(t, dir, june.Add(time.Hour), map[string]string{"2.pdf": receipt("Drei", "02.03.2024", "1,00")})
	if _, err := ch.Run(t.Context(), b.env, plan); code(err) != problem.CodeChangedSince {
		t.Errorf("a changed receipt: %v", err)
	}
}

func TestFolderReport(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, june, map[string]string{"a.jpg": strings.Repeat("x", 2000), "sub/b.txt": "text", "none/": "", "Report.html": "mine"})
	ch, b := makeBench(t, "folder-report", dir, nil)
	plan, err := ch.Plan(t.Context(), b.env)
	if err != nil || len(plan.Operations) != 1 || len(plan.Operations[0].In) != 1 || plan.Operations[0].Effect != chore.EffectCreate || plan.Limits.WallMS == 0 {
		t.Fatalf("%+v, %v", plan, err)
	}
	if len(tree(t, dir)) != 5 {
		t.Fatal("planning made something")
	}
	out, err := ch.Run(t.Context(), b.env, plan)
	if err != nil || len(out.Problems) != 0 || len(out.Results) != 1 || out.Results[0].Path != "Report (2).html" {
		t.Fatalf("%+v, %v", out, err)
	}
	after := tree(t, dir)
	if page := after["Report (2).html"]; !strings.Contains(page, "3 files in 2 folders, 2.0 kB") || !strings.Contains(page, "sub/b.txt") || after["Report.html"] != "mine" {
		t.Errorf("the report:\n%s", page)
	}
	if last := b.progress[len(b.progress)-1]; last.Done != 1 || last.Total != 1 {
		t.Errorf("progress ends with %+v", last)
	}

	// Interrupted after the report was there: it stays.
	made := map[string]string{plan.Operations[0].Out: out.Results[0].SHA256}
	b.env.Made = func(context.Context) (map[string]string, error) { return made, nil }
	b.rt.Before = func(_ context.Context, p wire.ToolParams) (*wire.ToolResult, error) {
		if p.Op == "file.report" {
			t.Error("made again")
		}
		return nil, nil
	}
	again, err := ch.Run(t.Context(), b.env, plan)
	if err != nil || !slices.Equal(again.Results, out.Results) {
		t.Errorf("%+v, %v", again, err)
	}
	b.rt.Before, b.env.Made = nil, nil
	if _, err := ch.Run(t.Context(), b.env, plan); code(err) != problem.CodeOutputExists {
		t.Errorf("where something is: %v", err)
	}

	for name, spoil := range map[string]func(*chore.Plan){
		"another folder": func(p *chore.Plan) { p.Operations[0].In[0].Path = "/folders/other" },
		"elsewhere":      func(p *chore.Plan) { p.Operations[0].Out = "/folders/other/Report.html" },
		"hidden":         func(p *chore.Plan) { p.Operations[0].Out = p.Operations[0].In[0].Path + "/.r.html" },
		"another work":   func(p *chore.Plan) { p.Operations[0].Op = "file.remove" },
	} {
		bad := plan
		bad.Operations = slices.Clone(plan.Operations)
		bad.Operations[0].In = slices.Clone(plan.Operations[0].In)
		spoil(&bad)
		if _, err := ch.Run(t.Context(), b.env, bad); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	if err := os.Remove(filepath.Join(dir, "a.jpg")); err != nil {
		t.Fatal(err)
	}
	for params, want := range map[string]string{"name=../x": problem.CodeBadRequest, "name=": problem.CodeBadRequest, "format=md": ""} {
		k, v, _ := strings.Cut(params, "=")
		ch, b := makeBench(t, "folder-report", dir, map[string]any{k: v})
		if _, err := ch.Plan(t.Context(), b.env); (err != nil) != (want != "") || err != nil && code(err) != want {
			t.Errorf("%s: %v, want %q", params, err, want)
		}
	}
}
