package agent

import (
	"strings"
	"time"

	"piwork/vmhost"
)

// A line of hints begins and ends so: "[Now: Monday, 2026-11-30 09:12 +01:00, Europe/Berlin, de_DE.UTF-8]".
const (
	hintsBegin = "[Now: "
	hintsEnd   = "]"
	hintsGap   = "\n\n" // between it and the message
)

// HintsLine are hints in words, for who gets them with a message. They never stand in the system
// prompt: it stays the same for a task.
func HintsLine(h vmhost.Hints) string {
	at := h.Time
	if zone, err := time.LoadLocation(h.TimeZone); err == nil && h.TimeZone != "" { // not all systems know all zones
		at = at.In(zone)
	}
	said := []string{at.Format("Monday, 2006-01-02 15:04 -07:00")}
	for _, s := range []string{h.TimeZone, h.Locale} {
		if s = strings.ReplaceAll(line(s, maxName), hintsEnd, ""); s != "" {
			said = append(said, s)
		}
	}
	return hintsBegin + strings.Join(said, ", ") + hintsEnd
}

// withoutHints is what the person said of a message that pi has.
func withoutHints(text string) string {
	if said, ok := strings.CutPrefix(text, hintsBegin); ok {
		if _, rest, ok := strings.Cut(said, hintsEnd+hintsGap); ok {
			return rest
		}
	}
	return text
}
