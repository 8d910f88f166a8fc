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
	"testing"

	"piwork/app/chore"
	"piwork/app/chore/choretest"
	"piwork/app/problem"
	"piwork/app/task"
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
			root, err := os.OpenRoot(dir)
			if err != nil {
				return nil, err
			}
			defer root.Close()
			return chore.List(ctx, root, recursive)
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
	if p, is := errors.AsType[*problem.Problem](err); is {
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
		t.Skip("Windows has no file names with these characters")
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

// A folder that nothing can be put into is known before the work.
func TestFolderThatCannotBeWritten(t *testing.T) {
	b := newBench(t, folder(t, "1.jpg"), nil)
	b.env.Folders[0].CanWrite = func() error { return os.ErrPermission }
	if _, err := b.plan(t); code(err) != problem.CodeOutputDenied || len(b.rt.Ops()) != 0 {
		t.Error(err)
	}
}
