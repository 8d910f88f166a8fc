package diagnostics

import (
	"regexp"
	"strings"

	"piwork/pack/lazyregexp"
)

// gated is a pattern with what every one of its matches has, in a form that is
// quick to look for: most lines of a log have none of it, and trying twenty patterns
// on each of them takes seconds for a megabyte. needs gets the line as folded
// returns it.
type gated struct {
	pattern func() *regexp.Regexp
	needs   func(folded string) bool
}

func gate(needs func(string) bool, pattern string) gated {
	return gated{lazyregexp.New(pattern), needs}
}

// ReplaceAllString is that of the pattern.
func (g gated) ReplaceAllString(s, with string) string {
	if !g.needs(folded(s)) {
		return s
	}
	return g.pattern().ReplaceAllString(s, with)
}

// ReplaceAllStringFunc is that of the pattern.
func (g gated) ReplaceAllStringFunc(s string, with func(string) string) string {
	if !g.needs(folded(s)) {
		return s
	}
	return g.pattern().ReplaceAllStringFunc(s, with)
}

// MatchString is that of the pattern.
func (g gated) MatchString(s string) bool { return g.needs(folded(s)) && g.pattern().MatchString(s) }

// FindStringIndex is that of the pattern.
func (g gated) FindStringIndex(s string) []int {
	if !g.needs(folded(s)) {
		return nil
	}
	return g.pattern().FindStringIndex(s)
}

// FindAllStringIndex is that of the pattern.
func (g gated) FindAllStringIndex(s string, n int) [][]int {
	if !g.needs(folded(s)) {
		return nil
	}
	return g.pattern().FindAllStringIndex(s, n)
}

// folded writes every letter that (?i) takes for a small one of ASCII as that: two
// of them, ſ and the sign for Kelvin, are not ASCII (package regexp/syntax folds as
// unicode.SimpleFold). The latter is a k to ToLower.
func folded(s string) string { return strings.ReplaceAll(strings.ToLower(s), "ſ", "s") }

// has reports whether one of the words is there.
func has(words ...string) func(string) bool {
	return func(s string) bool {
		for _, w := range words {
			if strings.Contains(s, w) {
				return true
			}
		}
		return false
	}
}

// both reports whether one of each is there.
func both(a, b func(string) bool) func(string) bool {
	return func(s string) bool { return a(s) && b(s) }
}

// run reports whether there are n bytes of a kind in a row.
func run(n int, of func(byte) bool) func(string) bool {
	return func(s string) bool {
		row := 0
		for i := range len(s) {
			if row++; !of(s[i]) {
				row = 0
			}
			if row == n {
				return true
			}
		}
		return false
	}
}

// partOf needs the longest part of a name or path that is written in only one way,
// but for small and large letters.
func partOf(text string) func(string) bool {
	longest := ""
	for _, part := range strings.FieldsFunc(text, func(c rune) bool { return c > 0x7f || !alphanumeric(byte(c)) }) {
		if len(part) > len(longest) {
			longest = part
		}
	}
	return has(strings.ToLower(longest)) // "" is everywhere
}

func alphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
