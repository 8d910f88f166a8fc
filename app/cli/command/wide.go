package command

import (
	"fmt"
	"strings"

	"piwork/app/cli/output"
	"piwork/app/cli/terminal"
	"piwork/app/cli/wording"
	"piwork/app/problem"
	"piwork/app/words"
)

// Wide shows a list in columns where -o wide asks for them; heads are parted by spaces.
func Wide[T any](s *Session, list []T, heads string, row func(T) []any) bool {
	if s.Out.Kind != output.Wide || len(list) == 0 {
		return false
	}
	rows := make([][]string, len(list))
	for i, one := range list {
		for _, v := range row(one) {
			if is, truth := v.(bool); truth {
				v = yesNo(is)
			}
			rows[i] = append(rows[i], words.Printable(fmt.Sprint(v)))
		}
	}
	output.Table(s.Stdout, strings.Fields(heads), rows)
	return true
}

func yesNo(yes bool) string {
	if yes {
		return terminal.Text("yes")
	}
	return terminal.Text("no")
}

// InShort is what a problem is, "" for none.
func InShort(p *problem.Problem) string {
	if p == nil {
		return ""
	}
	what, _ := wording.Told(*p)
	return what
}
