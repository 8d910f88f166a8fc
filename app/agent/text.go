package agent

import (
	"strings"
	"unicode/utf8"

	"piwork/vmhost/sanitize"
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

// Bounds for what comes from other AI programs, which are held to the same.
const (
	MaxText     = maxText
	MaxThinking = maxThinking
	MaxDelta    = maxDelta
	MaxTarget   = maxTarget
	MaxOutput   = maxOutput
	MaxDiff     = maxDiff
	MaxNotice   = maxNotice
	MaxName     = maxName
)

// Beginning is the clean beginning of s, at most n bytes.
func Beginning(s string, n int) string { return start(s, n) }

// Ending is the clean end of s, at most n bytes.
func Ending(s string, n int) string { return end(s, n) }

// OneLine is the clean beginning of s in one line.
func OneLine(s string, n int) string { return line(s, n) }

// Shown is a message as it comes back in the timeline.
func Shown(text string) string { return start(text, maxText) }

// start is the clean beginning of s, at most n bytes.
func start(s string, n int) string {
	short := len(s) > 2*n // what is far behind the bound need not be looked at
	if short {
		s = s[:back(s, 2*n)]
	}
	s = sanitize.Text(s)
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
		s = sanitize.Text(s)
		if len(s) <= n-len(cut) {
			return cut + s
		}
	} else if s = sanitize.Text(s); len(s) <= n {
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
