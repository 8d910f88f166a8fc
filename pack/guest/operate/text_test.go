package operate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"piwork/vmhost/wire"
)

// TestTitleOf: a page is called as its file is, in one line that a program can take
// as an argument.
func TestTitleOf(t *testing.T) {
	for path, want := range map[string]string{
		"/folders/F/Brief an Änne.docx": "Brief an Änne",
		"/folders/F/.md":                ".md",
		"/folders/F/a.b.rtf":            "a.b",
		"/folders/F/line\nfeed\x1b.md":  "line feed ",
		"/folders/F/cut \xff.md":        "cut \uFFFD",
	} {
		if got := titleOf(path); got != want {
			t.Errorf("%q is called %q, want %q", path, got, want)
		}
	}
}

// Text in the letters of Windows, as the old Notepad wrote it, keeps its umlauts.
func TestConvertTextOfWindows(t *testing.T) {
	for name, data := range map[string]string{
		"Windows-1252": "Gr\xFC\xDFe <\x80>\r\n", "UTF-8": "Grüße <€>\r\n", "with a mark": "\xEF\xBB\xBFGrüße <€>\r\n",
		"UTF-16": "\xFF\xFEG\x00r\x00\xFC\x00\xDF\x00e\x00 \x00<\x00\xAC\x20>\x00\r\x00\n\x00",
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			out := filepath.Join(b.dir, "out.html")
			r := b.run(t.Context(), wire.ToolParams{Op: "text.convert", In: []string{b.file("a.txt", []byte(data))}, Out: out, Params: map[string]any{"to": "html"}})
			wantProblems(t, r, map[string]string{})
			if made, err := os.ReadFile(out); err != nil || !strings.Contains(string(made), "<pre>\nGrüße &lt;€&gt;\n</pre>") {
				t.Errorf("%q, %v", made, err)
			}
		})
	}
}
