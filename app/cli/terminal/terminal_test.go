package terminal

import (
	"os"
	"testing"

	"piwork/app/words"
)

func init() { os.Setenv("LC_ALL", "C") }

// Nothing that a file is called may steer the terminal.
func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{
		"plain":          "plain",
		"日本 ü é":         "日本 ü é",
		"e\u0301":        "e\u0301",
		"\x1b[2J":        `\x1b[2J`,
		"a\nb":           `a\nb`,
		"a\rb":           `a\rb`,
		"\u202egpj.exe":  `\u202egpj.exe`,
		"a\tb":           "a b",
		"bad \xff byte":  `bad \xff byte`,
		"\x00":           `\x00`,
		"\u009b31m":      `\u009b31m`,
		"zero\u200bjoin": `zero\u200bjoin`,
	} {
		if got := words.Printable(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func FuzzPrintable(f *testing.F) {
	f.Add("a\x1b[31m\u202e\xff")
	f.Fuzz(func(t *testing.T, s string) {
		for _, r := range words.Printable(s) {
			if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == 0x202e {
				t.Errorf("%q keeps %q", s, r)
			}
		}
	})
}
