package licence

import (
	"regexp"
	"slices"
	"strings"

	"piwork/pack/image/debian"
)

// maxExpression bounds an expression, in bytes: longer ones help nobody.
const maxExpression = 900

// FromCopyright returns the expression for a Debian copyright file, or "" when
// the file is not machine-readable or says more than fits.
func FromCopyright(text string) string {
	paragraphs, err := debian.Paragraphs(strings.NewReader(text))
	if err != nil || len(paragraphs) == 0 || !strings.Contains(paragraphs[0]["format"], "copyright-format/1") {
		return ""
	}
	var all []string
	for _, p := range paragraphs[1:] {
		files, licence := strings.Fields(p["files"]), p["license"]
		if len(files) == 0 || !slices.ContainsFunc(files, func(f string) bool { return !strings.HasPrefix(f, "debian/") }) {
			continue
		}
		short, _, _ := strings.Cut(licence, "\n")
		for _, part := range parse(short) {
			if !slices.Contains(all, part) {
				all = append(all, part)
			}
		}
	}
	if len(all) == 0 {
		// Everything is under the licence of the header, where there is one.
		short, _, _ := strings.Cut(paragraphs[0]["license"], "\n")
		all = parse(short)
	}
	slices.Sort(all)
	return join(all)
}

// join makes one expression of some that hold together.
func join(all []string) string {
	if len(all) > 1 {
		for i, e := range all {
			if strings.Contains(e, " OR ") {
				all[i] = "(" + e + ")"
			}
		}
	}
	if e := strings.Join(all, " AND "); len(e) <= maxExpression {
		return e
	}
	return ""
}

// parse turns a line of short names into expressions that hold together. "and"
// binds more than "or", unless a comma stands before it.
func parse(short string) []string {
	short = strings.Join(strings.Fields(short), " ")
	if short == "" {
		return nil
	}
	var all []string
	for _, clause := range splitWord(short, ", and ", ",") {
		var alternatives []string
		for _, alternative := range splitWord(clause, " or ") {
			var names []string
			for _, name := range splitWord(alternative, " and ") {
				if id := identifier(name); id != "" && !slices.Contains(names, id) {
					names = append(names, id)
				}
			}
			e := strings.Join(names, " AND ")
			if e != "" && !slices.Contains(alternatives, e) {
				alternatives = append(alternatives, e)
			}
		}
		if len(alternatives) == 1 {
			all = append(all, strings.Split(alternatives[0], " AND ")...)
			continue
		}
		slices.Sort(alternatives)
		for i, a := range alternatives {
			if strings.Contains(a, " AND ") {
				alternatives[i] = "(" + a + ")"
			}
		}
		if e := strings.Join(alternatives, " OR "); e != "" {
			all = append(all, e)
		}
	}
	return all
}

// splitWord splits at words of ASCII, whatever their case.
func splitWord(s string, words ...string) []string {
	parts := []string{s}
	for _, w := range words {
		// Not by places in a text in lower case: it can be longer than the text.
		at := regexp.MustCompile("(?i)" + regexp.QuoteMeta(w))
		var next []string
		for _, p := range parts {
			for _, piece := range at.Split(p, -1) {
				next = append(next, strings.TrimSpace(piece))
			}
		}
		parts = next
	}
	return slices.DeleteFunc(parts, func(p string) bool { return p == "" })
}
