package chore_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"piwork/app/chore"
	"piwork/app/chore/choretest"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/vmhost"
	"piwork/vmhost/wire"
)

func sum(content string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(content))) }

// manyPictures makes many small pictures.
func manyPictures(t *testing.T, n int) map[string]string {
	t.Helper()
	files := map[string]string{}
	for i := range n {
		files[fmt.Sprintf("IMG_%04d.png", i)] = string(picture(t, 2*i+1))
	}
	return files
}

// mustMakePlan plans, and has something to do.
func mustMakePlan(t *testing.T, ch chore.Chore, b *bench) chore.Plan {
	t.Helper()
	plan, err := ch.Plan(t.Context(), b.env)
	if err != nil || len(plan.Operations) == 0 {
		t.Fatalf("%+v, %v", plan, err)
	}
	return plan
}

// made is what a journal says of a folder: files by their path in the guest.
func made(t *testing.T, dir string, before map[string]string) func(context.Context) (map[string]string, error) {
	return func(context.Context) (map[string]string, error) {
		out := map[string]string{}
		for name, content := range tree(t, dir) {
			if _, ok := before[name]; !ok && !strings.HasSuffix(name, "/") {
				out["/folders/Fotos ä/"+name] = sum(content)
			}
		}
		return out, nil
	}
}

// A run that was interrupted at any call is finished by another: nothing is made
// twice, nothing half is ever there.
func TestMakingResumes(t *testing.T) {
	pdf := func(pages ...string) string { return string(choretest.PDF("", pages...)) }
	inFolders := map[string]string{}
	for name, content := range manyPictures(t, 6) { // each folder is a call of its own
		inFolders[name[7:8]+"/"+name] = content
	}
	for name, files := range map[string]map[string]string{
		"convert-pictures": inFolders,
		"split-pdf":        {"a.pdf": pdf("1", "2"), "b.pdf": pdf("1", "2"), "c.pdf": pdf("1", "2")},
		"searchable-scans": {"a.pdf": pdf("1"), "b.pdf": pdf("2")},
		"merge-pdf":        {"a.pdf": pdf("1"), "b.pdf": pdf("2")},
	} {
		t.Run(name, func(t *testing.T) {
			whole, params := t.TempDir(), map[string]any{"recursive": true}
			put(t, whole, june, files)
			ch, b := makeBench(t, name, whole, params)
			plan := mustMakePlan(t, ch, b)
			planned := len(b.rt.Ops())
			if _, err := ch.Run(t.Context(), b.env, plan); err != nil {
				t.Fatal(err)
			}
			want, calls := tree(t, whole), len(b.rt.Ops())-planned
			for stop := range calls {
				for _, after := range []bool{false, true} {
					dir := t.TempDir()
					put(t, dir, june, files)
					before := tree(t, dir)
					ch, b := makeBench(t, name, dir, params)
					plan := mustMakePlan(t, ch, b)
					cut, n, makes := errors.New("power cut"), 0, map[string]int{}
					b.rt.Before = func(_ context.Context, p wire.ToolParams) (*wire.ToolResult, error) {
						if n++; n == stop+1 && !after {
							return nil, cut
						}
						return nil, nil
					}
					b.rt.After = func(p wire.ToolParams) error {
						if p.Out != "" {
							makes[p.ID+p.Op+p.Out]++
						}
						if n == stop+1 && after {
							return cut
						}
						return nil
					}
					if _, err := ch.Run(t.Context(), b.env, plan); !errors.Is(err, cut) {
						t.Fatalf("call %d: %v", stop, err)
					}
					for p, content := range tree(t, dir) {
						if want[p] != content {
							t.Fatalf("call %d: %q is half", stop, p)
						}
					}
					b.rt.Before, b.rt.After = nil, nil
					b.env.Made = made(t, dir, before)
					out, err := ch.Run(t.Context(), b.env, plan)
					if err != nil || len(out.Problems) > 0 || len(out.Results) != len(filesOf(want))-len(filesOf(files)) {
						t.Fatalf("call %d: %d results, %+v, %v", stop, len(out.Results), out.Problems, err)
					}
					if now := tree(t, dir); fmt.Sprint(now) != fmt.Sprint(want) {
						t.Errorf("call %d: there is %v", stop, now)
					}
					if last := b.progress[len(b.progress)-1]; last.Done != last.Total {
						t.Errorf("progress ends with %+v", last)
					}
				}
			}
		})
	}
}

// filesOf are the files of a tree.
func filesOf(all map[string]string) (out []string) {
	for name := range all {
		if !strings.HasSuffix(name, "/") {
			out = append(out, name)
		}
	}
	return out
}

// Who puts something where a result belongs keeps it.
func TestMakingReplacesNothing(t *testing.T) {
	pdf := func(pages ...string) string { return string(choretest.PDF("", pages...)) }
	for name, c := range map[string]struct{ out, other string }{
		"merge-pdf":        {"Merged.pdf", ""},
		"split-pdf":        {"a/", ""},
		"compress-pdf":     {"Smaller PDFs/a.pdf", "Smaller PDFs/b.pdf"},
		"searchable-scans": {"Searchable/a.pdf", "Searchable/b.pdf"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			put(t, dir, june, map[string]string{"a.pdf": pdf("1", "2") + "\n", "b.pdf": pdf("3", "4") + "\n"})
			ch, b := makeBench(t, name, dir, nil)
			plan := mustMakePlan(t, ch, b)
			theirs := c.out
			if strings.HasSuffix(theirs, "/") {
				theirs += "their file"
			}
			put(t, dir, june, map[string]string{theirs: "theirs"})
			// Somebody else's file was not made by an earlier run, either.
			b.env.Made = func(context.Context) (map[string]string, error) {
				return map[string]string{"/folders/Fotos ä/" + theirs: sum("ours")}, nil
			}
			out, err := ch.Run(t.Context(), b.env, plan)
			codes := problemCodes(out.Problems)
			if err != nil {
				codes = append(codes, code(err))
			}
			if !slices.Contains(codes, problem.CodeOutputExists) {
				t.Errorf("%+v, %v", out, err)
			}
			now := tree(t, dir)
			if now[theirs] != "theirs" {
				t.Errorf("%q was replaced", theirs)
			}
			if c.other != "" && now[c.other] == "" {
				t.Error("the rest was not done")
			}
			if name == "split-pdf" && now["a/a 1.pdf"] != "" {
				t.Error("a part went into somebody's folder")
			}
		})
	}
}

// An input that changed since the plan is a conflict, and nothing is made.
func TestMakingChanged(t *testing.T) {
	for _, name := range []string{"convert-pictures", "strip-metadata"} {
		for how, spoil := range map[string]func(p string) error{
			"content": func(p string) error { return os.WriteFile(p, []byte("else"), 0o644) },
			"gone":    os.Remove,
			"a folder": func(p string) error {
				return errors.Join(os.Remove(p), os.Mkdir(p, 0o755))
			},
		} {
			t.Run(name+" "+how, func(t *testing.T) {
				dir := t.TempDir()
				put(t, dir, june, manyPictures(t, 3))
				ch, b := makeBench(t, name, dir, nil)
				plan := mustMakePlan(t, ch, b)
				if err := spoil(filepath.Join(dir, "IMG_0001.png")); err != nil {
					t.Fatal(err)
				}
				before := tree(t, dir)
				out, err := ch.Run(t.Context(), b.env, plan)
				if code(err) != problem.CodeChangedSince || len(out.Results) > 0 {
					t.Errorf("%+v, %v", out, err)
				}
				if now := tree(t, dir); fmt.Sprint(now) != fmt.Sprint(before) {
					t.Errorf("something was made: %v", now)
				}
			})
		}
	}
}

// What a guest says it made is not believed: only what was planned is a result.
func TestMakingLies(t *testing.T) {
	const in = "/folders/Fotos ä/"
	file := func(p string) wire.ToolFile { return wire.ToolFile{Path: p, Size: 1, SHA256: strings.Repeat("0", 64)} }
	for name, c := range map[string]struct {
		chore string
		lie   wire.ToolResult
	}{
		"another file":      {"compress-pdf", wire.ToolResult{Out: []wire.ToolFile{file(in + "Smaller PDFs/x.pdf")}}},
		"an input":          {"compress-pdf", wire.ToolResult{Out: []wire.ToolFile{file(in + "a.pdf")}}},
		"outside":           {"compress-pdf", wire.ToolResult{Out: []wire.ToolFile{file("/etc/passwd")}}},
		"twice":             {"compress-pdf", wire.ToolResult{Out: []wire.ToolFile{file(in + "Smaller PDFs/a.pdf"), file(in + "Smaller PDFs/a.pdf")}}},
		"one more":          {"compress-pdf", wire.ToolResult{Out: []wire.ToolFile{file(in + "Smaller PDFs/a.pdf"), file(in + "b")}}},
		"info of no shape":  {"compress-pdf", wire.ToolResult{Info: []any{"a.pdf"}}},
		"another of one":    {"merge-pdf", wire.ToolResult{Out: []wire.ToolFile{file(in + "a.pdf")}}},
		"two of one":        {"merge-pdf", wire.ToolResult{Out: []wire.ToolFile{file(in + "Merged.pdf"), file(in + "x")}}},
		"beside the folder": {"split-pdf", wire.ToolResult{Out: []wire.ToolFile{file(in + "ab/x.pdf")}}},
		"out of the folder": {"split-pdf", wire.ToolResult{Out: []wire.ToolFile{file(in + "a/../../../etc/x")}}},
		"the folder itself": {"split-pdf", wire.ToolResult{Out: []wire.ToolFile{file(in + "a")}}},
		"no UTF-8":          {"split-pdf", wire.ToolResult{Out: []wire.ToolFile{file(in + "a/\xff")}}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			put(t, dir, june, map[string]string{"a.pdf": string(choretest.PDF("", "1", "2"))})
			ch, b := makeBench(t, c.chore, dir, nil)
			plan := mustMakePlan(t, ch, b)
			b.rt.Before = func(_ context.Context, p wire.ToolParams) (*wire.ToolResult, error) {
				if p.Out == "" {
					return nil, nil
				}
				return &c.lie, nil
			}
			if out, err := ch.Run(t.Context(), b.env, plan); err == nil {
				t.Errorf("believed: %+v", out)
			}
		})
	}
	for name, lie := range map[string]wire.ToolResult{
		"no hash":     {Info: []any{map[string]any{"path": in + "a.pdf", "sha256": "", "pages": 2, "size": 1}}},
		"a long hash": {Info: []any{map[string]any{"path": in + "a.pdf", "sha256": strings.Repeat("a", 65), "size": 1}}},
		"less than 0": {Info: []any{map[string]any{"path": in + "a.pdf", "sha256": strings.Repeat("a", 64), "size": -1}}},
		"other types": {Info: []any{map[string]any{"path": in + "a.pdf", "pages": "two"}}},
	} {
		t.Run("plan: "+name, func(t *testing.T) {
			dir := t.TempDir()
			put(t, dir, june, map[string]string{"a.pdf": string(choretest.PDF("", "1", "2"))})
			ch, b := makeBench(t, "merge-pdf", dir, nil)
			b.rt.Before = func(context.Context, wire.ToolParams) (*wire.ToolResult, error) { return &lie, nil }
			if plan, err := ch.Plan(t.Context(), b.env); err == nil {
				t.Errorf("planned %+v", plan.Operations)
			}
		})
	}
	t.Run("silence is a problem of each", func(t *testing.T) {
		dir := t.TempDir()
		put(t, dir, june, map[string]string{"a.pdf": string(choretest.PDF("", "1")), "b.pdf": string(choretest.PDF("", "2"))})
		ch, b := makeBench(t, "compress-pdf", dir, nil)
		plan := mustMakePlan(t, ch, b)
		b.rt.Before = func(_ context.Context, p wire.ToolParams) (*wire.ToolResult, error) {
			if p.Out == "" {
				return nil, nil
			}
			return &wire.ToolResult{}, nil
		}
		if out, err := ch.Run(t.Context(), b.env, plan); code(err) != problem.CodeNothingLeft || len(out.Problems) != 2 {
			t.Errorf("%+v, %v", out, err)
		}
	})
}

// A full answer names the last input it is about; the rest is asked for again.
func TestMakingInParts(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, june, manyPictures(t, 7))
	ch, b := makeBench(t, "convert-pictures", dir, nil)
	part := func(p wire.ToolParams) *wire.ToolResult {
		if len(p.In) < 3 {
			return nil
		}
		first := p
		first.In = p.In[:2]
		if names, ok := p.Params["names"].([]string); ok {
			params := map[string]any{}
			for k, v := range p.Params {
				params[k] = v
			}
			params["names"] = names[:2]
			first.Params = params
		}
		b.rt.Before = nil
		obs, err := b.rt.Execute(t.Context(), vmhost.Action{Tool: &first})
		if err != nil {
			t.Fatal(err)
		}
		obs.Tool.Problems = append(obs.Tool.Problems, wire.ToolProblem{Code: "more-results", Path: p.In[1]})
		return obs.Tool
	}
	var before func(context.Context, wire.ToolParams) (*wire.ToolResult, error)
	before = func(_ context.Context, p wire.ToolParams) (*wire.ToolResult, error) {
		r := part(p)
		b.rt.Before = before
		return r, nil
	}
	b.rt.Before = before
	plan := mustMakePlan(t, ch, b)
	if len(plan.Operations) != 7 || len(plan.Skipped) > 0 {
		t.Fatalf("%+v", plan)
	}
	out, err := ch.Run(t.Context(), b.env, plan)
	if err != nil || len(out.Problems) > 0 || len(out.Results) != 7 {
		t.Errorf("%+v, %v", out, err)
	}
}

// Names as people have them, and links.
func TestMakingAwkwardNames(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no file names with these characters")
	}
	dir := t.TempDir()
	names := []string{"-rf.png", "--.png", "a\nb.png", "it's \"x\".png", "$(x).png", "a.b.png", "ä.png", "a\u0308.png", "🎉.png", strings.Repeat("x", 250) + ".png"}
	files := map[string]string{}
	for i, n := range names {
		files[n] = string(picture(t, 2*i+1))
	}
	put(t, dir, june, files)
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "link.png")); err != nil {
		t.Fatal(err)
	}
	ch, b := makeBench(t, "convert-pictures", dir, nil)
	plan := mustMakePlan(t, ch, b)
	if got := problemCodes(plan.Skipped); !slices.Equal(got, []string{problem.CodeInputLink}) {
		t.Errorf("%q", got)
	}
	out, err := ch.Run(t.Context(), b.env, plan)
	if err != nil || len(out.Problems) > 0 || len(out.Results) != len(names) {
		t.Errorf("%+v, %v", out, err)
	}
	now := tree(t, dir)
	for _, op := range plan.Operations {
		if _, ok := now[strings.TrimPrefix(op.Out, "/folders/Fotos ä/")]; !ok {
			t.Errorf("there is no %q", op.Out)
		}
	}
}

// A plan that is not one of the chore is refused before anything is looked at.
func TestMakingOtherPlans(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, june, manyPictures(t, 2))
	ch, b := makeBench(t, "convert-pictures", dir, nil)
	good := mustMakePlan(t, ch, b)
	asked := len(b.rt.Ops())
	for name, spoil := range map[string]func(p *chore.Plan){
		"version":      func(p *chore.Plan) { p.V = 2 },
		"chore":        func(p *chore.Plan) { p.Chore = "merge-pdf" },
		"empty":        func(p *chore.Plan) { p.Operations = nil },
		"operation":    func(p *chore.Plan) { p.Operations[0].Op = "file.remove" },
		"effect":       func(p *chore.Plan) { p.Operations[0].Effect = chore.EffectDelete },
		"no input":     func(p *chore.Plan) { p.Operations[0].In = nil },
		"two inputs":   func(p *chore.Plan) { p.Operations[0].In = append(p.Operations[0].In, p.Operations[0].In...) },
		"no hash":      func(p *chore.Plan) { p.Operations[0].In[0].SHA256 = "" },
		"same results": func(p *chore.Plan) { p.Operations[0].Out = p.Operations[1].Out },
		"outside":      func(p *chore.Plan) { p.Operations[0].Out = "/folders/Other/x.jpg" },
		"hidden":       func(p *chore.Plan) { p.Operations[0].Out = "/folders/Fotos ä/.x.jpg" },
		"dots":         func(p *chore.Plan) { p.Operations[0].Out = "/folders/Fotos ä/../x.jpg" },
	} {
		p := good
		p.Operations = nil
		for _, op := range good.Operations {
			op.In = slices.Clone(op.In)
			p.Operations = append(p.Operations, op)
		}
		spoil(&p)
		if _, err := ch.Run(t.Context(), b.env, p); err == nil {
			t.Errorf("%s: done", name)
		}
	}
	if n := len(b.rt.Ops()); n != asked {
		t.Errorf("%d operations", n-asked)
	}
}

// Cancelling ends between two inputs, and what is made is whole.
func TestMakingCancelled(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, june, manyPictures(t, 50))
	ch, b := makeBench(t, "convert-pictures", dir, nil)
	plan := mustMakePlan(t, ch, b)
	ctx, cancel := context.WithCancel(t.Context())
	b.env.Progress = func(p task.ProgressData) {
		if p.Done == 1 {
			cancel()
		}
	}
	if _, err := ch.Run(ctx, b.env, plan); !errors.Is(err, context.Canceled) && code(err) != problem.CodeCancelled {
		t.Errorf("%v", err)
	}
	now := tree(t, dir)
	if n := len(filesOf(now)) - 50; n < 1 || n > 49 {
		t.Errorf("%d were made", n)
	}
	for name, content := range now {
		if strings.HasSuffix(name, ".part") || strings.HasSuffix(name, ".jpg") && !strings.HasPrefix(content, "jpeg of ") {
			t.Errorf("%q is half", name)
		}
	}
}

// Thousands of files go in batches, and what is asked for is bounded.
func TestMakingManyFiles(t *testing.T) {
	dir := t.TempDir()
	const n = 250
	files := map[string]string{}
	for i := range n {
		files[fmt.Sprintf("%s %05d.csv", strings.Repeat("long name ", 5), i)] = fmt.Sprintf("A\n%d\n", i)
	}
	put(t, dir, june, files)
	ch, b := makeBench(t, "clean-table", dir, nil)
	plan := mustMakePlan(t, ch, b)
	out, err := ch.Run(t.Context(), b.env, plan)
	if err != nil || len(out.Problems) > 0 || len(out.Results) != n {
		t.Fatalf("%d results, %d problems, %v", len(out.Results), len(out.Problems), err)
	}
	for _, p := range b.rt.Ops() {
		if len(p.In) > 100 {
			t.Fatalf("%d inputs in one call", len(p.In))
		}
	}
	for i, r := range out.Results {
		if r.Path != "Clean tables/"+filepath.Base(plan.Operations[i].In[0].Path) {
			t.Fatalf("%q is result %d", r.Path, i)
		}
	}
}
