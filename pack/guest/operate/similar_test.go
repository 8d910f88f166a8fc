package operate

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/jpeg"
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

// similarIn are the names in the groups of pictures that look the same. What a picture
// looks like are stripes, without those of the first rows: as many as plain says of the
// copy that the program gets. Each row is four of the marks that are compared.
func (b *bench) similarIn(plain func(data []byte) int) (groups []string) {
	b.t.Helper()
	magick := func(_ context.Context, c job.Command) (tools.Ending, error) {
		_, in, _ := strings.Cut(c.Argv[3], ":")
		data, err := os.ReadFile(filepath.Join(b.scratch, strings.TrimSuffix(in, "[0]")))
		if err != nil {
			b.t.Errorf("%q: %v", c.Argv, err)
		}
		m := image.NewGray(image.Rect(0, 0, 9, 8))
		for i := plain(data) * 9; i < len(m.Pix); i++ {
			m.Pix[i] = uint8(i % 9 % 2 * 200)
		}
		_, out, _ := strings.Cut(c.Argv[len(c.Argv)-1], ":")
		made := encode(b.t, func(w io.Writer) error { return png.Encode(w, m) })
		return tools.Ending{}, os.WriteFile(filepath.Join(b.scratch, out), made, 0o600)
	}
	p := wire.ToolParams{ID: "x", Op: "file.duplicates", In: []string{b.dir}, Params: map[string]any{"similar": true}}
	r, err := Run(b.t.Context(), job.Order{Tool: p, Scratch: b.scratch}, magick, func(job.Event) {})
	if err != nil || len(r.Problems) != 0 {
		b.t.Fatalf("%+v, %v", r, err)
	}
	for _, v := range r.Info {
		var names []string
		for _, f := range v.(tools.Duplicates).Files {
			names = append(names, filepath.Base(f.Path))
		}
		groups = append(groups, strings.Join(names, " "))
	}
	return groups
}

// Two faxes with the same cover are two faxes: of a picture with several pages, or one
// that moves, only the first would be compared.
func TestSimilarNotByFirstPage(t *testing.T) {
	b := newBench(t)
	for _, name := range []string{"pages.tiff", "anim.gif"} {
		data, err := os.ReadFile(filepath.Join("../../tools/picture/testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		b.file("1 "+name, data)
		b.file("2 "+name, append(data, 0))
	}
	if got := b.similarIn(func([]byte) int { return 0 }); len(got) != 0 {
		t.Errorf("%q", got)
	}
}

// A picture that is set aside looks like the one that is kept, not only like another
// that looks like it.
func TestSimilarToTheKeptOne(t *testing.T) {
	b := newBench(t)
	plain := map[int]int{90: 0, 60: 1, 80: 2} // rows, by the height of the picture
	for height := range plain {
		b.file(fmt.Sprintf("%d.jpg", height), encode(t, func(w io.Writer) error { return jpeg.Encode(w, photo(60, height), nil) }))
	}
	got := b.similarIn(func(data []byte) int {
		c, err := jpeg.DecodeConfig(bytes.NewReader(data))
		if err != nil {
			t.Error(err)
		}
		return plain[c.Height]
	})
	if fmt.Sprint(got) != "[90.jpg 60.jpg]" {
		t.Errorf("%q", got)
	}
}
