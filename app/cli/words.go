package cli

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	"piwork/app/cli/terminal"
	"piwork/app/problem"
	"piwork/app/words"
	"piwork/vmhost/wire"
)

// texts are the words of the terminal's language.
var texts = sync.OnceValue(func() *words.Catalogue { return words.ForTerminal(os.Getenv).WithPaths() })

// told returns what happened, and what it means.
func told(p problem.Problem) (what, means string) {
	texts().Problem(&p)
	return p.Title, p.Detail
}

// nextSteps are the next steps of a problem that has its words, best first; what is to
// be typed follows in lines of its own.
func nextSteps(p problem.Problem) []string {
	var out []string
	for _, f := range p.Fix {
		s := f.Title
		if s == "" || f.Code == problem.FixShowDetails || f.Code == problem.FixRemoveInput {
			continue // they are shown; and leaving it out is what was done
		}
		if command := texts().Command(&p, f.Code); command != "" {
			s = strings.TrimSuffix(s, ".") + ": " + command
		}
		lines := append([]string{s}, f.Steps...)
		if f.Command != "" {
			lines = append(lines, f.Lead, f.Command)
		}
		out = append(out, strings.Join(lines, "\n"))
	}
	return out
}

// shown writes a parameter: paths of the workroom without its directory.
func shown(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return terminal.Printable(strings.TrimPrefix(v, wire.FoldersDir+"/"))
	case float64: // as JSON makes every number
		return fmt.Sprintf("%.0f", v)
	case []string:
		return strings.Join(mapped(v, shown), ", ")
	case []any:
		return strings.Join(mapped(v, shown), ", ")
	default:
		return terminal.Printable(fmt.Sprint(v))
	}
}

func mapped[T any](in []T, f func(any) string) []string {
	out := make([]string, len(in))
	for i, v := range in {
		out[i] = f(v)
	}
	return out
}

// sortedKeys is for lists that people read.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
