//go:build vm && linux

package guestvm

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"piwork/pack/guest/order"
	"piwork/pack/tools"
	"piwork/scripts/lib/tier"
	"piwork/vmhost/wire"
)

func put(m *Machine, name string, data []byte) {
	m.T.Helper()
	Put(m, name, data)
}

func tool(m *Machine, p wire.ToolParams) wire.ToolResult {
	m.T.Helper()
	return Tool(m, p)
}

// bootOperations boots and prepares a guest with the operations of this source
// tree over the pack's, and more layers.
func bootOperations(t *testing.T, opts Options, more ...wire.Layer) *Machine {
	t.Helper()
	program, err := os.ReadFile(buildProgram(t, "piwork-operate", opts.Arch))
	if err != nil {
		t.Fatal(err)
	}
	opts.Disks = append(opts.Disks, Disk{"operate", writeImage(t, map[string]string{strings.TrimPrefix(order.Program, "/"): string(program)})})
	m := Boot(t, opts)
	prepare(m, append(more, wire.Layer{Name: "operate", Disk: "operate"})...)
	return m
}

func encoded(t *testing.T, f func(io.Writer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := f(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// photo is a picture with some detail.
func photo(w, h int) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			m.SetRGBA(x, y, color.RGBA{uint8(x), uint8(y), uint8(x * y >> 4), 255})
		}
	}
	return m
}

func codes(r wire.ToolResult) map[string]string {
	out := map[string]string{}
	for _, p := range r.Problems {
		out[path.Base(p.Path)] = p.Code
	}
	return out
}

func TestTools(t *testing.T) {
	tier.Rest(t, "TestOperations")
	n := newNotes()
	m := bootOperations(t, Options{OnNotify: n.take})
	if policy, err := os.ReadFile("../rootfs/etc/ImageMagick-7/policy.xml"); err != nil {
		t.Fatal(err)
	} else if r := run(m, "policy", "cat /etc/ImageMagick-7/policy.xml"); !bytes.Equal(r.Stdout, policy) {
		t.Error("the pack's root image has another ImageMagick policy than this source tree: build it again")
	}
	const dir = "/work/in/"
	jpg := encoded(t, func(w io.Writer) error { return jpeg.Encode(w, photo(640, 480), nil) })
	pic := func(name string) []byte {
		b, err := os.ReadFile(filepath.Join("../../tools/picture/testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	files := []struct {
		name string
		data []byte
		code string // of the problem, "" when it becomes a page
	}{
		{"a.jpg", jpg, ""},
		{"-rf.jpg", jpg, ""},
		{"ü ö 日本.JPG", jpg, ""},
		{"line\nfeed 'quote\" $HOME `id`.jpg", jpg, ""},
		{"msl:x.jpg", jpg, ""},
		{"@list.jpg", jpg, ""},
		{"percent%d.jpg", jpg, ""},
		{"cut.jpg", jpg[:len(jpg)/2], tools.InputBroken},
		{"empty.jpg", nil, tools.InputBroken},
		{"text.jpg", []byte("not a picture at all"), tools.InputUnsupported},
		{"script.jpg", []byte("push graphic-context\nimage over 0,0 0,0 '/etc/passwd'\n"), tools.InputUnsupported},
		{"flat.png", encoded(t, func(w io.Writer) error { return png.Encode(w, photo(200, 300)) }), ""},
		{"alpha.png", encoded(t, func(w io.Writer) error { return png.Encode(w, image.NewNRGBA(image.Rect(0, 0, 50, 60))) }), ""},
		{"deep.png", pic("deep.png"), ""},
		{"a.webp", pic("lossy.webp"), ""},
		{"alpha.webp", pic("alpha.webp"), ""},
		{"anim.webp", pic("anim.webp"), ""},
		{"anim.gif", pic("anim.gif"), ""},
		{"a.heic", pic("a.heic"), ""},
		{"a.avif", pic("a.avif"), ""},
		{"a.bmp", pic("a.bmp"), ""},
		{"lzw.tiff", pic("lzw.tiff"), ""},
		{"g4.tiff", pic("g4.tiff"), ""},
		{"cmyk.jpg", pic("cmyk.jpg"), ""},
		{"progressive.jpg", pic("progressive.jpg"), ""},
	}
	var in []string
	want := map[string]string{}
	pages := 0
	for _, f := range files {
		put(m, dir+f.name, f.data)
		in = append(in, dir+f.name)
		if f.code != "" {
			want[f.name] = f.code
		} else {
			pages++
		}
	}
	in = append(in, dir+"pages.tiff", dir+"gone.jpg")
	put(m, dir+"pages.tiff", pic("pages.tiff"))
	pages += 3
	want["gone.jpg"] = tools.InputMissing

	t.Run("info", func(t *testing.T) {
		r := tool(m, wire.ToolParams{Op: "image.info", In: in})
		t.Logf("%d ms", r.WallMS)
		if fmt.Sprint(codes(r)) != fmt.Sprint(want) || len(r.Info) != len(in)-len(want) {
			t.Errorf("problems %v, want %v; %d infos", r.Problems, want, len(r.Info))
		}
	})
	t.Run("hash", func(t *testing.T) {
		r := tool(m, wire.ToolParams{Op: "file.hash", In: []string{"/work/in"}, Params: map[string]any{"recursive": true}})
		if len(r.Info) != len(in)-1 || len(r.Problems) != 0 {
			t.Errorf("%d infos, problems %v", len(r.Info), r.Problems)
		}
	})
	var first wire.ToolResult
	t.Run("pdf", func(t *testing.T) {
		r := tool(m, wire.ToolParams{ID: "pdf", Op: "image.convert", In: in, Out: "/work/out/all.pdf", Params: map[string]any{"format": "pdf", "page": "a4"}, Request: "asked-1"})
		t.Logf("%d ms, versions %v", r.WallMS, r.Versions)
		if fmt.Sprint(codes(r)) != fmt.Sprint(want) {
			t.Errorf("problems %v\nwant %v", r.Problems, want)
		}
		if len(r.Out) != 1 || r.Out[0].Path != "/work/out/all.pdf" {
			t.Fatalf("out = %v", r.Out)
		}
		first = r
		got := run(m, "npages", "qpdf --show-npages /work/out/all.pdf && sha256sum < /work/out/all.pdf && qpdf --check /work/out/all.pdf >/dev/null && ls -A /work/out 2>&1")
		if !strings.HasPrefix(string(got.Stdout), fmt.Sprintf("%d\n%s", pages, r.Out[0].SHA256)) || got.ExitCode == 0 && strings.Contains(string(got.Stdout), "part") {
			t.Errorf("%s%s, want %d pages and %s", got.Stdout, got.Stderr, pages, r.Out[0].SHA256)
		}
		n.mu.Lock()
		seen := len(n.tools)
		last := n.tools[seen-1]
		n.mu.Unlock()
		if last.Done != int64(len(in)) || last.Total != int64(len(in)) || last.ID != "pdf" {
			t.Errorf("last progress %+v", last)
		}
		// Its log, and who asked; lines come after the answer perhaps.
		const name = "tool image.convert run pdf request asked-1: "
		n.await(t, name+"program magick exit 0 ", name+"ended, exit 0 ")
		if r.Versions[tools.ToolMagick] == "" || r.Versions[tools.ToolImg2PDF] == "" || r.Versions[tools.ToolQPDF] == "" {
			t.Errorf("versions %v", r.Versions)
		}
	})
	t.Run("deterministic", func(t *testing.T) {
		r := tool(m, wire.ToolParams{Op: "image.convert", In: in, Out: "/work/out/again.pdf", Params: map[string]any{"format": "pdf", "page": "a4"}})
		if len(r.Out) != 1 || len(first.Out) != 1 || r.Out[0].SHA256 != first.Out[0].SHA256 {
			t.Errorf("the same pictures gave %v and %v", first.Out, r.Out)
		}
	})
	t.Run("lossless", func(t *testing.T) {
		tool(m, wire.ToolParams{Op: "image.convert", In: []string{dir + "a.jpg"}, Out: "/work/out/one.pdf", Params: map[string]any{"format": "pdf"}})
		r := run(m, "raw", `cd /tmp && qpdf --qdf --stream-data=preserve /work/out/one.pdf q.pdf && python3 -c 'import sys; p=open("/tmp/q.pdf","rb").read(); j=open("/work/in/a.jpg","rb").read(); sys.exit(0 if j in p else 1)'`)
		if r.ExitCode != 0 {
			t.Errorf("the JPEG data is not in the PDF as it was: %s", r.Stderr)
		}
	})
	t.Run("formats", func(t *testing.T) {
		for _, format := range []string{"jpeg", "png", "webp"} {
			out := "/work/out/x." + format
			r := tool(m, wire.ToolParams{Op: "image.convert", In: []string{dir + "alpha.png"}, Out: out, Params: map[string]any{"format": format}})
			if len(r.Out) != 1 || len(r.Problems) != 0 {
				t.Errorf("%s: %+v", format, r)
				continue
			}
			if i := tool(m, wire.ToolParams{Op: "image.info", In: []string{out}}); len(i.Info) != 1 || !strings.Contains(fmt.Sprint(i.Info[0]), "format:"+format) {
				t.Errorf("%s: %+v", format, i)
			}
		}
	})
	t.Run("merge", func(t *testing.T) {
		put(m, dir+"bad.pdf", []byte("%PDF-1.7\nnothing more"))
		put(m, dir+"no.pdf", []byte("hello"))
		run(m, "lock", "qpdf --encrypt secret secret 256 -- /work/out/one.pdf /work/in/locked.pdf")
		r := tool(m, wire.ToolParams{Op: "pdf.merge", Out: "/work/out/merged.pdf", In: []string{
			"/work/out/one.pdf", dir + "bad.pdf", dir + "no.pdf", dir + "locked.pdf", "/work/out/all.pdf", dir + "gone.pdf",
		}})
		wantMerge := map[string]string{"bad.pdf": tools.InputBroken, "no.pdf": tools.InputUnsupported, "locked.pdf": tools.InputLocked, "gone.pdf": tools.InputMissing}
		if fmt.Sprint(codes(r)) != fmt.Sprint(wantMerge) || len(r.Out) != 1 {
			t.Errorf("%+v", r)
		}
		if got := run(m, "nmerged", "qpdf --show-npages /work/out/merged.pdf"); strings.TrimSpace(string(got.Stdout)) != fmt.Sprint(pages+1) {
			t.Errorf("%s pages, want %d", got.Stdout, pages+1)
		}
	})
	t.Run("output", func(t *testing.T) {
		for out, code := range map[string]string{
			"/work/out/one.pdf": tools.OutputExists, "/work/out": tools.OutputExists, "/usr/x.pdf": tools.OutputDenied,
			"/folders/none/x.pdf": tools.OutputDenied, "/proc/x.pdf": tools.OutputDenied, "/sys/x.pdf": tools.OutputDenied,
			"/work/in/a.jpg/x.pdf": tools.OutputDenied, "/dev/full/x.pdf": tools.OutputDenied,
		} {
			r := tool(m, wire.ToolParams{Op: "image.convert", In: []string{dir + "a.jpg"}, Out: out, Params: map[string]any{"format": "pdf"}})
			if len(r.Problems) != 1 || r.Problems[0].Code != code || r.Problems[0].Path != "" || len(r.Out) != 0 {
				t.Errorf("%s: %+v, want %s", out, r, code)
			}
		}
		r := tool(m, wire.ToolParams{Op: "image.convert", In: []string{dir + "a.jpg"}, Out: "/work/out/one.pdf", Params: map[string]any{"format": "pdf", "replace": true}})
		if len(r.Out) != 1 {
			t.Errorf("replace: %+v", r)
		}
	})
	t.Run("limits", func(t *testing.T) {
		r := tool(m, wire.ToolParams{Op: "image.convert", In: in, Out: "/work/out/slow.pdf", Params: map[string]any{"format": "pdf"}, Limits: wire.Limits{WallMS: 1500}})
		if codes(r)["."] != tools.Timeout || len(r.Out) != 0 {
			t.Errorf("wall: %+v", r)
		}
		// One picture that does not fit in memory is that picture's problem.
		put(m, dir+"huge.png", encoded(t, func(w io.Writer) error { return png.Encode(w, image.NewNRGBA(image.Rect(0, 0, 3000, 3000))) }))
		r = tool(m, wire.ToolParams{ID: "mem", Op: "image.convert", In: []string{dir + "a.jpg", dir + "huge.png"}, Out: "/work/out/mem.pdf", Params: map[string]any{"format": "pdf"}, Limits: wire.Limits{MemoryMB: 40}})
		if len(r.Problems) != 1 || codes(r)["huge.png"] != tools.OutOfMemory || len(r.Out) != 1 {
			t.Errorf("memory: %+v", r)
		}
		n.await(t, "tool image.convert run mem: program magick exit 137 ") // as the kernel ends it
		r = tool(m, wire.ToolParams{Op: "image.convert", In: []string{dir + "a.jpg"}, Out: "/work/out/none.pdf", Params: map[string]any{"format": "pdf"}, Limits: wire.Limits{MemoryMB: 4}})
		if len(r.Problems) != 1 || r.Problems[0].Code != tools.OutOfMemory || len(r.Out) != 0 {
			t.Errorf("no memory at all: %+v", r)
		}
		if got := run(m, "left", scratchLeft+"; ls -A /work/out | grep part"); len(got.Stdout) != 0 {
			t.Errorf("left: %s", got.Stdout)
		}
	})
	t.Run("bounds", func(t *testing.T) { operationBounds(t, m) })
	t.Run("magick", func(t *testing.T) { magick(t, m) })
}

// magick checks that the policy is in force, whatever an adapter would do.
func magick(t *testing.T, m *Machine) {
	put(m, "/work/in/m.msl", []byte(`<?xml version="1.0"?><image><read filename="/work/in/flat.png"/><write filename="/tmp/msl.png"/></image>`))
	for i, argv := range [][]string{
		{"magick", "msl:/work/in/m.msl", "png:/tmp/o.png"},
		{"magick", "text:/etc/passwd", "png:/tmp/o.png"},
		{"magick", "label:@/etc/passwd", "png:/tmp/o.png"},
		{"magick", "mvg:/work/in/m.msl", "png:/tmp/o.png"},
		{"magick", "svg:/work/in/m.msl", "png:/tmp/o.png"},
		{"magick", "xc:red", "png:/tmp/o.png"},
		{"magick", "https://127.0.0.1/x.png", "png:/tmp/o.png"},
		{"magick", "png:/work/in/flat.png", "pdf:/tmp/o.pdf"},
		{"magick", "png:/work/in/flat.png", "ephemeral:/tmp/o"},
		{"magick", "png:@/work/in/flat.png", "png:/tmp/o.png"},
		{"magick", "png:/work/in/flat.png", "png:|touch /tmp/o.png"},
	} {
		r := Call[wire.ExecResult](m, wire.MethodExecRun, wire.ExecParams{ID: fmt.Sprintf("mg%d", i), Argv: argv})
		made := run(m, fmt.Sprintf("mgl%d", i), "find /tmp/o* /tmp/msl.png -size +0 2>/dev/null; rm -f /tmp/o* /tmp/msl.png")
		if r.ExitCode == 0 || len(made.Stdout) != 0 {
			t.Errorf("%q: exit %d, made %q: %s", argv, r.ExitCode, made.Stdout, r.Stderr)
		}
	}
	if r := run(m, "mg-good", "magick png:/work/in/flat.png jpeg:/tmp/good.jpg && ls /tmp/good.jpg"); r.ExitCode != 0 {
		t.Errorf("an allowed conversion: %s", r.Stderr)
	}
}
