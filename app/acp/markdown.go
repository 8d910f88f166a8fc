package acp

import (
	"strings"
	"unicode"

	"piwork/app/words"
)

// Editors show texts as Markdown, in which a command could hide a part of itself. What a program,
// an AI or a folder named is shown as it is: in a code span or a block of code, or escaped.

// ticks is a run of at least n backticks that s has not.
func ticks(s string, n int) string {
	run := 0
	for _, r := range s {
		if r != '`' {
			run = 0
			continue
		}
		if run++; run >= n {
			n = run + 1
		}
	}
	return strings.Repeat("`", n)
}

// fenced is a text as it is, in Markdown.
func fenced(s string) string {
	fence := ticks(s, 3)
	return fence + "\n" + strings.TrimRight(s, "\n") + "\n" + fence
}

// quoted is a text as it is, with nothing in it that a person would not see.
func quoted(s string) string {
	var out strings.Builder
	for line := range strings.Lines(s) {
		out.WriteString(words.Printable(strings.TrimRight(line, "\r\n")) + "\n")
	}
	return fenced(out.String())
}

// code is a name as it is, within a line.
func code(s string) string {
	s = words.Printable(s)
	if strings.TrimSpace(s) == "" {
		return s
	}
	fence := ticks(s, 1)
	if strings.Trim(s, "` ") != s {
		s = " " + s + " " // Markdown takes one off at each end
	}
	return fence + s + fence
}

// escaped is a sentence of piwork, which may have names in it, with nothing in it that means
// something in Markdown.
func escaped(s string) string {
	var out strings.Builder
	all := []rune(s)
	begins := true // a line, but for digits and space
	for i, r := range all {
		within := i > 0 && i+1 < len(all) && alphanumeric(all[i-1]) && alphanumeric(all[i+1])
		if strings.ContainsRune("\\`*[]<>&~|$", r) || r == '_' && !within || begins && strings.ContainsRune("#-+=.)", r) {
			out.WriteByte('\\')
		}
		out.WriteRune(r)
		begins = r == '\n' || begins && (unicode.IsSpace(r) || unicode.IsDigit(r))
	}
	return out.String()
}

func alphanumeric(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
