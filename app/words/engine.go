package words

import "piwork/vmhost"

// Engine says what runs a kind of place, and with which rights.
func (c *Catalogue) Engine(e *vmhost.Engine) {
	rights := "root"
	if e.Rootless {
		rights = "rootless"
	}
	e.Text = c.Text("runtime-engine."+rights, map[string]any{"program": e.Name + " " + e.Version})
}
