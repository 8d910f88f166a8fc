package main

import (
	"path"
	"testing"

	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

// TestToolCases holds what is measured to the catalogue: a bench that is refused after
// an hour has measured nothing.
func TestToolCases(t *testing.T) {
	for _, c := range append(toolCases, resizing) {
		op, ok := tools.Find(c.op)
		if !ok {
			t.Errorf("there is no %s", c.op)
			continue
		}
		p := wire.ToolParams{ID: "x", Op: c.op, Params: c.params}
		for _, in := range c.in {
			p.In = append(p.In, path.Join("/folders/x", in))
		}
		if c.out != "" {
			p.Out = wire.OutDir + "/" + c.out
		}
		if _, err := op.Check(p); err != nil {
			t.Errorf("%s: %v", c.op, err)
		}
	}
}
