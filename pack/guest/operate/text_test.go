package operate

import "testing"

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
