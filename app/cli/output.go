package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"

	"piwork/app/problem"
)

// document writes one JSON document.
func (e *env) document(v any) {
	enc := json.NewEncoder(e.Stdout)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	_ = enc.Encode(v) // nobody reads it any more
}

// line writes one line of JSON.
func (e *env) line(v any) {
	enc := json.NewEncoder(e.Stdout)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v)
}

// say writes a line of the answer for people.
func (e *env) say(format string, args ...any) {
	fmt.Fprintf(e.Stdout, format+"\n", args...)
}

// hint writes to stderr what is not part of the answer.
func (e *env) hint(format string, args ...any) {
	if !e.quiet {
		fmt.Fprintf(e.Stderr, format+"\n", args...)
	}
}

// answer writes v as JSON, or calls human.
func (e *env) answer(v any, human func()) {
	if e.json {
		e.document(v)
		return
	}
	human()
}

// reply writes v as JSON, or calls human; unless there is an error, which it returns.
func (e *env) reply(v any, err error, human func()) error {
	if err == nil {
		e.answer(v, human)
	}
	return err
}

// isTerminal reports whether a stream is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// canAsk reports whether a person sits in front of this.
func (e *env) canAsk() bool {
	return !e.json && e.IsTerminal(e.Stdin) && e.IsTerminal(e.Stderr)
}

// ask puts a question whose answer is yes or no; anything but a yes is no.
func (e *env) ask(question string) bool { return e.askLine(question, false) == "y" }

// askLine puts a question and returns what was typed, in small letters: "y" for any
// yes. Enter alone is "y" where that is usual, else "n".
func (e *env) askLine(question string, usual bool) string {
	choice := "[y/N]"
	if usual {
		choice = "[Y/n]"
	}
	fmt.Fprintf(e.Stderr, "%s %s ", question, choice)
	answer, err := enteredLine(e.Stdin)
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

// problem shows what went wrong: what happened, what it means, what to do.
func (e *env) problem(p problem.Problem) {
	if e.json {
		if p.Fix == nil {
			p.Fix = []problem.Fix{}
		}
		e.line(map[string]any{"error": p})
		return
	}
	e.card(e.Stderr, "", p)
}

// detailLines is how much evidence is shown without --verbose.
const detailLines = 6

// card writes a problem as three lines and its details.
func (e *env) card(w io.Writer, indent string, p problem.Problem) {
	what, means := words(p)
	fmt.Fprintln(w, indent+what)
	if means != "" {
		fmt.Fprintln(w, indent+"  "+means)
	}
	steps := fixWords(p)
	for i, s := range steps {
		lead := "  Next: "
		if len(steps) > 1 {
			lead = fmt.Sprintf("  %d. ", i+1)
		}
		// What is to be typed stands alone, so that it can be copied.
		for j, line := range strings.Split(s, "\n") {
			if j > 0 {
				lead = "       "
			}
			fmt.Fprintln(w, indent+lead+printable(line))
		}
		if text := restartLine(p); text != "" && i == 0 {
			fmt.Fprintln(w, indent+"     "+text)
		}
	}
	if p.Details == "" {
		return
	}
	lines := strings.Split(strings.TrimSpace(p.Details), "\n")
	if !e.verbose && len(lines) > detailLines {
		lines = append(lines[:detailLines:detailLines], "(more with --verbose)")
	}
	for i, l := range lines {
		lead := "           "
		if i == 0 {
			lead = "  Details: "
		}
		fmt.Fprintln(w, indent+lead+printable(l))
	}
}

// printable makes a name safe to print: what could steer a terminal, or turn
// the direction of writing, is shown as an escape.
func printable(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError }) < 0 {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r == '\t':
			b.WriteByte(' ')
		default:
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
		s = s[n:]
	}
	return b.String()
}

// printableLines is printable for text of several lines.
func printableLines(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = printable(lines[i])
	}
	return strings.Join(lines, "\n")
}

// indented puts a text of several lines under a line.
func indented(s string) string {
	return "  " + strings.ReplaceAll(strings.TrimSpace(s), "\n", "\n  ")
}

// size writes bytes as people do: "3.1 MB".
func size(n int64) string {
	if n < 1000 {
		return count(int(n), "byte")
	}
	return fmt.Sprintf("% .1f", decor.SizeB1000(n))
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// count writes "1 picture", "2 pictures".
func count(n int, noun string) string {
	return fmt.Sprintf("%d %s", n, plural(n, noun, noun+"s"))
}
