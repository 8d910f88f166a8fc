package licence

import (
	"slices"

	"github.com/google/licensecheck"
)

// enough of a text must be known licences for it to be recognised, in percent.
const enough = 75

// FromText returns the expression for the text of a licence file, or "" when it
// is not, as good as in full, made of known licences.
func FromText(text []byte) string {
	found := licensecheck.Scan(text)
	if found.Percent < enough {
		return ""
	}
	var all []string
	for _, m := range found.Match {
		if !m.IsURL && !slices.Contains(all, m.ID) {
			all = append(all, m.ID)
		}
	}
	slices.Sort(all)
	return join(all)
}
