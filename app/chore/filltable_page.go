package chore

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
)

// maxCell is how much of a page goes into one cell, in characters.
const maxCell = 500

// page is the text of a page of the web, as a reader sees it.
type page struct{ title, text string }

// titles are names of columns for which a page's title is meant where it says nothing else.
var titles = []string{"title", "page title", "titel", "seitentitel"}

// says is what the page says under a name: "Price: 3.50", a row of a table that begins with
// it, or the line below a line with nothing else. The first such place counts; "" is none.
func (p page) says(name string) string {
	want := label(name)
	lines := strings.FieldsFunc(p.text, func(r rune) bool { return r == '\n' || r == '\r' })
	for i, line := range lines {
		left, right, tab := strings.Cut(line, "\t")
		if !tab {
			left, right, _ = strings.Cut(line, ":")
		}
		if label(left) != want {
			continue
		}
		if value := cell(right); value != "" {
			return value
		}
		for _, next := range lines[i+1:] {
			if value := cell(next); value != "" {
				return value
			}
		}
	}
	if slices.Contains(titles, want) {
		return cell(p.title)
	}
	return ""
}

// label is a name as it is compared.
func label(s string) string {
	return cases.Fold().String(strings.Join(strings.Fields(strings.TrimRight(strings.TrimSpace(s), ":*")), " "))
}

// cell is a text of a page as it goes into a cell: one line, bounded, nothing unseen.
func cell(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, s)
	out := []rune(strings.Join(strings.Fields(s), " "))
	return string(out[:min(len(out), maxCell)])
}
