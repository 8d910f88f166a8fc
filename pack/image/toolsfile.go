package image

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"piwork/pack/durable"
	"piwork/pack/image/debian"
	"piwork/pack/spec"
)

// openAPIPath is where a running piwork answers with the document of its interface,
// which says what each operation takes and makes.
const openAPIPath = "/openapi.yaml"

// toolsFile is tools.json: what programs that never run piwork can know of a pack's
// tools, with the sums to check it by.
type toolsFile struct {
	OpenAPI string       `json:"openapi"` // path of the document, on the interface of piwork
	Images  []guestImage `json:"images"`
	Tools   []listedTool `json:"tools"`
}

// guestImage is a file that a machine is made of.
type guestImage struct {
	Path   string `json:"path"` // in the pack
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// listedTool is a tool, and the package that it comes in. piwork's own has none: the
// image's sum covers it.
type listedTool struct {
	spec.Tool
	Package string `json:"package,omitempty"`
	SHA256  string `json:"sha256,omitempty"` // of the package
}

// listTools makes the content of tools.json.
func listTools(c contents, locks map[string]*debian.Lock) (toolsFile, error) {
	f := toolsFile{OpenAPI: openAPIPath}
	for _, name := range slices.Sorted(maps.Keys(c.files)) {
		if !strings.HasPrefix(name, "guest/") {
			continue
		}
		st, err := os.Stat(c.files[name])
		if err != nil {
			return f, err
		}
		sum, err := durable.SHA256(c.files[name])
		if err != nil {
			return f, err
		}
		f.Images = append(f.Images, guestImage{Path: name, Bytes: st.Size(), SHA256: sum})
	}
	for _, t := range c.tools {
		l := listedTool{Tool: t}
		if name := packageOf(t.Name); name != "" {
			for _, s := range c.sets {
				i := slices.IndexFunc(locks[s].Packages, func(p debian.Package) bool { return p.Name == name && p.Version == t.Version })
				if i >= 0 {
					l.Package, l.SHA256 = filepath.Base(locks[s].Packages[i].Path), locks[s].Packages[i].SHA256
				}
			}
		}
		f.Tools = append(f.Tools, l)
	}
	return f, nil
}

// packageOf names the package of Debian that has a tool, "" for piwork's own.
func packageOf(tool string) string {
	name := guestTools[tool]
	for _, a := range addOns {
		name = cmp.Or(name, a.tools[tool])
	}
	return name
}
