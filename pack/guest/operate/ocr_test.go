package operate

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"piwork/pack/tools"
)

// A PDF that has words is left as it is, unless it is to be read again; a scan and
// a picture are read.
func TestOCRLeavesWords(t *testing.T) {
	b := newReaders(t)
	b.seen = "read\n"
	written := b.file("letter.pdf", []byte("%PDF-1.7\n"+strings.Repeat("These words are written in it. ", 5)))
	scan := b.file("scan.pdf", []byte("%PDF-1.7\nNo. 7"))
	photo := b.file("photo.jpg", jpegBytes(t))
	for name, tt := range map[string]struct {
		in    string
		force bool
		read  bool
	}{
		"words":            {written, false, false},
		"words, forced":    {written, true, true},
		"a scan":           {scan, false, true},
		"a picture":        {photo, false, true},
		"a picture, again": {photo, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "o.txt")
			r := b.read("pdf.ocr", []string{tt.in}, out, map[string]any{"to": "text", "force": tt.force})
			if tt.read != slices.Contains(b.calls, "tesseract") {
				t.Errorf("%q", b.calls)
			}
			if tt.read {
				wantProblems(t, r, map[string]string{})
			} else {
				wantProblems(t, r, map[string]string{filepath.Base(tt.in): tools.InputHasText})
			}
			if made := len(r.Out) == 1; made != tt.read {
				t.Errorf("%+v", r)
			}
		})
	}
}
