package diagnostics

import (
	"maps"
	"math/rand/v2"
	"net/netip"
	"regexp/syntax"
	"strings"
	"testing"
	"unicode"
)

// gates are all there are, by name.
var gates = map[string]gated{
	"secretName": secretName, "header": header, "scheme": scheme, "quoted": quoted, "assigned": assigned, "flagged": flagged,
	"variable": variable, "prefixed": prefixed, "webAddress": webAddress, "mail": mail, "addresses": addresses, "hardware": hardware,
	"opaque": opaque, "document": document, "begins": begins,
}

// shut reports whether a gate keeps a pattern from what it matches. Numbers that are
// no address are left as they are, so that addresses need not be tried on them.
func shut(g gated, s string) bool {
	m := g.pattern().FindString(s)
	if m == "" || g.needs(folded(s)) {
		return false
	}
	if g.pattern() != addresses.pattern() {
		return true
	}
	bare := strings.Trim(m, "[].")
	_, err := netip.ParseAddr(bare)
	_, trimmed := netip.ParseAddr(strings.TrimRight(bare, ":"))
	_, port := netip.ParseAddrPort(strings.Trim(m, "."))
	return err == nil || trimmed == nil || port == nil
}

// Every pattern is tried on what it matches: texts are made of the patterns
// themselves.
func TestGatesLetThrough(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 14))
	all := maps.Clone(gates)
	for _, name := range []string{"Maria Schmidt", "ΜΑΡΙΑ", "Jørgen", "Kießling", "Kas", "李明", "x_y-z.example"} {
		all["word "+name] = NewRedactor(Known{Hosts: []string{name}}).words[0].at
		all["place "+name] = NewRedactor(Known{Places: []Place{{Path: `C:\Users\` + name + `\AppData Ö`, Name: "data"}}}).places[0].at
	}
	for name, g := range all {
		tree, err := syntax.Parse(g.pattern().String(), syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		matched := 0
		for range 3000 {
			s := some(tree, random)
			if shut(g, s) {
				t.Fatalf("%s is not tried on %q", name, s)
			}
			if g.pattern().MatchString(s) {
				matched++
			}
		}
		if matched < 100 {
			t.Errorf("%s: only %d texts matched", name, matched)
		}
	}
}

// some is a text that a pattern matches, as far as the borders of words allow.
func some(re *syntax.Regexp, random *rand.Rand) string {
	repeat := func(from, to int) string {
		if to < 0 {
			to = from + 3
		}
		var b strings.Builder
		for range from + random.IntN(to-from+1) {
			b.WriteString(some(re.Sub[0], random))
		}
		return b.String()
	}
	switch re.Op {
	case syntax.OpLiteral:
		out := []rune(string(re.Rune))
		for i := range out {
			for n := random.IntN(4); re.Flags&syntax.FoldCase != 0 && n > 0; n-- {
				out[i] = unicode.SimpleFold(out[i])
			}
		}
		return string(out)
	case syntax.OpCharClass:
		i := random.IntN(len(re.Rune)/2) * 2
		return string(re.Rune[i] + random.Int32N(min(re.Rune[i+1]-re.Rune[i], 0xff)+1))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return string(rune(' ' + random.IntN(95)))
	case syntax.OpStar:
		return repeat(0, -1)
	case syntax.OpPlus:
		return repeat(1, -1)
	case syntax.OpQuest:
		return repeat(0, 1)
	case syntax.OpRepeat:
		return repeat(re.Min, re.Max)
	case syntax.OpCapture:
		return some(re.Sub[0], random)
	case syntax.OpConcat:
		var b strings.Builder
		for _, sub := range re.Sub {
			b.WriteString(some(sub, random))
		}
		return b.String()
	case syntax.OpAlternate:
		return some(re.Sub[random.IntN(len(re.Sub))], random)
	}
	return "" // places, not texts
}

// FuzzGates looks for a text that a pattern matches and its gate does not let
// through.
func FuzzGates(f *testing.F) {
	for _, s := range []string{
		"Authorization: Bearer x", "--toKen x", "ſecret=1", "GITHUB_TOKEN=x", "http://[::1]:80/", "a@b", "00:11-22:33:44:55", "::1", "1.2.3.4:5",
		"aaaaaaaaaaaaaaaaaaaa", "Letter to Anna.docx", `\\server\share`, "ghp_0123456", "C:/x",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for name, g := range gates {
			if shut(g, s) {
				t.Errorf("%s is not tried on %q", name, s)
			}
		}
	})
}
