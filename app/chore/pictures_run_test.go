package chore_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"piwork/app/chore"
	"piwork/app/chore/choretest"
	"piwork/app/problem"
	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// An input that changes between being hashed again and being converted is a
// conflict too: the operation says what it read.
func TestChangedWhileConverting(t *testing.T) {
	dir := folder(t, "1.jpg", "2.jpg")
	b := newBench(t, dir, nil)
	p := b.mustPlan(t)
	b.rt.Before = func(_ context.Context, tp wire.ToolParams) (*wire.ToolResult, error) {
		if tp.Op == "image.convert" {
			return nil, os.WriteFile(filepath.Join(dir, "2.jpg"), picture(t, 99), 0o644)
		}
		return nil, nil
	}
	if out, err := b.run(t.Context(), p); code(err) != problem.CodeChangedSince || len(out.Results) != 0 {
		t.Errorf("%+v, %v", out, err)
	}
	if slices.Contains(files(t, dir), "Pictures.pdf") {
		t.Error("something was made")
	}
}

// photos are the names of as many pictures.
func photos(n int) (names []string) {
	for i := range n {
		names = append(names, fmt.Sprintf("img%d.jpg", i))
	}
	return names
}

// A part that cannot be merged is a problem of its pictures; the rest is done.
func TestMergeLosesAPart(t *testing.T) {
	dir := folder(t, photos(130)...)
	b := newBench(t, dir, nil)
	p := b.mustPlan(t)
	b.rt.Before = func(_ context.Context, tp wire.ToolParams) (*wire.ToolResult, error) {
		if tp.Op == "pdf.merge" {
			return nil, os.WriteFile(filepath.Join(b.rt.Work, "out/part-0002.pdf"), []byte("x"), 0o600)
		}
		return nil, nil
	}
	out, err := b.run(t.Context(), p)
	if err != nil || len(out.Results) != 1 || len(out.Problems) != 30 || out.Problems[0].Params["name"] != "img100.jpg" {
		t.Errorf("%d problems, %+v, %v", len(out.Problems), out.Results, err)
	}
}

// An input that is not as the plan saw it is a conflict, and nothing is made.
func TestChangedInputs(t *testing.T) {
	for name, spoil := range map[string]func(file string) error{
		"other content": func(f string) error { return os.WriteFile(f, []byte("else"), 0o644) },
		"one more byte": func(f string) error {
			data, err := os.ReadFile(f)
			return errors.Join(err, os.WriteFile(f, append(data, 0), 0o644))
		},
		"gone": os.Remove,
	} {
		t.Run(name, func(t *testing.T) {
			dir := folder(t, "1.jpg", "2.jpg")
			b := newBench(t, dir, nil)
			p := b.mustPlan(t)
			if err := spoil(filepath.Join(dir, "2.jpg")); err != nil {
				t.Fatal(err)
			}
			_, err := b.run(t.Context(), p)
			var pr *problem.Problem
			if !errors.As(err, &pr) || pr.Code != problem.CodeChangedSince || problem.ClassOf(pr.Code).ExitCode() != 6 {
				t.Fatalf("%v", err)
			}
			if pr.Params["count"] != 1 || fmt.Sprint(pr.Params["paths"]) != "[/folders/Fotos ä/2.jpg]" {
				t.Errorf("%+v", pr)
			}
			if slices.Contains(files(t, dir), "Pictures.pdf") {
				t.Error("something was made")
			}
		})
	}
}

func TestManyPicturesInBatches(t *testing.T) {
	dir := folder(t, photos(230)...)
	b := newBench(t, dir, nil)
	p := b.mustPlan(t)
	b.progress = nil
	out, err := b.run(t.Context(), p)
	if err != nil || len(out.Results) != 1 {
		t.Fatalf("%+v, %v", out, err)
	}
	pdf, err := os.ReadFile(filepath.Join(dir, "Pictures.pdf"))
	if err != nil || !slices.Equal(choretest.Pages(pdf), photos(230)) {
		t.Errorf("%q, %v", choretest.Pages(pdf), err)
	}
	var converts, merges int
	for _, op := range b.rt.Ops() {
		switch op.Op {
		case "image.convert":
			converts++
			if !strings.HasPrefix(op.Out, "/work/") {
				t.Errorf("a part goes to %s", op.Out)
			}
		case "pdf.merge":
			merges++
		}
	}
	if converts != 3 || merges != 1 {
		t.Errorf("%d conversions, %d merges", converts, merges)
	}
	last := int64(-1)
	for _, g := range b.progress {
		if g.Total != 230 || g.Done < last || g.Done > 230 {
			t.Errorf("progress %+v after %d", g, last)
		}
		last = g.Done
	}
	if last != 230 || len(b.progress) < 230 {
		t.Errorf("%d reports of progress, the last is %d", len(b.progress), last)
	}
}

// Pictures that cannot be converted are listed; the rest is done.
func TestConversionFailsForSome(t *testing.T) {
	for _, n := range []int{3, 130} {
		dir := folder(t, photos(n)...)
		b := newBench(t, dir, nil)
		p := b.mustPlan(t)
		real := b.env.Execute
		b.env.Execute = func(ctx context.Context, a vmhost.Action) (vmhost.Observation, error) {
			const bad = "/folders/Fotos ä/img1.jpg"
			if a.Tool.Op != "image.convert" || !slices.Contains(a.Tool.In, bad) {
				return real(ctx, a)
			}
			tool := *a.Tool
			tool.In = slices.DeleteFunc(slices.Clone(tool.In), func(s string) bool { return s == bad })
			a.Tool = &tool
			obs, err := real(ctx, a)
			if err == nil {
				obs.Tool.Problems = append(obs.Tool.Problems,
					wire.ToolProblem{Code: "out-of-memory", Path: bad}, wire.ToolProblem{Code: "input-broken", Path: "/folders/else.jpg"})
			}
			return obs, err
		}
		out, err := b.run(t.Context(), p)
		if err != nil || len(out.Results) != 1 || len(out.Problems) != 1 || out.Problems[0].Code != "out-of-memory" {
			t.Errorf("%d: %+v, %v", n, out, err)
		}
		pdf, err := os.ReadFile(filepath.Join(dir, "Pictures.pdf"))
		if err != nil || len(choretest.Pages(pdf)) != n-1 {
			t.Errorf("%d: %d pages, %v", n, len(choretest.Pages(pdf)), err)
		}
	}
}

// What stops the whole is the error; nothing is left in the folder.
func TestRunFails(t *testing.T) {
	full := func(string, []byte) error { return &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC} }
	denied := func(string, []byte) error { return &os.PathError{Op: "open", Path: "x", Err: syscall.EACCES} }
	answer := func(op string, r wire.ToolResult) func(context.Context, wire.ToolParams) (*wire.ToolResult, error) {
		return func(_ context.Context, p wire.ToolParams) (*wire.ToolResult, error) {
			if p.Op == op {
				return &r, nil
			}
			return nil, nil
		}
	}
	rows := []struct {
		name  string
		setup func(*bench)
		want  string
	}{
		{"full disk", func(b *bench) { b.rt.WriteFile = full }, "disk-full"},
		{"no permission", func(b *bench) { b.rt.WriteFile = denied }, "output-denied"},
		{"read-only folder", func(b *bench) { b.rt.Folders[0].ReadOnly = true }, "output-denied"},
		{"the name was taken meanwhile", func(b *bench) {
			_ = os.WriteFile(filepath.Join(b.dir, "Pictures.pdf"), nil, 0o644)
		}, "output-exists"},
		{"time-out", func(b *bench) {
			b.rt.Before = answer("image.convert", wire.ToolResult{Problems: []wire.ToolProblem{{Code: "timeout"}}})
		}, "timeout"},
		{"a code nobody knows", func(b *bench) {
			b.rt.Before = answer("image.convert", wire.ToolResult{Problems: []wire.ToolProblem{{Code: "haunted"}}})
		}, "tool-failed"},
		{"nothing converted", func(b *bench) { b.rt.Before = answer("image.convert", wire.ToolResult{}) }, "nothing-left"},
		{"parts that cannot be merged", func(b *bench) {
			b.rt.Before = answer("pdf.merge", wire.ToolResult{Problems: []wire.ToolProblem{{Code: "input-broken", Path: "/work/out/part-0001.pdf"}}})
		}, "nothing-left"},
		{"another file made", func(b *bench) {
			b.rt.Before = answer("image.convert", wire.ToolResult{Out: []wire.ToolFile{{Path: "/folders/Fotos ä/1.jpg"}}})
		}, "no problem: the tool made something else than was asked for"},
		{"the runtime died", func(b *bench) {
			b.rt.Before = func(_ context.Context, p wire.ToolParams) (*wire.ToolResult, error) {
				if p.Op == "image.convert" {
					return nil, &vmhost.FailedError{Runtime: "vm", Reason: vmhost.ReasonPanic}
				}
				return nil, nil
			}
		}, "no problem: image.convert: the vm runtime failed (guest-panic)"},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			dir := folder(t, "1.jpg", "2.jpg")
			b := newBench(t, dir, nil)
			p := b.mustPlan(t)
			r.setup(b)
			before := files(t, dir)
			out, err := b.run(t.Context(), p)
			if code(err) != r.want || len(out.Results) != 0 {
				t.Errorf("%+v, %v", out, err)
			}
			if after := files(t, dir); !slices.Equal(before, after) {
				t.Errorf("left: %q", after)
			}
		})
	}
}

func TestRunRefusesForeignPlans(t *testing.T) {
	b := newBench(t, folder(t, "1.jpg"), nil)
	good := b.mustPlan(t)
	for name, change := range map[string]func(*chore.Plan){
		"another version": func(p *chore.Plan) { p.V = 2 },
		"another chore":   func(p *chore.Plan) { p.Chore = "x" },
		"no operation":    func(p *chore.Plan) { p.Operations = nil },
		"no input":        func(p *chore.Plan) { p.Operations = []chore.Operation{{Op: "image.convert"}} },
	} {
		p := good
		change(&p)
		if _, err := b.run(t.Context(), p); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

func TestCancel(t *testing.T) {
	dir := folder(t, "1.jpg", "2.jpg")
	b := newBench(t, dir, nil)
	p := b.mustPlan(t)
	ctx, cancel := context.WithCancel(t.Context())
	b.rt.Before = func(ctx context.Context, tp wire.ToolParams) (*wire.ToolResult, error) {
		if tp.Op != "image.convert" {
			return nil, nil
		}
		cancel()
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}
	if _, err := b.run(ctx, p); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if slices.Contains(files(t, dir), "Pictures.pdf") {
		t.Error("half a file")
	}
}
