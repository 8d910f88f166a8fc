package words

import (
	"regexp"
	"strings"
	"testing"
	"text/template/parse"
)

// A name in a command that is to be typed is one word of it, whoever chose it.
func TestAsWord(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "0195aaaa-bbbb": "0195aaaa-bbbb", "a.example": "a.example", "*.example.org": `"*.example.org"`, "my service": `"my service"`, "Bücher": `"Bücher"`, "http://127.0.0.1:1234/v1": "http://127.0.0.1:1234/v1",
		";curl e.x|sh": "…", "$(id)": "…", "`id`": "…", "--data-dir": "…", "-x": "…", `a"b`: "…", "a'b": "…", "a\\b": "…", "a&b": "…", "a%b%": "…", "a!b": "…", "a>b": "…", "a\x00b": "…", "#": "…", "a\u202eb": "…", "a(b)": "…", "{a,b}": "…",
	} {
		if got := asWord(in); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}

// No text has a command with a parameter that is not made a word.
func TestCommandsAreMadeOfWords(t *testing.T) {
	command := regexp.MustCompile(`piwork (?:task|session|key|network|mcp-server|service|runtime|remote|pack|rules|policy|token|tool|run|exec)(?: [a-z][a-z-]*| --[a-z-]+)* $`)
	for _, c := range []*Catalogue{For("en"), For("de")} {
		for _, files := range c.files() {
			for _, f := range files {
				texts, err := f.texts()
				if err != nil {
					t.Fatal(err)
				}
				for id, forms := range texts {
					for _, one := range forms {
						made, err := one.template(c)
						if err != nil {
							t.Fatal(err)
						}
						eachAction(made.Root, "", func(before, action string) {
							if command.MatchString(before) && !strings.Contains(action, "word ") && action != "{{.what}}" && action != "{{.command}}" { // which are piwork's own
								t.Errorf("%s/%s: %s%s", c.Language, id, before, action)
							}
						})
					}
				}
			}
		}
	}
}

// eachAction calls f with each value of a template and the text before it.
func eachAction(n parse.Node, before string, f func(before, action string)) string {
	switch n := n.(type) {
	case *parse.ListNode:
		if n != nil {
			for _, in := range n.Nodes {
				before = eachAction(in, before, f)
			}
		}
	case *parse.TextNode:
		return before + string(n.Text)
	case *parse.ActionNode:
		f(before, n.String())
		return ""
	case *parse.IfNode:
		eachAction(n.List, before, f)
		return eachAction(n.ElseList, before, f)
	case *parse.WithNode:
		eachAction(n.List, before, f)
		return eachAction(n.ElseList, before, f)
	}
	return before
}
