package words

import (
	"cmp"

	"piwork/vmhost"
)

// Engine says what runs a kind of place, and with which rights.
func (c *Catalogue) Engine(e *vmhost.Engine) {
	rights := "root"
	if e.Rootless {
		rights = "rootless"
	}
	e.Text = c.Text("runtime-engine."+rights, map[string]any{"program": e.Name + " " + e.Version})
}

// PlaceReason says why a task works in a kind of place, or does not: lacks is what it requires
// besides and the place lacks, rule the one that refuses the place; each may be "".
func PlaceReason(c *Catalogue, code, lacks, rule string) string {
	return cmp.Or(c.Text("runtime-reason."+code, map[string]any{"lacks": lacks, "rule": rule}), oneLine(code))
}
