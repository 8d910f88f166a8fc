package operate

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"piwork/pack/guest/operate/job"
	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

func encode(t testing.TB, f func(io.Writer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := f(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func photo(w, h int) image.Image {
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			m.SetRGBA(x, y, color.RGBA{uint8(x * 3), uint8(y * 5), uint8(x * y), 255})
		}
	}
	return m
}

func jpegBytes(t testing.TB) []byte {
	return encode(t, func(w io.Writer) error { return jpeg.Encode(w, photo(60, 40), nil) })
}

func alphaBytes(t testing.TB) []byte {
	return encode(t, func(w io.Writer) error { return png.Encode(w, image.NewNRGBA(image.Rect(0, 0, 20, 30))) })
}

// fake stands for the programs of the pack: img2pdf and qpdf write the list of
// what they were given, magick copies. Content can make them fail.
type fake struct {
	t       *testing.T
	scratch string
	calls   [][]string
	fail    func(argv []string, content []byte) *tools.Ending // per input of a program
}

func (f *fake) run(ctx context.Context, c job.Command) (tools.Ending, error) {
	argv := c.Argv
	if c.Limit <= 0 {
		f.t.Errorf("%q has no limit", argv)
	}
	if err := ctx.Err(); err != nil {
		return tools.Ending{}, err
	}
	f.calls = append(f.calls, argv)
	var in []string
	out := ""
	switch argv[0] {
	case "magick":
		_, name, _ := strings.Cut(argv[1], ":")
		in, out = []string{strings.TrimSuffix(name[:strings.LastIndexByte(name, '[')], "")}, argv[len(argv)-1]
		_, out, _ = strings.Cut(out, ":")
	case "img2pdf":
		in, out = argv[slices.Index(argv, "--")+1:], argv[slices.Index(argv, "--output")+1]
	case "qpdf":
		if argv[1] == "--check" {
			in = argv[2:]
			break
		}
		in, out = argv[slices.Index(argv, "--pages")+1:slices.Index(argv, "--")], argv[len(argv)-1]
	}
	var made bytes.Buffer
	made.WriteString("%PDF-")
	for _, name := range in {
		b, err := os.ReadFile(filepath.Join(f.scratch, name))
		if err != nil {
			f.t.Errorf("%q: %v", argv, err)
			return tools.Ending{ExitCode: 1}, nil
		}
		if f.fail != nil {
			if e := f.fail(argv, b); e != nil {
				return *e, nil
			}
		}
		fmt.Fprintf(&made, "[%x]", sha256.Sum256(b))
	}
	if out == "" {
		return tools.Ending{}, nil
	}
	return tools.Ending{}, os.WriteFile(filepath.Join(f.scratch, out), made.Bytes(), 0o600)
}

// bench is a directory with inputs and a scratch directory.
type bench struct {
	t        *testing.T
	dir      string
	scratch  string
	programs *fake
	events   []job.Event
}

func newBench(t *testing.T) *bench {
	b := &bench{t: t, dir: t.TempDir(), scratch: t.TempDir()}
	b.programs = &fake{t: t, scratch: b.scratch}
	return b
}

func (b *bench) file(name string, data []byte) string {
	b.t.Helper()
	path := filepath.Join(b.dir, name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		b.t.Fatal(err)
	}
	return path
}

func (b *bench) run(ctx context.Context, p wire.ToolParams) wire.ToolResult {
	b.t.Helper()
	p.ID = "x"
	r, err := Run(ctx, job.Order{Tool: p, Scratch: b.scratch}, b.programs.run, func(e job.Event) { b.events = append(b.events, e) })
	if err != nil {
		b.t.Fatal(err)
	}
	if err := r.Validate(); err != nil {
		b.t.Error(err)
	}
	return r
}

func (b *bench) pdf(in []string, change ...func(*wire.ToolParams)) wire.ToolResult {
	p := wire.ToolParams{Op: "image.convert", In: in, Out: filepath.Join(b.dir, "out.pdf"), Params: map[string]any{"format": "pdf"}}
	for _, f := range change {
		f(&p)
	}
	return b.run(b.t.Context(), p)
}

// problems are the codes by base name; "." is the whole operation.
func problems(r wire.ToolResult) map[string]string {
	out := map[string]string{}
	for _, p := range r.Problems {
		out[filepath.Base(p.Path)] = p.Code
	}
	return out
}

func wantProblems(t *testing.T, r wire.ToolResult, want map[string]string) {
	t.Helper()
	if fmt.Sprint(problems(r)) != fmt.Sprint(want) {
		t.Errorf("problems %v, want %v", r.Problems, want)
	}
}

func (b *bench) noneLeft() {
	b.t.Helper()
	left, err := filepath.Glob(filepath.Join(b.dir, ".*"))
	if err != nil || len(left) != 0 {
		b.t.Errorf("left beside the target: %v, %v", left, err)
	}
}

func TestConvertKeepsOrderAndSkipsBroken(t *testing.T) {
	b := newBench(t)
	j := jpegBytes(t)
	in := []string{
		b.file("b.jpg", j), b.file("-rf.jpg", append(bytes.Clone(j), "tail"...)), b.file("cut.jpg", j[:len(j)-5]), b.file("alpha.png", alphaBytes(t)),
		b.file("text.jpg", []byte("hello hello hello")), b.file("a\nb.jpg", j), filepath.Join(b.dir, "gone.jpg"), b.dir,
	}
	r := b.pdf(in)
	wantProblems(t, r, map[string]string{"cut.jpg": tools.InputBroken, "text.jpg": tools.InputUnsupported, "gone.jpg": tools.InputMissing, filepath.Base(b.dir): tools.InputUnsupported})
	data, err := os.ReadFile(filepath.Join(b.dir, "out.pdf"))
	if err != nil || len(r.Out) != 1 || r.Out[0].Size != int64(len(data)) || r.Out[0].SHA256 != fmt.Sprintf("%x", sha256.Sum256(data)) {
		t.Fatalf("%+v, %v", r.Out, err)
	}
	if len(r.Info) != 4 {
		t.Errorf("%d infos", len(r.Info))
	}
	var progs []string
	for _, c := range b.programs.calls {
		progs = append(progs, c[0])
		for _, word := range c[1:] {
			if strings.ContainsAny(word, "\n ") && !strings.HasPrefix(word, "-") || strings.HasPrefix(word, "-rf") {
				t.Errorf("a name reaches a program: %q", c)
			}
		}
	}
	if fmt.Sprint(progs) != "[magick img2pdf qpdf]" {
		t.Errorf("programs %v", progs)
	}
	if got := strings.Join(b.programs.calls[1][slices.Index(b.programs.calls[1], "--")+1:], " "); got != "000000.jpg 000001.jpg 000003.p0000.png 000005.jpg" {
		t.Errorf("pages %s", got)
	}
	// Progress is told in order, from the first to the last.
	var done []int64
	placing := 0
	for _, e := range b.events {
		if e.Progress != nil {
			done = append(done, e.Progress.Done)
		}
		if e.Placing != nil {
			placing++
		}
	}
	if len(done) < 2 || done[0] != 1 || done[len(done)-1] != 8 || !slices.IsSorted(done) || placing != 2 || b.events[0].Load == nil {
		t.Errorf("progress %v, placing %d", done, placing)
	}
	b.noneLeft()
	if left, _ := filepath.Glob(filepath.Join(b.scratch, "0*.jpg")); len(left) != 0 {
		t.Errorf("scratch is not given back: %v", left)
	}
}

func TestConvertCutsTheTail(t *testing.T) {
	b := newBench(t)
	j := jpegBytes(t)
	b.pdf([]string{b.file("a.jpg", j)})
	first, _ := os.ReadFile(filepath.Join(b.dir, "out.pdf"))
	c := newBench(t)
	c.pdf([]string{c.file("a.jpg", append(bytes.Clone(j), bytes.Repeat([]byte("video"), 10_000)...))})
	second, _ := os.ReadFile(filepath.Join(c.dir, "out.pdf"))
	if len(first) == 0 || !bytes.Equal(first, second) {
		t.Error("what follows the picture changes the result")
	}
}

func TestConvertAllBroken(t *testing.T) {
	b := newBench(t)
	r := b.pdf([]string{b.file("a.jpg", nil), b.file("b.jpg", make([]byte, 100))})
	wantProblems(t, r, map[string]string{"a.jpg": tools.InputBroken, "b.jpg": tools.InputBroken})
	if len(r.Out) != 0 || len(b.programs.calls) != 0 {
		t.Errorf("%+v %v", r.Out, b.programs.calls)
	}
	if _, err := os.Stat(filepath.Join(b.dir, "out.pdf")); err == nil {
		t.Error("there is a result")
	}
}

// A picture that only img2pdf finds broken is found among many, gets a second
// chance, and the rest is done.
func TestConvertHalves(t *testing.T) {
	b := newBench(t)
	comment := func(text string) []byte { // of four bytes
		return slices.Concat([]byte{0xFF, 0xD8, 0xFF, 0xFE, 0, 6}, []byte(text), jpegBytes(t)[2:])
	}
	poison, cure := comment("BAD!"), comment("ODD!")
	b.programs.fail = func(argv []string, content []byte) *tools.Ending {
		if bytes.Contains(content, []byte("BAD!")) || argv[0] == "img2pdf" && bytes.Contains(content, []byte("ODD!")) {
			return &tools.Ending{ExitCode: 1, Stderr: "error: something odd"}
		}
		return nil
	}
	var in []string
	for i := range 20 {
		data := jpegBytes(t)
		switch i {
		case 7:
			data = poison
		case 13:
			data = cure
		}
		in = append(in, b.file(fmt.Sprintf("%02d.jpg", i), data))
	}
	r := b.pdf(in)
	wantProblems(t, r, map[string]string{"07.jpg": tools.InputBroken})
	if len(r.Out) != 1 || len(r.Info) != 19 {
		t.Errorf("%+v, %d infos", r.Out, len(r.Info))
	}
	for i, info := range r.Info[1:] { // in order
		if info.(tools.ImageInfo).Path <= r.Info[i].(tools.ImageInfo).Path {
			t.Errorf("order: %v", r.Info)
		}
	}
	if r.Problems[0].Detail != "error: something odd" {
		t.Errorf("detail %q", r.Problems[0].Detail)
	}
}

func TestConvertWholeProblems(t *testing.T) {
	full := &tools.Ending{ExitCode: 1, Stderr: "write: No space left on device"}
	tests := map[string]struct {
		setup func(*bench) func(*wire.ToolParams)
		want  string
		calls bool // programs were started
	}{
		"output exists": {func(b *bench) func(*wire.ToolParams) { b.file("out.pdf", []byte("old")); return nil }, tools.OutputExists, false},
		"output is a folder": {func(b *bench) func(*wire.ToolParams) {
			return func(p *wire.ToolParams) { p.Out = b.dir; p.Params["replace"] = true }
		}, tools.OutputExists, false},
		"no such folder": {func(b *bench) func(*wire.ToolParams) {
			return func(p *wire.ToolParams) { p.Out = filepath.Join(b.dir, "none/out.pdf") }
		}, tools.OutputDenied, false},
		"folder is a file": {func(b *bench) func(*wire.ToolParams) {
			return func(p *wire.ToolParams) { p.Out = filepath.Join(b.file("f", nil), "out.pdf") }
		}, tools.OutputDenied, false},
		"name too long": {func(b *bench) func(*wire.ToolParams) {
			return func(p *wire.ToolParams) { p.Out = filepath.Join(b.dir, strings.Repeat("x", 300)) }
		}, tools.OutputDenied, false},
		"disk full in img2pdf": {func(b *bench) func(*wire.ToolParams) {
			b.programs.fail = func(argv []string, _ []byte) *tools.Ending {
				if argv[0] == "img2pdf" {
					return full
				}
				return nil
			}
			return nil
		}, tools.DiskFull, true},
		"qpdf fails": {func(b *bench) func(*wire.ToolParams) {
			b.programs.fail = func(argv []string, _ []byte) *tools.Ending {
				if argv[0] == "qpdf" {
					return &tools.Ending{ExitCode: 2, Stderr: "qpdf: bug"}
				}
				return nil
			}
			return nil
		}, tools.ToolFailed, true},
		"qpdf out of memory": {func(b *bench) func(*wire.ToolParams) {
			b.programs.fail = func(argv []string, _ []byte) *tools.Ending {
				if argv[0] == "qpdf" {
					return &tools.Ending{ExitCode: 137}
				}
				return nil
			}
			return nil
		}, tools.OutOfMemory, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			in := []string{b.file("a.jpg", jpegBytes(t))}
			var change []func(*wire.ToolParams)
			if f := tt.setup(b); f != nil {
				change = append(change, f)
			}
			r := b.pdf(in, change...)
			wantProblems(t, r, map[string]string{".": tt.want})
			if len(r.Out) != 0 || (len(b.programs.calls) > 0) != tt.calls {
				t.Errorf("out %v, calls %v", r.Out, b.programs.calls)
			}
			b.noneLeft()
		})
	}
}

func TestConvertReplace(t *testing.T) {
	b := newBench(t)
	secret := b.file("secret", []byte("keep"))
	if err := os.Symlink(secret, filepath.Join(b.dir, "out.pdf")); err != nil {
		t.Fatal(err)
	}
	in := []string{b.file("a.jpg", jpegBytes(t))}
	wantProblems(t, b.pdf(in), map[string]string{".": tools.OutputExists})
	r := b.pdf(in, func(p *wire.ToolParams) { p.Params["replace"] = true })
	if len(r.Out) != 1 {
		t.Fatalf("%+v", r)
	}
	if st, err := os.Lstat(filepath.Join(b.dir, "out.pdf")); err != nil || !st.Mode().IsRegular() {
		t.Errorf("the link was followed: %v, %v", st, err)
	}
	if data, _ := os.ReadFile(secret); string(data) != "keep" {
		t.Errorf("the target of the link became %q", data)
	}
}

func TestCancelled(t *testing.T) {
	b := newBench(t)
	ctx, cancel := context.WithCancel(t.Context())
	b.programs.fail = func([]string, []byte) *tools.Ending { cancel(); return nil }
	p := wire.ToolParams{Op: "image.convert", In: []string{b.file("a.jpg", jpegBytes(t)), b.file("b.png", alphaBytes(t)), b.file("c.png", alphaBytes(t))},
		Out: filepath.Join(b.dir, "out.pdf"), Params: map[string]any{"format": "pdf"}}
	r := b.run(ctx, p)
	wantProblems(t, r, map[string]string{".": tools.Cancelled})
	if len(r.Out) != 0 {
		t.Errorf("%+v", r)
	}
	b.noneLeft()
}

func TestConvertOne(t *testing.T) {
	b := newBench(t)
	p := wire.ToolParams{Op: "image.convert", In: []string{b.file("a.png", alphaBytes(t))}, Out: filepath.Join(b.dir, "out.jpg"), Params: map[string]any{"format": "jpeg"}}
	if r := b.run(t.Context(), p); len(r.Out) != 1 || len(r.Problems) != 0 || len(r.Info) != 1 {
		t.Errorf("%+v", r)
	}
	p.In, p.Out = []string{b.file("b.png", alphaBytes(t)[:50])}, filepath.Join(b.dir, "out2.jpg")
	wantProblems(t, b.run(t.Context(), p), map[string]string{"b.png": tools.InputBroken})
}

func TestMerge(t *testing.T) {
	b := newBench(t)
	b.programs.fail = func(argv []string, content []byte) *tools.Ending {
		switch {
		case bytes.Contains(content, []byte("BAD")):
			return &tools.Ending{ExitCode: 2, Stderr: "can't find PDF header"}
		case bytes.Contains(content, []byte("LOCK")):
			return &tools.Ending{ExitCode: 2, Stderr: "qpdf: 000001.pdf: invalid password"}
		}
		return nil
	}
	in := []string{b.file("a.pdf", []byte("%PDF-1.4 one")), b.file("bad.pdf", []byte("%PDF-1.4 BAD")), b.file("lock.pdf", []byte("junk %PDF-1.4 LOCK")), b.file("no.pdf", []byte("hi")), b.file("empty.pdf", nil), b.file("z.pdf", []byte("%PDF-1.7 two"))}
	p := wire.ToolParams{Op: "pdf.merge", In: in, Out: filepath.Join(b.dir, "out.pdf")}
	r := b.run(t.Context(), p)
	wantProblems(t, r, map[string]string{"bad.pdf": tools.InputBroken, "lock.pdf": tools.InputLocked, "no.pdf": tools.InputUnsupported, "empty.pdf": tools.InputBroken})
	if len(r.Out) != 1 {
		t.Fatalf("%+v", r)
	}
	last := b.programs.calls[len(b.programs.calls)-1]
	if !strings.Contains(strings.Join(last, " "), "--pages 000000.pdf 000005.pdf --") {
		t.Errorf("merged %q", last)
	}
}

func TestInfo(t *testing.T) {
	b := newBench(t)
	j := jpegBytes(t)
	in := []string{b.file("a.jpg", j), b.file("cut.jpg", j[:50])}
	r := b.run(t.Context(), wire.ToolParams{Op: "image.info", In: in})
	wantProblems(t, r, map[string]string{"cut.jpg": tools.InputBroken})
	want := tools.ImageInfo{Path: in[0], Format: "jpeg", Width: 60, Height: 40, Orientation: 1, Frames: 1, Size: int64(len(j)), SHA256: fmt.Sprintf("%x", sha256.Sum256(j))}
	if len(r.Info) != 1 || r.Info[0] != want {
		t.Errorf("got  %+v\nwant %+v", r.Info, want)
	}
}

func TestHash(t *testing.T) {
	b := newBench(t)
	for _, name := range []string{"a", "a-b", "d/one", "d/two", "d/e/three", "d-x", "z"} {
		if err := os.MkdirAll(filepath.Join(b.dir, filepath.Dir(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		b.file(name, []byte(name))
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(b.dir, "d/link")); err != nil {
		t.Fatal(err)
	}
	call := func(params map[string]any, in ...string) ([]string, wire.ToolResult) {
		r := b.run(t.Context(), wire.ToolParams{Op: "file.hash", In: in, Params: params})
		var names []string
		for _, i := range r.Info {
			f := i.(tools.FileInfo)
			rel, _ := filepath.Rel(b.dir, f.Path)
			names = append(names, rel)
			if want := fmt.Sprintf("%x", sha256.Sum256([]byte(rel))); f.SHA256 != want && f.SHA256 != "" || f.Size != int64(len(rel)) {
				t.Errorf("%+v", f)
			}
		}
		return names, r
	}
	all := "[a a-b d/e/three d/one d/two d-x z]"
	names, r := call(map[string]any{"recursive": true}, b.dir)
	if slices.Sort(names); fmt.Sprint(len(names)) != "7" || len(r.Problems) != 0 {
		t.Errorf("%v, want %s; %v", names, all, r.Problems)
	}
	walk, _ := call(map[string]any{"recursive": true, "sizesOnly": true}, b.dir)
	// Whatever path an answer ends with, the next one begins behind it.
	for i, after := range walk {
		rest, _ := call(map[string]any{"recursive": true, "after": filepath.Join(b.dir, after)}, b.dir)
		if fmt.Sprint(rest) != fmt.Sprint(walk[i+1:]) {
			t.Errorf("after %s: %v, want %v", after, rest, walk[i+1:])
		}
	}
	_, r = call(nil, b.dir, filepath.Join(b.dir, "gone"), filepath.Join(b.dir, "a"))
	wantProblems(t, r, map[string]string{filepath.Base(b.dir): tools.InputUnsupported, "gone": tools.InputMissing})
}

func TestHashPages(t *testing.T) {
	b := newBench(t)
	long := strings.Repeat("n", 200)
	for i := range 3000 {
		b.file(fmt.Sprintf("%s-%04d", long, i), nil)
	}
	seen, after := 0, ""
	for page := 0; ; page++ {
		r := b.run(t.Context(), wire.ToolParams{Op: "file.hash", In: []string{b.dir}, Params: map[string]any{"recursive": true, "after": after}})
		seen += len(r.Info)
		if len(r.Problems) == 0 {
			if page == 0 {
				t.Error("everything is in one answer: the test is too small")
			}
			break
		}
		if r.Problems[0].Code != tools.MoreResults || r.Problems[0].Path <= after {
			t.Fatalf("%v after %s", r.Problems, after)
		}
		after = r.Problems[0].Path
	}
	if seen != 3000 {
		t.Errorf("%d of 3000 files", seen)
	}
}

func TestRunRefuses(t *testing.T) {
	for _, p := range []wire.ToolParams{
		{ID: "x", Op: "no.such", In: []string{"/x"}}, {ID: "x", Op: "image.info"}, {ID: "x", Op: "image.convert", In: []string{"/x"}, Out: "/y"},
	} {
		if _, err := Run(t.Context(), job.Order{Tool: p}, nil, func(job.Event) {}); err == nil {
			t.Errorf("%+v is taken", p)
		}
	}
}
