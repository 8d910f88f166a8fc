package operate

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

// A file of a ZIP without extended time stamps, as Windows and many programs make them,
// has the time of day that it had there; one with them has its instant.
func TestExtractZipTime(t *testing.T) {
	before := time.Local
	t.Cleanup(func() { time.Local = before })
	time.Local = time.FixedZone("Berlin in summer", 2*60*60)
	var data bytes.Buffer
	w := zip.NewWriter(&data)
	for _, h := range []*zip.FileHeader{
		{Name: "wall.txt", ModifiedDate: (2024-1980)<<9 | 5<<5 | 1, ModifiedTime: 23<<11 | 30<<5},
		{Name: "instant.txt", Modified: time.Date(2024, 5, 1, 21, 30, 0, 0, time.UTC)},
	} {
		if _, err := w.CreateHeader(h); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	b := newBench(t)
	in, out := b.file("a.zip", data.Bytes()), filepath.Join(b.dir, "out")
	b.run(t.Context(), wire.ToolParams{Op: "archive.extract", In: []string{in}, Out: out})
	want := time.Date(2024, 5, 1, 21, 30, 0, 0, time.UTC)
	for _, name := range []string{"wall.txt", "instant.txt"} {
		if st, err := os.Stat(filepath.Join(out, name)); err != nil || !st.ModTime().Equal(want) {
			t.Errorf("%s: %v, %v, want %v", name, st, err, want)
		}
	}
	for _, e := range b.run(t.Context(), wire.ToolParams{Op: "archive.list", In: []string{in}}).Info {
		if e := e.(tools.ArchiveEntry); e.MTime != "2024-05-01T21:30:00Z" {
			t.Errorf("%+v", e)
		}
	}
}
