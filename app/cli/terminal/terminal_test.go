package terminal

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode"

	"piwork/app/cli/output"
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

// Answers for programs on a terminal move no cursor, in whatever format; JSON stays the same, and
// what goes to a program is as it is.
func TestAnswersOnATerminal(t *testing.T) {
	const name = "a\x1b]0;evil\ab\x1b[2J\u009b31m\u202e\U000e0041ü \u65e5\tz\x7f\xff"
	template, err := output.OfTemplate("{{.name}}")
	if err != nil {
		t.Fatal(err)
	}
	answer := struct {
		Name string `json:"name"`
	}{name}
	for _, format := range []output.Format{{Kind: output.JSON}, {Kind: output.YAML}, template} {
		for _, on := range []bool{true, false} {
			var out bytes.Buffer
			term := &Terminal{Stdout: &out, Stderr: &out, JSON: true, Out: format, IsTerminal: func(any) bool { return on }}
			term.Document(answer)
			term.JSONLine(answer)
			term.Together(func() { term.Document(answer) })
			term.ErrorLine(answer)
			bad := strings.ContainsFunc(out.String(), func(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsPrint(r) })
			if bad && on || !bad && !on {
				t.Errorf("%s, on a terminal %v: %q", format.Kind, on, out.String())
			}
			if format.Kind != output.JSON {
				continue
			}
			var back struct{ Name string }
			if err := json.NewDecoder(&out).Decode(&back); err != nil || back.Name != strings.ToValidUTF8(name, "\ufffd") {
				t.Errorf("on a terminal %v: %q %v", on, back.Name, err)
			}
		}
	}
}

// What comes in pieces keeps its characters, and the ends of its lines.
func TestPiecesOnATerminal(t *testing.T) {
	const text = "ä\r\n日\x1b[2J\U0001f600\rx"
	for size := 1; size <= len(text); size++ {
		var out bytes.Buffer
		to := (&Terminal{Stdout: &out, IsTerminal: func(any) bool { return true }}).Answers()
		for rest := []byte(text); len(rest) > 0; {
			n, err := to.Write(rest[:min(size, len(rest))])
			if err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		if got := out.String(); got != "ä\n日\\u001b[2J\U0001f600\\u000dx" {
			t.Errorf("in pieces of %d: %q", size, got)
		}
	}
}
