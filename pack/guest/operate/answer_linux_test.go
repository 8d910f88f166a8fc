package operate

import (
	"context"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"piwork/pack/guest/operate/job"
	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

// Names whose letters take six bytes each in JSON leave room for less in an answer;
// what has no room comes in the next, and nothing is lost.
func TestAnswersOfNamesThatTakeRoom(t *testing.T) {
	const files = 600
	b := newBench(t)
	var packs []packed
	for i := range files {
		name := fmt.Sprintf("%s %04d.txt", strings.Repeat("<&\x01>", 60), i)
		b.file(name, []byte("same"))
		packs = append(packs, packed{name: name})
	}
	archive := filepath.Join(t.TempDir(), "a.zip")
	if err := os.WriteFile(archive, zipOf(t, packs...), 0o600); err != nil {
		t.Fatal(err)
	}
	for op, row := range map[string]struct {
		in     string
		params map[string]any
		names  func(info any) []string
	}{
		"file.hash":    {b.dir, map[string]any{"recursive": true}, func(v any) []string { return []string{v.(tools.FileInfo).Path} }},
		"file.cleanup": {b.dir, nil, func(v any) []string { return []string{v.(tools.Move).Path} }},
		"file.duplicates": {b.dir, nil, func(v any) (out []string) {
			for _, f := range v.(tools.Duplicates).Files {
				out = append(out, f.Path)
			}
			return out
		}},
		"archive.list": {archive, nil, func(v any) []string { return []string{v.(tools.ArchiveEntry).Path} }},
	} {
		t.Run(op, func(t *testing.T) {
			seen, after := map[string]bool{}, ""
			for page := 0; ; page++ {
				params := map[string]any{"after": after}
				for name, v := range row.params {
					params[name] = v
				}
				r := b.run(t.Context(), wire.ToolParams{Op: op, In: []string{row.in}, Params: params})
				if n := job.AnswerSize(&r); n > job.MaxAnswer || len(r.Info) == 0 {
					t.Fatalf("part %d: %d bytes, %d infos", page, n, len(r.Info))
				}
				for _, v := range r.Info {
					for _, name := range row.names(v) {
						seen[name] = true
					}
				}
				if len(r.Problems) == 0 {
					if page == 0 {
						t.Error("everything is in one answer: the test is too small")
					}
					break
				}
				before := after
				if after = r.Problems[0].Path; op == "archive.list" {
					after = r.Problems[0].Detail
				}
				if r.Problems[0].Code != tools.MoreResults || after == before {
					t.Fatalf("%v after %q", r.Problems, before)
				}
			}
			if len(seen) != files {
				t.Errorf("%d of %d", len(seen), files)
			}
		})
	}
}

// What an operation is asked of many inputs by name is bounded likewise.
func TestAnswerOfInputsThatTakeRoom(t *testing.T) {
	b := newBench(t)
	var in []string
	for i := range 400 {
		in = append(in, b.file(fmt.Sprintf("%s %04d.jpg", strings.Repeat("&", 240), i), jpegBytes(t)))
	}
	seen := 0
	for len(in) > 0 {
		r := b.run(t.Context(), wire.ToolParams{Op: "image.info", In: in})
		if n := job.AnswerSize(&r); n > job.MaxAnswer || len(r.Info) == 0 {
			t.Fatalf("%d bytes, %d infos", n, len(r.Info))
		}
		seen += len(r.Info)
		in = in[len(r.Info):]
	}
	if seen != 400 {
		t.Errorf("%d of 400", seen)
	}
}

// A file that is to be kept is in no other group as one to spare: it would be moved
// twice.
func TestDuplicatesThatLookAlike(t *testing.T) {
	b := newBench(t)
	b.at("a copy of b.jpg", "2024-03-01", string(jpegBytes(t)))
	b.at("b.jpg", "2024-01-01", string(jpegBytes(t)))
	b.at("c.jpg", "2024-02-01", string(jpegBytes(t))+"\n")
	stripes := image.NewGray(image.Rect(0, 0, 9, 8))
	for i := range stripes.Pix {
		stripes.Pix[i] = uint8(i % 2 * 200)
	}
	alike := func(_ context.Context, c job.Command) (tools.Ending, error) { // all look as this one
		_, out, _ := strings.Cut(c.Argv[len(c.Argv)-1], ":")
		return tools.Ending{}, os.WriteFile(filepath.Join(b.scratch, out), encode(t, func(w io.Writer) error { return png.Encode(w, stripes) }), 0o600)
	}
	p := wire.ToolParams{ID: "x", Op: "file.duplicates", In: []string{b.dir}, Params: map[string]any{"similar": true}}
	r, err := Run(t.Context(), job.Order{Tool: p, Scratch: b.scratch}, alike, func(job.Event) {})
	if err != nil || len(r.Info) != 2 {
		t.Fatalf("%+v, %v", r, err)
	}
	spare := map[string]int{}
	for _, v := range r.Info {
		for _, f := range v.(tools.Duplicates).Files[1:] {
			spare[filepath.Base(f.Path)]++
		}
	}
	if spare["a copy of b.jpg"] != 1 || spare["b.jpg"] > 1 || spare["c.jpg"] > 1 {
		t.Errorf("%v in %+v", spare, r.Info)
	}
}
