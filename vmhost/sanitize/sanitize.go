// Package sanitize makes text that comes from a machine fit to be shown beside
// piwork's own words: without what moves a terminal's cursor, turns the direction of
// writing, or begins a line where nobody sees one. It is the one place that says which
// characters these are. Who shows the text says in addition whose it is, and puts it in
// quotation marks or on lines of its own.
package sanitize

import "strings"

// Text is a text without control characters, terminal sequences and signs that
// change the direction of what follows, as valid UTF-8. Line breaks and tabs stay.
func Text(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if !strings.ContainsFunc(s, unwanted) {
		return s
	}
	s = strings.ReplaceAll(dropSequences(s), "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\r':
			return '\n'
		case unwanted(r):
			return -1
		}
		return r
	}, s)
}

// Name is a text on one line in which each of these is seen as U+FFFD: what names a
// file has to keep its length and its letters.
func Name(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || unwanted(r) {
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

func unwanted(r rune) bool {
	switch {
	case r < 0x20:
		return r != '\n' && r != '\t'
	case r < 0x7f:
		return false
	case r < 0xa0: // DEL and C1
		return true
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069: // embeddings, overrides and isolates
		return true
	case r == 0x200e, r == 0x200f, r == 0x061c: // marks of a direction
		return true
	case r == 0x2028, r == 0x2029: // ends of lines and paragraphs
		return true
	}
	return r >= 0xe0000 && r <= 0xe007f // letters that nobody sees
}

// dropSequences takes out escape sequences of terminals (ECMA-48: CSI, OSC and
// the like), which would leave their letters behind.
func dropSequences(s string) string {
	if !strings.ContainsRune(s, 0x1b) {
		return s
	}
	var b strings.Builder
	for {
		i := strings.IndexByte(s, 0x1b)
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:i])
		s = s[i+1+sequence(s[i+1:]):]
	}
}

// sequence is the length of what follows an ESC and belongs to it. A string that
// does not end belongs to nothing: only its introducer goes.
func sequence(s string) int {
	if s == "" {
		return 0
	}
	switch s[0] {
	case '[': // CSI: parameters and intermediates, then one final byte
		for i := 1; i < len(s) && i < 64; i++ {
			if s[i] >= 0x40 && s[i] <= 0x7e {
				return i + 1
			}
			if s[i] < 0x20 || s[i] > 0x3f {
				return i
			}
		}
		return 1
	case ']', 'P', '_', '^', 'X': // strings: up to BEL or ESC \
		for i := 1; i < len(s) && i < 4096; i++ {
			if s[i] == 0x07 {
				return i + 1
			}
			if s[i] == 0x1b && i+1 < len(s) && s[i+1] == '\\' {
				return i + 2
			}
		}
		return 1
	case '(', ')', '#':
		return min(2, len(s))
	}
	if s[0] >= 0x30 && s[0] <= 0x7e {
		return 1
	}
	return 0
}
