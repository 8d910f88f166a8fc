package wording

import (
	"fmt"
	"strconv"
	"strings"

	"piwork/app/cli/terminal"
	"piwork/app/words"
	"piwork/vmhost"
)

// QuestionLines are a question that has its words, with its choices and files.
func QuestionLines(q vmhost.Question) []string {
	out := []string{q.Title}
	for _, quote := range q.Quotes {
		out = append(out, Quoted(quote))
	}
	out = append(append(out, q.Detail), q.Notes...)
	for i, c := range q.Choices {
		out = append(out, "  "+strconv.Itoa(i+1)+"  “"+words.Printable(c.Label)+"”")
	}
	for i, item := range q.Items {
		if i == questionItems && len(q.Items) > questionItems+1 {
			total, _ := strconv.ParseFloat(fmt.Sprint(q.Text.Params["count"]), 64) // an int, or as JSON makes every number
			return append(out, "  "+terminal.Texts().MoreFiles(max(int(total), len(q.Items))-i))
		}
		out = append(out, "  "+words.Printable(item))
	}
	if q.More != "" {
		out = append(out, "  "+q.More)
	}
	return out
}

// Quoted are words of a machine: every line begins with a sign, so that none passes for
// one of piwork's.
func Quoted(s string) string {
	return "  │ " + strings.ReplaceAll(terminal.PrintableText(s), "\n", "\n  │ ")
}

// questionItems is how many files of a question are shown.
const questionItems = 10
