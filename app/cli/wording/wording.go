package wording

import (
	"fmt"
	"strings"

	"piwork/app/cli/terminal"
	"piwork/app/problem"
	"piwork/app/words"
	"piwork/vmhost/wire"
)

// Told returns what happened, and what it means.
func Told(p problem.Problem) (what, means string) {
	terminal.Texts().Problem(&p)
	return p.Title, p.Detail
}

// NextSteps are the next steps of a problem that has its words, best first; what is to
// be typed follows in lines of its own.
func NextSteps(p problem.Problem) []string {
	var out []string
	for _, f := range p.Fix {
		s := f.Title
		if s == "" || f.Code == problem.FixShowDetails || f.Code == problem.FixRemoveInput {
			continue // they are shown; and leaving it out is what was done
		}
		if f.Code == problem.FixReview && p.Params["task"] == nil {
			continue // there is no task that changed something
		}
		if command := terminal.Texts().Command(&p, f.Code); command != "" {
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

// Name says what a code of a table of app/words is called.
func Name[K ~string](table string, code K) string { return terminal.Texts().Name(table, string(code)) }

// Shown writes a parameter: paths of the workroom without its directory.
func Shown(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return words.Printable(strings.TrimPrefix(v, wire.FoldersDir+"/"))
	case float64: // as JSON makes every number
		return fmt.Sprintf("%.0f", v)
	case []string:
		return words.Printable(strings.Join(v, ", "))
	case []any:
		all := make([]string, len(v))
		for i := range v {
			all[i] = Shown(v[i])
		}
		return strings.Join(all, ", ")
	default:
		return words.Printable(fmt.Sprint(v))
	}
}
