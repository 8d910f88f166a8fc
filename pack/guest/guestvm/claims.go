//go:build (vm || long) && linux

package guestvm

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"piwork/pack/tools"
)

// Played is a call of an operation whose result is kept.
type Played struct {
	Op     string
	In     []string // names; their suffixes count
	Params map[string]any
}

// alike are further suffixes of a format: what a name says is not what decides.
var alike = map[string]string{
	"jpeg": "jpg", "tif": "tiff", "heif": "heic", "htm": "html", "aif": "aiff",
	"tgz": "gz", "tbz2": "bz2", "txz": "xz", "tzst": "zst",
}

// formatParams are the parameters that choose a format, each of whose choices is
// one of its own.
var formatParams = []string{"to", "format", "outputs"}

// Unplayed says what an operation claims and no call of it shows: formats that it
// takes, and formats that it makes.
func Unplayed(d tools.Description, calls []Played) []string {
	shown := map[string]bool{}
	properties, _ := d.Params["properties"].(map[string]any)
	for _, c := range calls {
		if c.Op != d.Name {
			continue
		}
		for _, name := range c.In {
			shown["takes "+format(path.Ext(name))] = true
		}
		for _, param := range formatParams {
			value, given := c.Params[param]
			if described, _ := properties[param].(map[string]any); !given {
				value = described["default"]
			}
			if list, is := value.([]string); is {
				for _, one := range list {
					shown["makes "+one] = true
				}
			}
			shown["makes "+fmt.Sprint(value)] = true
		}
	}
	var missing []string
	for _, suffix := range d.Accepts {
		if claim := "takes " + format(suffix); !shown[claim] {
			missing = append(missing, claim)
		}
	}
	for _, param := range formatParams {
		described, _ := properties[param].(map[string]any)
		if items, is := described["items"].(map[string]any); is {
			described = items
		}
		for _, choice := range choices(described) {
			if claim := "makes " + choice; !shown[claim] {
				missing = append(missing, claim)
			}
		}
	}
	slices.Sort(missing)
	return slices.Compact(missing)
}

// format is what a suffix stands for.
func format(suffix string) string {
	suffix = strings.ToLower(strings.TrimPrefix(suffix, "."))
	if other := alike[suffix]; other != "" {
		return other
	}
	return suffix
}

// choices are those of a parameter's schema.
func choices(described map[string]any) (out []string) {
	switch list := described["enum"].(type) {
	case []string:
		return list
	case []any:
		for _, v := range list {
			out = append(out, fmt.Sprint(v))
		}
	}
	return out
}
