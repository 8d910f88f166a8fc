package chore_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"piwork/app/chore"
	"piwork/app/problem"
	"piwork/vmhost"
	"piwork/vmhost/share/guard"
	"piwork/vmhost/wire"
)

// zipped is a ZIP of files with their contents.
func zipped(t *testing.T, files ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		f, err := w.Create(files[i])
		if err == nil {
			_, err = f.Write([]byte(files[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// What is left out of an archive is said once each, by its name and with the reason.
func TestRefusedEntryIsNamedWithItsReason(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, june, map[string]string{"a.zip": zipped(t, "ok.txt", "x", "../../evil.txt", "x", "/etc/evil", "x", strings.Repeat("n", 300), "x")})
	ch, b := makeBench(t, "unpack-archives", dir, nil)
	plan := mustMakePlan(t, ch, b)
	out, err := ch.Run(t.Context(), b.env, plan)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range out.Problems {
		got = append(got, fmt.Sprintf("%s %s %.15s", p.Code, p.Cause, p.Params["entry"]))
	}
	want := []string{"entry-left-out outside ../../evil.txt", "entry-left-out outside /etc/evil", "entry-left-out name nnnnnnnnnnnnnnn"}
	if !slices.Equal(got, want) {
		t.Errorf("left out %q, want %q", got, want)
	}
	if m := plan.Operations[0].Makes; m == nil || m.Files != 1 || m.Bytes != 1 {
		t.Errorf("the plan says %+v", m)
	}
	if got := plan.Writes(); got != 1+guard.NameBytes {
		t.Errorf("as a guard counts it writes %d", got)
	}
}

// A file that grows a thousandfold is unpacked after a yes to this, and to the plan
// alone it is not.
func TestArchiveThatGrowsIsAskedAbout(t *testing.T) {
	var grows bytes.Buffer
	w := gzip.NewWriter(&grows)
	if _, err := w.Write(make([]byte, 4<<20)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		ask      func(context.Context, vmhost.Question) (bool, error)
		also     bool // another archive, which does not grow
		made     int
		problems []string
		code     string
	}{
		"yes":             {ask: func(context.Context, vmhost.Question) (bool, error) { return true, nil }, also: true, made: 2},
		"no":              {ask: func(context.Context, vmhost.Question) (bool, error) { return false, nil }, also: true, made: 1, problems: []string{problem.CodeNotUnpacked}},
		"nobody there":    {also: true, made: 1, problems: []string{problem.CodeNotUnpacked}},
		"no, and no more": {ask: func(context.Context, vmhost.Question) (bool, error) { return false, nil }, problems: []string{problem.CodeNotUnpacked}, code: problem.CodeDenied},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			files := map[string]string{"zeros.gz": grows.String()}
			if tt.also {
				files["a.zip"] = zipped(t, "ok.txt", "x")
			}
			put(t, dir, june, files)
			ch, b := makeBench(t, "unpack-archives", dir, nil)
			plan := mustMakePlan(t, ch, b)
			last := plan.Operations[len(plan.Operations)-1]
			if m := last.Makes; !last.Grows() || m.Bytes != 4<<20 || m.Times < 1000 {
				t.Errorf("the plan says %+v", m)
			}
			var asked []vmhost.Question
			if tt.ask != nil {
				b.env.Ask = func(ctx context.Context, q vmhost.Question) (bool, error) {
					asked = append(asked, q)
					return tt.ask(ctx, q)
				}
			}
			out, err := ch.Run(t.Context(), b.env, plan)
			if err != nil && code(err) != tt.code || (err == nil) != (tt.code == "") || len(out.Results) != tt.made || !slices.Equal(problemCodes(out.Problems), tt.problems) {
				t.Errorf("%+v, %v", out, err)
			}
			if tt.ask != nil && (len(asked) != 1 || asked[0].Kind != vmhost.AskUnpack || !slices.Equal(asked[0].Items, []string{"zeros.gz"}) || asked[0].Text.Params["bytes"] != int64(4<<20)) {
				t.Errorf("asked %+v", asked)
			}
		})
	}
}

// Files of an archive that an answer has no room for are told of.
func TestUnpackMoreThanListed(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, june, map[string]string{"a.zip": archive(t, ".zip", "y.txt")})
	ch, b := makeBench(t, "unpack-archives", dir, nil)
	plan, err := ch.Plan(t.Context(), b.env)
	if err != nil {
		t.Fatal(err)
	}
	b.rt.Before = func(_ context.Context, p wire.ToolParams) (*wire.ToolResult, error) {
		if p.Op != "archive.extract" {
			return nil, nil
		}
		return &wire.ToolResult{
			ID: p.ID, Out: []wire.ToolFile{{Path: p.Out + "/y.txt", SHA256: strings.Repeat("0", 64)}},
			Info: []any{map[string]any{"files": 5001, "listed": 1}},
		}, nil
	}
	out, err := ch.Run(t.Context(), b.env, plan)
	if err != nil || len(out.Results) != 1 || len(out.Problems) != 1 || out.Problems[0].Code != problem.CodeNotListed || out.Problems[0].Params["count"] != 5000 {
		t.Errorf("%+v, %v", out, err)
	}
}

// What a plan writes counts the names of all that it makes, and what a guest says of an archive
// makes no small number of it.
func TestPlanWrites(t *testing.T) {
	plan := chore.Plan{Operations: []chore.Operation{
		{Op: "convert", In: []chore.Input{{Path: "/a", SHA256: "x", Size: 10}}, Out: "/a.pdf", Effect: chore.EffectCreate},
		{Op: "unpack", Out: "/b", Makes: &chore.Makes{Files: 3, Bytes: 5}, Effect: chore.EffectCreate},
		{Op: "remove", Out: "/c", Effect: chore.EffectDelete},
	}}
	if got := plan.Writes(); got != 15+4*guard.NameBytes {
		t.Errorf("it writes %d", got)
	}
	plan.Operations[1].Makes.Files = math.MaxInt
	if got := plan.Writes(); got < math.MaxInt/2 {
		t.Errorf("it writes %d", got)
	}
}
