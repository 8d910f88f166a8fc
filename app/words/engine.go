package words

import (
	"cmp"
	"strings"

	"piwork/vmhost"
)

// Engine says what runs a kind of place, with which rights, and what it cannot do.
func (c *Catalogue) Engine(e *vmhost.Engine) {
	rights := "root"
	if e.Rootless {
		rights = "rootless"
	}
	e.Text = c.Text("runtime-engine."+rights, map[string]any{"program": e.Name + " " + e.Version})
	add := func(what string) {
		e.Text = strings.TrimSuffix(e.Text, ".") + ". " + c.Text("runtime-engine."+what, nil)
	}
	if !e.Sizes {
		add("unsized")
	}
	if e.Copies {
		add("copies")
	}
}

// PlaceReason says why a task works in a kind of place, or does not: lacks is what it requires
// besides and the place lacks, rule the one that refuses the place; each may be "".
func PlaceReason(c *Catalogue, code, lacks, rule string) string {
	return cmp.Or(c.Text("runtime-reason."+code, map[string]any{"lacks": lacks, "rule": rule}), oneLine(code))
}
