package job

import (
	"encoding/json"

	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

// MaxAnswer bounds a result as JSON, in bytes: a line with room for what is
// around it.
const MaxAnswer = wire.MaxLine - 64<<10

// MaxItem is the most that is added to an answer before it is asked whether that is
// full, in bytes as JSON: what is known of an input and of its result, with paths of
// [wire.MaxPath] that are escaped all over, or a part of a list.
const MaxItem = 96 << 10

// MaxPart bounds a part of a list.
const MaxPart = MaxItem / 2

// Fit makes a result small enough for its line. What a program said goes
// first, then what is known of inputs beside their problems; problems
// themselves stay as long as they can.
func Fit(r *wire.ToolResult) {
	for _, limit := range []int{200, 0} {
		if AnswerSize(r) <= MaxAnswer {
			return
		}
		for i := range r.Problems {
			r.Problems[i].Detail = shorten(r.Problems[i].Detail, limit)
		}
	}
	if AnswerSize(r) > MaxAnswer {
		r.Info = nil
	}
	for AnswerSize(r) > MaxAnswer && len(r.Problems) > 1 {
		r.Problems = r.Problems[:len(r.Problems)/2]
		r.Problems = append(r.Problems, tools.Problem(tools.MoreResults, "", "too many problems for one answer"))
	}
}

// AnswerSize is how many bytes a result takes as JSON.
func AnswerSize(r *wire.ToolResult) int {
	b, err := json.Marshal(r)
	if err != nil {
		return 0
	}
	return len(b)
}

func shorten(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	if limit == 0 {
		return ""
	}
	return tools.Words(s[len(s)-limit:])
}
