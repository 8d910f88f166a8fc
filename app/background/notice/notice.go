// Package notice has the system show a message of the controller, which has no window: over
// D-Bus on Linux (org.freedesktop.Notifications), as a toast on Windows, by osascript on macOS.
// The library of the window shows them only from a window.
package notice

import "unicode"

// Message is shown to the person.
type Message struct {
	ID    string // a newer message of the same one takes its place, where the system can do that
	Title string
	Body  string
	Link  string // that a click opens; "" where nothing does
	Open  string // words for it
}

// Shower shows messages. Its methods are called one after the other.
type Shower interface {
	// Show shows a message. clicked is called at most once, on a goroutine of its own; systems
	// that open links by themselves do not call it.
	Show(m Message, clicked func()) error
	// Close ends what waits for clicks.
	Close()
}

// Plain is a text without what messages of some systems read as markup or as a
// change of direction.
func Plain(s string) string {
	out := make([]rune, 0, len(s))
	for _, c := range s {
		switch {
		case c == '<':
			c = '‹'
		case c == '>':
			c = '›'
		case c == '&':
			c = '＆'
		case c == '\n' || c == '\t':
			c = ' '
		case unicode.IsControl(c) || unicode.Is(unicode.Cf, c):
			continue
		}
		out = append(out, c)
	}
	return string(out)
}
