package journal

import (
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"piwork/vmhost/share/internal/at"
)

// BesideName is a name for another version of a file: the n-th that was tried. Without
// a label it is "before".
func BesideName(name, label string, n int) string {
	label = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) || strings.ContainsRune(`/\:*?"<>|`, r) {
			return ' '
		}
		return r
	}, label)
	if label = strings.Join(strings.Fields(label), " "); label == "" {
		label = "before"
	}
	const most = 80
	label = clipText(label, most)
	if n > 1 {
		label += fmt.Sprint(" ", n)
	}
	ext := path.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	if stem == "" || len(ext) > 20 || strings.ContainsRune(ext, ' ') {
		stem, ext = name, "" // ".profile", or no ending at all
	}
	if s, ok := strings.CutSuffix(stem, ".tar"); ok && s != "" {
		stem, ext = s, ".tar"+ext
	}
	tail := " (" + label + ")" + ext
	return clipText(stem, at.MaxName-len(tail)) + tail
}

// clipText cuts s to at most max bytes, not in the middle of a character.
func clipText(s string, max int) string {
	if len(s) <= max {
		return s
	}
	for max > 0 && !utf8.RuneStart(s[max]) {
		max--
	}
	return strings.TrimRight(s[:max], " ")
}
