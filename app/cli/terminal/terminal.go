package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/template"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/term"

	"piwork/app/cli/output"
	"piwork/app/words"
)

// Terminal is where a command reads and writes.
type Terminal struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	IsTerminal     func(stream any) bool // whether a stream is a terminal

	JSON    bool // answers are for programs, in the format of Out
	Out     output.Format
	Quiet   bool // no progress and no hints
	Yes     bool // the person answered everything with yes
	Verbose bool // details are shown

	// Elsewhere has the commands that texts name be for another computer, which answers; nil
	// for this one. What that one says is made fit to be shown, as a whole.
	Elsewhere func(text string) string

	list     *[]any // of answers that are shown together
	writeErr error
	reading  chan typed // has the line that a read brings; nil while nothing reads
}

// Together makes one list of the answers that f shows as JSON.
func (t *Terminal) Together(f func()) {
	list := []any{}
	t.list = &list
	f()
	t.list = nil
	if t.JSON {
		t.Document(list)
	}
}

// Document writes one JSON document.
func (t *Terminal) Document(v any) {
	if t.list != nil {
		*t.list = append(*t.list, v)
		return
	}
	t.wrote(t.Out.Document(t.Answers(), v))
}

// wrote keeps the first error about a format. Others say that nobody reads any more.
func (t *Terminal) wrote(err error) {
	var unknown *output.UnknownError
	var exec template.ExecError
	if t.writeErr == nil && (errors.As(err, &unknown) || errors.As(err, &exec)) {
		t.writeErr = err
	}
}

// WriteError is why answers could not be written in the chosen format.
func (t *Terminal) WriteError() error { return t.writeErr }

// JSONLine writes one line of JSON, or what stands for it in another format.
func (t *Terminal) JSONLine(v any) { t.wrote(t.Out.Line(t.Answers(), v)) }

// ErrorLine writes a line of JSON on stderr.
func (t *Terminal) ErrorLine(v any) { _ = output.Format{}.Line(t.seen(t.Stderr), v) }

// Answers is where answers for programs go, and what files hold. On a terminal a person looks at
// them.
func (t *Terminal) Answers() io.Writer { return t.seen(t.Stdout) }

// seen is a stream on which nothing moves the cursor where it is a terminal: what an answer is
// made of may be of another computer, a file, or an AI.
func (t *Terminal) seen(w io.Writer) io.Writer {
	if t.IsTerminal == nil || !t.IsTerminal(w) {
		return w
	}
	return &escaping{w: w}
}

// escaping writes what cannot be seen as JSON has it: JSON stays the same.
type escaping struct {
	w    io.Writer
	rest []byte // the beginning of a character, or of the end of a line, whose rest comes next
}

// Write implements io.Writer.
func (e *escaping) Write(p []byte) (int, error) {
	var out []byte
	in := append(e.rest, p...)
	for len(in) > 0 && utf8.FullRune(in) && (in[0] != '\r' || len(in) > 1) {
		r, size := utf8.DecodeRune(in)
		switch {
		case r == '\r' && in[1] == '\n': // the end of a line, as Windows has it
		case r == '\n' || r == '\t' || unicode.IsPrint(r) && r != utf8.RuneError:
			out = append(out, in[:size]...)
		default:
			for _, unit := range utf16.Encode([]rune{r}) {
				out = fmt.Appendf(out, `\u%04x`, unit)
			}
		}
		in = in[size:]
	}
	e.rest = append([]byte(nil), in...)
	if _, err := e.w.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Print writes a line of the answer for people.
func (t *Terminal) Print(format string, args ...any) {
	fmt.Fprintln(t.Stdout, t.fit(fmt.Sprintf(format, args...)))
}

// fit is a text without what moves the cursor, where another computer may have written it.
func (t *Terminal) fit(text string) string {
	if t.Elsewhere == nil {
		return text
	}
	return PrintableText(text)
}

// Hint writes to stderr what is not part of the answer. A program has no use for it.
func (t *Terminal) Hint(format string, args ...any) {
	if !t.Quiet && !t.JSON {
		fmt.Fprintln(t.Stderr, t.fit(fmt.Sprintf(format, args...)))
	}
}

// Instruct writes to stderr what a person has to do before the command goes on, such as to open
// an address: without it a quiet command would wait for nobody. A program has no use for it.
func (t *Terminal) Instruct(format string, args ...any) {
	if !t.JSON {
		fmt.Fprintln(t.Stderr, t.fit(fmt.Sprintf(format, args...)))
	}
}

// Show writes v as JSON, or calls human.
func (t *Terminal) Show(v any, human func()) {
	if t.JSON {
		t.Document(v)
		return
	}
	human()
}

// Reply writes v as JSON, or calls human; unless there is an error, which it returns.
func (t *Terminal) Reply(v any, err error, human func()) error {
	if err == nil {
		t.Show(v, human)
	}
	return err
}

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// CanAsk reports whether a person can answer questions here.
func (t *Terminal) CanAsk() bool {
	return !t.JSON && t.IsTerminal(t.Stdin) && t.IsTerminal(t.Stderr)
}

// Ask puts a question whose answer is yes or no; anything but a yes is no.
func (t *Terminal) Ask(ctx context.Context, question string) bool {
	return t.AskLine(ctx, question, false) == "y"
}

// AskLine puts a question and returns what was typed, in small letters: "y" for any
// yes. Enter alone is "y" where that is usual, else "n"; so is the end of ctx.
func (t *Terminal) AskLine(ctx context.Context, question string, usual bool) string {
	choice := Text("enter-no")
	if usual {
		choice = Text("enter-yes")
	}
	fmt.Fprintf(t.Stderr, "%s %s ", question, choice)
	answer, err := t.typedLine(ctx)
	if err != nil && !errors.Is(err, io.EOF) {
		return "n"
	}
	switch answer = strings.ToLower(strings.TrimSpace(answer)); answer {
	case "y", "yes", "j", "ja":
		return "y"
	case "":
		if usual && err == nil { // nobody pressed Enter where the stream ended
			return "y"
		}
		return "n"
	}
	return answer
}

// PrintableLines is printable for text of several lines.
func PrintableLines(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = words.Printable(lines[i])
	}
	return strings.Join(lines, "\n")
}

// Indented puts a text of several lines under a line.
func Indented(s string) string {
	return "  " + strings.ReplaceAll(strings.TrimSpace(s), "\n", "\n  ")
}

// PrintableText is printable for text of several lines.
func PrintableText(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = words.Printable(strings.ReplaceAll(lines[i], "\t", "    "))
	}
	return strings.Join(lines, "\n")
}

// Colours of a difference (ECMA-48, select graphic rendition).
const (
	Bold  = "1"
	Red   = "31"
	Green = "32"
	Cyan  = "36"
)

// Paint colours a line on a terminal, unless the person wants none
// (no-color.org).
func (t *Terminal) Paint(colour, line string) string {
	if t.Elsewhere != nil || !t.IsTerminal(t.Stdout) || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return line
	}
	return "\x1b[" + colour + "m" + line + "\x1b[0m"
}
