package chore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"piwork/app/chore"
	"piwork/app/chore/choretest"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/vmhost"
	"piwork/vmhost/wire"
)

func picture(t *testing.T, seed int) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 8, 6))
	img.Set(seed%8, seed/8%6, color.RGBA{uint8(seed), 200, 0, 255})
	var b bytes.Buffer
	var err error
	if seed%2 == 0 {
		err = jpeg.Encode(&b, img, nil)
	} else {
		err = png.Encode(&b, img)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// folder makes a folder of pictures by these names; names that end with "/"
// are directories.
func folder(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i, n := range names {
		p := filepath.Join(dir, n)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(n, "/") {
			if err := os.MkdirAll(p, 0o755); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.WriteFile(p, picture(t, i), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

type bench struct {
	rt       *choretest.Runtime
	env      chore.Env
	dir      string
	progress []task.ProgressData
}

// newBench is the chore's environment over the runtime of tests.
func newBench(t *testing.T, dir string, params map[string]any) *bench {
	t.Helper()
	b := &bench{dir: dir, rt: &choretest.Runtime{Folders: []choretest.Folder{{Name: "Fotos ä", Path: dir}}, Work: t.TempDir()}}
	if err := b.rt.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	ch, _ := chore.Find("pictures-to-pdf")
	complete, err := chore.Complete(ch.Info(), params)
	if err != nil {
		t.Fatal(err)
	}
	b.env = chore.Env{
		Params: complete,
		Folders: []chore.Folder{{ID: "f1", Name: "Fotos ä", Guest: "/folders/Fotos ä", List: func(ctx context.Context, recursive bool) ([]chore.Entry, error) {
			return chore.List(ctx, dir, recursive)
		}}},
		Execute:  b.rt.Execute,
		Progress: func(p task.ProgressData) { b.progress = append(b.progress, p) },
	}
	return b
}

func (b *bench) plan(t *testing.T) (chore.Plan, error) {
	t.Helper()
	ch, _ := chore.Find("pictures-to-pdf")
	return ch.Plan(t.Context(), b.env)
}

func (b *bench) run(ctx context.Context, p chore.Plan) (chore.Outcome, error) {
	ch, _ := chore.Find("pictures-to-pdf")
	return ch.Run(ctx, b.env, p)
}

func (b *bench) mustPlan(t *testing.T) chore.Plan {
	t.Helper()
	p, err := b.plan(t)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func code(err error) string {
	var p *problem.Problem
	if errors.As(err, &p) {
		return p.Code
	}
	return fmt.Sprint("no problem: ", err)
}

func names(p chore.Plan) (out []string) {
	for _, in := range p.Operations[0].In {
		out = append(out, strings.TrimPrefix(in.Path, "/folders/Fotos ä/"))
	}
	return out
}

func files(t *testing.T, dir string) (out []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

// Names as people have them go through planning and doing unchanged.
func TestAwkwardNames(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("these names do not exist there")
	}
	awkward := []string{
		"-rf.jpg", "--help.png", "a b.jpg", `it's "x".png`, "line\nbreak.jpg", "tab\t.png", "$(touch x).jpg", "`id`.png", "*?[.jpg",
		"\u00e4-nfc.png", "a\u0308-nfd.jpg", "写真.png", "🎉.jpg", "ends with space .png", " starts.jpg", "a;b&c|d.png", "%s%n.jpg", "\\back.png", "UPPER.JPG",
	}
	dir := folder(t, awkward...)
	b := newBench(t, dir, nil)
	p := b.mustPlan(t)
	got := names(p)
	if len(p.Skipped) != 0 || len(got) != len(awkward) {
		t.Fatalf("%d inputs, skipped %v", len(got), p.Skipped)
	}
	out, err := b.run(t.Context(), p)
	if err != nil || len(out.Problems) != 0 || len(out.Results) != 1 {
		t.Fatalf("%+v, %v", out, err)
	}
	pdf, err := os.ReadFile(filepath.Join(dir, "Pictures.pdf"))
	if err != nil {
		t.Fatal(err)
	}
	if pages := choretest.Pages(pdf); !slices.Equal(pages, got) {
		t.Errorf("pages %q\nwant  %q", pages, got)
	}
	r := out.Results[0]
	if r.Folder != "f1" || r.Path != "Pictures.pdf" || r.Size != int64(len(pdf)) || len(r.SHA256) != 64 {
		t.Errorf("%+v", r)
	}
	if left := files(t, dir); len(left) != len(awkward)+1 {
		t.Errorf("the folder has %q", left)
	}
}

func TestPlanIsReadOnlyAndExact(t *testing.T) {
	dir := folder(t, "10.jpg", "9.png", "sub/8.jpg", "notes.txt", ".hidden.jpg", "Pictures.pdf")
	b := newBench(t, dir, map[string]any{"recursive": true, "page": "a4"})
	before := files(t, dir)
	p := b.mustPlan(t)
	if after := files(t, dir); !slices.Equal(before, after) {
		t.Errorf("planning changed the folder: %q", after)
	}
	if got := names(p); !slices.Equal(got, []string{"9.png", "10.jpg", "sub/8.jpg"}) {
		t.Errorf("inputs %q", got)
	}
	op := p.Operations[0]
	if len(p.Operations) != 1 || op.Op != "image.convert" || op.Out != "/folders/Fotos ä/Pictures (2).pdf" || op.Effect != chore.EffectCreate || p.Limits.WallMS == 0 {
		t.Errorf("%+v", p)
	}
	for _, tool := range b.rt.Ops() {
		if tool.Out != "" || tool.Op != "image.info" {
			t.Errorf("planning did %+v", tool)
		}
	}
	if out, err := b.run(t.Context(), p); err != nil || out.Results[0].Path != "Pictures (2).pdf" {
		t.Errorf("%+v, %v", out, err)
	}
	for _, tool := range b.rt.Ops() {
		if tool.Op == "image.convert" && (tool.Params["page"] != "a4" || tool.Params["format"] != "pdf" || tool.Limits != p.Limits) {
			t.Errorf("%+v", tool)
		}
	}
}

// What is wrong with single pictures is in the plan; the rest is done.
func TestBadPicturesAreSkipped(t *testing.T) {
	dir := folder(t, "1.jpg", "2.jpg", "3.jpg")
	for name, content := range map[string]string{"broken.jpg": "not a picture", "empty.png": "", "iphone.heic": "\x00\x00\x00\x18ftypheic"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if runtime.GOOS != "windows" {
		if err := os.Symlink("/etc/passwd", filepath.Join(dir, "link.jpg")); err != nil {
			t.Fatal(err)
		}
	}
	b := newBench(t, dir, nil)
	p := b.mustPlan(t)
	got := map[string]string{}
	for _, s := range p.Skipped {
		got[s.Params["name"].(string)] = s.Code
		if s.Severity != problem.Warning || len(s.Fix) == 0 {
			t.Errorf("%+v", s)
		}
	}
	want := map[string]string{"broken.jpg": "input-broken", "empty.png": "input-broken", "iphone.heic": "input-unsupported", "link.jpg": "input-link"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("skipped %v", got)
	}
	if out, err := b.run(t.Context(), p); err != nil || len(out.Results) != 1 {
		t.Errorf("%+v, %v", out, err)
	}
}

func TestNothingToDo(t *testing.T) {
	b := newBench(t, folder(t, "notes.txt", "sub/a.jpg"), nil)
	p, err := b.plan(t)
	if code(err) != "no-pictures" || len(b.rt.Ops()) != 0 {
		t.Errorf("%v, %+v", err, b.rt.Ops())
	}
	var pr *problem.Problem
	errors.As(err, &pr)
	if fmt.Sprint(pr.Params["folders"]) != "[Fotos ä]" || !slices.Contains(pr.Params["extensions"].([]string), ".jpg") || pr.Fix[0].Code != problem.FixRecursive {
		t.Errorf("%+v", pr)
	}
	if len(p.Operations) != 0 {
		t.Errorf("%+v", p)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.jpg"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	p, err = newBench(t, dir, nil).plan(t)
	if code(err) != "nothing-left" || len(p.Skipped) != 1 {
		t.Errorf("%v, %+v", err, p)
	}
	if _, err := newBench(t, dir, map[string]any{"name": "a/b"}).plan(t); code(err) != "bad-request" {
		t.Error(err)
	}
	gone := filepath.Join(dir, "gone")
	if _, err := newBench(t, gone, nil).plan(t); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

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

// A part that cannot be merged is a problem of its pictures; the rest is done.
func TestMergeLosesAPart(t *testing.T) {
	var all []string
	for i := range 130 {
		all = append(all, fmt.Sprintf("img%d.jpg", i))
	}
	dir := folder(t, all...)
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

// A folder that nothing can be put into is known before the work.
func TestFolderThatCannotBeWritten(t *testing.T) {
	b := newBench(t, folder(t, "1.jpg"), nil)
	b.env.Folders[0].CanWrite = func() error { return os.ErrPermission }
	if _, err := b.plan(t); code(err) != problem.CodeOutputDenied || len(b.rt.Ops()) != 0 {
		t.Error(err)
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
	var all []string
	for i := range 230 {
		all = append(all, fmt.Sprintf("img%d.jpg", i))
	}
	dir := folder(t, all...)
	b := newBench(t, dir, nil)
	p := b.mustPlan(t)
	b.progress = nil
	out, err := b.run(t.Context(), p)
	if err != nil || len(out.Results) != 1 {
		t.Fatalf("%+v, %v", out, err)
	}
	pdf, err := os.ReadFile(filepath.Join(dir, "Pictures.pdf"))
	if err != nil || !slices.Equal(choretest.Pages(pdf), all) {
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
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf("img%d.jpg", i))
		}
		dir := folder(t, all...)
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

func TestList(t *testing.T) {
	dir := folder(t, "a.jpg", "sub/b.jpg", "sub/deep/c.jpg", ".hidden/d.jpg", ".e.jpg", "empty/")
	if runtime.GOOS != "windows" {
		for link, target := range map[string]string{"up": "..", "sub/loop": ".", "abs": "/etc"} {
			if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
				t.Fatal(err)
			}
		}
	}
	when := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	if err := os.Chtimes(filepath.Join(dir, "a.jpg"), when, when); err != nil {
		t.Fatal(err)
	}
	list := func(recursive bool) (out []string) {
		entries, err := chore.List(t.Context(), dir, recursive)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			out = append(out, e.Path)
			if e.Path == "a.jpg" && (!e.Time.Equal(when) || e.Size == 0) {
				t.Errorf("%+v", e)
			}
		}
		slices.Sort(out)
		return slices.DeleteFunc(out, func(s string) bool { return s == "up" || s == "abs" || s == "sub/loop" })
	}
	if got := list(false); !slices.Equal(got, []string{"a.jpg", "empty", "sub"}) {
		t.Errorf("%q", got)
	}
	if got := list(true); !slices.Equal(got, []string{"a.jpg", "empty", "sub", "sub/b.jpg", "sub/deep", "sub/deep/c.jpg"}) {
		t.Errorf("%q", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := chore.List(ctx, dir, true); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
