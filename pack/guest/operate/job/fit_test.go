package job

import (
	"fmt"
	"strings"
	"testing"

	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

func TestFit(t *testing.T) {
	r := wire.ToolResult{ID: "x"}
	for i := range wire.MaxInputs {
		path := fmt.Sprintf("/folders/%s/%d", strings.Repeat("ü", 200), i)
		r.Problems = append(r.Problems, tools.Problem(tools.InputBroken, path, strings.Repeat("why ", 200)))
	}
	Fit(&r)
	if n := AnswerSize(&r); n > MaxAnswer || len(r.Problems) != wire.MaxInputs {
		t.Errorf("%d bytes, %d problems", n, len(r.Problems))
	}
	for i := range r.Problems {
		r.Problems[i].Path = "/" + strings.Repeat("x", 4000)
	}
	Fit(&r)
	if n := AnswerSize(&r); n > MaxAnswer || len(r.Problems) == 0 {
		t.Errorf("%d bytes, %d problems", n, len(r.Problems))
	}
}

func TestTail(t *testing.T) {
	w := newTail(10)
	for _, s := range []string{"abc", "defghij", "k", strings.Repeat("x", 30) + "0123456789"} {
		if n, err := w.Write([]byte(s)); n != len(s) || err != nil {
			t.Errorf("%d, %v", n, err)
		}
	}
	if w.String() != "0123456789" {
		t.Errorf("%q", w)
	}
}
