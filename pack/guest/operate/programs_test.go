//go:build unix

package operate

import (
	"bytes"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"piwork/pack/guest/operate/job"
	"piwork/pack/tools"
	"piwork/pack/tools/picture"
	"piwork/vmhost/wire"
)

// realPrograms returns a PATH with the programs of the pack, as this machine
// has them; ImageMagick 6 stands in for 7 under its new name.
func realPrograms(t *testing.T) string {
	t.Helper()
	for _, p := range []string{"img2pdf", "qpdf"} {
		if _, err := exec.LookPath(p); err != nil {
			t.Skipf("%s is not installed here; the guest has it and is tested with the vm tag", p)
		}
	}
	path := os.Getenv("PATH")
	if _, err := exec.LookPath("magick"); err == nil {
		return path
	}
	convert, err := exec.LookPath("convert")
	if err != nil {
		t.Skip("ImageMagick is not installed here; the guest has it and is tested with the vm tag")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "magick"), []byte("#!/bin/sh\nexec "+convert+` "$@"`+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir + string(os.PathListSeparator) + path
}

func TestRealPrograms(t *testing.T) {
	path := realPrograms(t)
	dir := t.TempDir()
	put := func(name string, data []byte) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	sample := func(name string) []byte {
		b, err := os.ReadFile(filepath.Join("../../tools/picture/testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	convert := func(in []string, out string, params map[string]any) wire.ToolResult {
		t.Helper()
		p := wire.ToolParams{ID: "x", Op: "image.convert", In: in, Out: filepath.Join(dir, out), Params: params}
		scratch := t.TempDir()
		r, err := Run(t.Context(), job.Order{Tool: p, Scratch: scratch}, job.Programs(scratch, path, false, nil, nil), func(job.Event) {})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	pages := func(file string) string {
		b, err := exec.CommandContext(t.Context(), "qpdf", "--show-npages", file).Output()
		if err != nil {
			t.Errorf("%s: %v", file, err)
		}
		return strings.TrimSpace(string(b))
	}
	large := encode(t, func(w io.Writer) error { return jpeg.Encode(w, photo(500, 300), nil) })
	in := []string{
		put("-a.jpg", large), put("cut.jpg", large[:4000]), put("ü\n.png", sample("deep.png")), put("alpha.png", alphaBytes(t)),
		put("a.gif", encode(t, func(w io.Writer) error { return gif.Encode(w, photo(20, 20), nil) })),
		put("pages.tiff", sample("pages.tiff")), put("g4.tiff", sample("g4.tiff")), put("a.bmp", sample("a.bmp")), put("cmyk.jpg", sample("cmyk.jpg")),
	}
	pdf := map[string]any{"format": "pdf"}
	r := convert(in, "out.pdf", pdf)
	wantProblems(t, r, map[string]string{"cut.jpg": tools.InputBroken})
	if len(r.Out) != 1 || pages(r.Out[0].Path) != "10" { // eight pictures, one of them with three pages
		t.Fatalf("%+v", r)
	}
	again := convert(in, "again.pdf", pdf)
	if len(again.Out) != 1 || again.Out[0].SHA256 != r.Out[0].SHA256 {
		t.Errorf("the same pictures give other bytes: %v and %v", r.Out, again.Out)
	}
	a4 := convert(in[:1], "a4.pdf", map[string]any{"format": "pdf", "page": "a4"})
	raw, err := os.ReadFile(a4.Out[0].Path)
	if err != nil || !bytes.Contains(raw, large) {
		t.Errorf("the JPEG data is not taken over as it is: %v", err)
	}
	t.Run("turned", func(t *testing.T) { turned(t, convert, put) })
	t.Run("formats", func(t *testing.T) {
		for _, f := range []string{"jpeg", "png", "webp"} {
			r := convert(in[3:4], "one."+f, map[string]any{"format": f})
			if len(r.Out) != 1 {
				t.Errorf("%s: %+v", f, r.Problems)
				continue
			}
			data, err := os.ReadFile(r.Out[0].Path)
			if err != nil {
				t.Fatal(err)
			}
			info, err := picture.Inspect(bytes.NewReader(data), bytes.NewReader(data), int64(len(data)))
			if err != nil || string(info.Format) != f || info.Width != 20 || info.Height != 30 {
				t.Errorf("%s: %+v, %v", f, info, err)
			}
		}
	})
	t.Run("merge", func(t *testing.T) {
		p := wire.ToolParams{ID: "x", Op: "pdf.merge", In: []string{r.Out[0].Path, put("bad.pdf", []byte("%PDF-1.7\nnothing")), a4.Out[0].Path}, Out: filepath.Join(dir, "merged.pdf")}
		scratch := t.TempDir()
		r, err := Run(t.Context(), job.Order{Tool: p, Scratch: scratch}, job.Programs(scratch, path, false, nil, nil), func(job.Event) {})
		if err != nil {
			t.Fatal(err)
		}
		wantProblems(t, r, map[string]string{"bad.pdf": tools.InputBroken})
		if len(r.Out) != 1 || pages(r.Out[0].Path) != "11" {
			t.Errorf("%+v", r)
		}
	})
}

// turned checks every Exif orientation on the finished page: quarters without
// touching the data, mirrored ones by decoding.
func turned(t *testing.T, convert func([]string, string, map[string]any) wire.ToolResult, put func(string, []byte) string) {
	plain := encode(t, func(w io.Writer) error { return jpeg.Encode(w, image.NewGray(image.Rect(0, 0, 50, 30)), nil) })
	var in []string
	var all [][]byte
	for o := 1; o <= 8; o++ {
		exif := []byte{0xFF, 0xE1, 0, 34, 'E', 'x', 'i', 'f', 0, 0, 'M', 'M', 0, 42, 0, 0, 0, 8, 0, 1, 1, 18, 0, 3, 0, 0, 0, 1, 0, byte(o), 0, 0, 0, 0, 0, 0}
		all = append(all, append(append(bytes.Clone(plain[:2]), exif...), plain[2:]...))
		in = append(in, put(fmt.Sprintf("o%d.jpg", o), all[o-1]))
	}
	r := convert(in, "turned.pdf", map[string]any{"format": "pdf"})
	if len(r.Out) != 1 {
		t.Fatalf("%+v", r.Problems)
	}
	b, err := exec.CommandContext(t.Context(), "qpdf", "--qdf", "--object-streams=disable", "--stream-data=preserve", r.Out[0].Path, "-").Output()
	if err != nil {
		t.Fatal(err)
	}
	var turns []string
	for _, line := range strings.Split(string(b), "\n") {
		line = strings.TrimSpace(line)
		if v, ok := strings.CutPrefix(line, "/Rotate "); ok && v != "0" {
			turns = append(turns, v)
		}
	}
	if fmt.Sprint(turns) != "[180 90 270]" { // orientations 3, 6 and 8
		t.Errorf("pages are turned by %v", turns)
	}
	for i, data := range all {
		if kept := bytes.Contains(b, data); kept != !mirrored(i+1) {
			t.Errorf("orientation %d: data kept %v", i+1, kept)
		}
	}
}
