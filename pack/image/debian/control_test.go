package debian

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestParagraphs(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []Paragraph
	}{
		"nothing":                  {"", nil},
		"only blanks":              {" \n\t\n\n", nil},
		"names in any case":        {"PackAge: a\nVERSION: 1", []Paragraph{{"package": "a", "version": "1"}}},
		"folded":                   {"A: b\n  c \n\t.\nD:\n e\n", []Paragraph{{"a": "b\nc\n.", "d": "\ne"}}},
		"several":                  {"\nA: 1\n\n\nA: 2\n", []Paragraph{{"a": "1"}, {"a": "2"}}},
		"a line of blanks":         {"A: 1\n \t \nA: 2\n", []Paragraph{{"a": "1"}, {"a": "2"}}},
		"returns":                  {"A: 1\r\n b\r\n\r\nA: 2\r\n", []Paragraph{{"a": "1\nb"}, {"a": "2"}}},
		"comments":                 {"# x: y\nA: 1\n# between\n b\n", []Paragraph{{"a": "1\nb"}}},
		"a form feed":              {"A: 1\n \f\n b\n\f\nC: 2\n", []Paragraph{{"a": "1\n\nb", "c": "2"}}},
		"no colon":                 {"words\nA: 1\n", []Paragraph{{"a": "1"}}},
		"continues nothing":        {" b\nA: 1\n\n c\n", []Paragraph{{"a": "1"}}},
		"colons in the value":      {"A: b: c\n", []Paragraph{{"a": "b: c"}}},
		"twice, the last counts":   {"A: 1\nA: 2\n", []Paragraph{{"a": "2"}}},
		"a line just short enough": {"A: " + strings.Repeat("x", maxLine-10) + "\n", []Paragraph{{"a": strings.Repeat("x", maxLine-10)}}},
	} {
		got, err := Paragraphs(strings.NewReader(c.text))
		if err != nil || !slices.EqualFunc(got, c.want, func(a, b Paragraph) bool { return maps.Equal(a, b) }) {
			t.Errorf("%s: %.80q, %v", name, got, err)
		}
	}
	if _, err := Paragraphs(strings.NewReader("A: " + strings.Repeat("x", maxLine) + "\n")); err == nil {
		t.Error("a line without end was taken")
	}
}
