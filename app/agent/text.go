package agent

import (
	"strings"
	"unicode/utf8"
)

// Bounds of what reaches a timeline, in bytes.
const (
	maxText     = 1 << 20   // of a message
	maxThinking = 256 << 10 // of a message
	maxDelta    = 64 << 10  // in one delta
	maxTarget   = 1 << 10
	maxOutput   = 4 << 10
	maxDiff     = 16 << 10
	maxNotice   = 4 << 10
	maxName     = 128
	maxQueued   = 16 << 10 // of a message that waits
	maxQueue    = 64       // messages that wait
)

const cut = "…"

// clean makes text that a person may see: valid UTF-8 without control
// characters, terminal sequences and signs that change the direction of what
// follows. Line breaks and tabs stay.
func clean(s string) string {
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

func unwanted(r rune) bool {
	switch {
	case r < 0x20:
		return r != '\n' && r != '\t'
	case r < 0x7f:
		return false
	case r < 0xa0: // DEL and C1
		return true
	}
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 // embeddings, overrides and isolates
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

// start is the clean beginning of s, at most n bytes.
func start(s string, n int) string {
	short := len(s) > 2*n // what is far behind the bound need not be looked at
	if short {
		s = s[:back(s, 2*n)]
	}
	s = clean(s)
	if len(s) <= n && !short {
		return s
	}
	return s[:back(s, n-len(cut))] + cut
}

// back is the place at or before i where a character begins.
func back(s string, i int) int {
	if i >= len(s) {
		return len(s)
	}
	for i > 0 && !utf8.RuneStart(s[i]) {
		i--
	}
	return i
}

// end is the clean end of s, at most n bytes, from the beginning of a line where
// there is one.
func end(s string, n int) string {
	if len(s) > 4*n {
		s = s[len(s)-4*n:]
		for len(s) > 0 && !utf8.RuneStart(s[0]) {
			s = s[1:]
		}
		s = clean(s)
		if len(s) <= n-len(cut) {
			return cut + s
		}
	} else if s = clean(s); len(s) <= n {
		return s
	}
	s = s[len(s)-(n-len(cut)):]
	for len(s) > 0 && !utf8.RuneStart(s[0]) {
		s = s[1:]
	}
	if i := strings.IndexByte(s, '\n'); i >= 0 && i < len(s)/2 {
		s = s[i+1:]
	}
	return cut + s
}

// line is the clean beginning of s in one line.
func line(s string, n int) string {
	return strings.Join(strings.Fields(start(s, n)), " ")
}
