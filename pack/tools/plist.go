package tools

import (
	"reflect"
	"time"
)

// MaxPlistSize bounds property lists, in bytes.
const MaxPlistSize = 64 << 20

var plistFiles = []string{"plist", "json", "strings", "xml"}

var plistOperations = []Operation{
	{
		Name: "plist.validate", Report: reflect.TypeFor[PlistInfo](), Min: 1, Max: 1000, Out: OutNone, Accepts: plistFiles, Programs: []string{ToolPlist},
		params: func() Params { return &NoParams{} },
		work:   work{each: 5 * time.Second, mega: 5 * time.Second, most: time.Minute, memory: memoryFew},
	},
	{
		Name: "plist.convert", Min: 1, Max: 1000, Out: OutEach, Accepts: plistFiles, Programs: []string{ToolPlist},
		params: func() Params { return &PlistConvert{} },
		work:   work{each: 5 * time.Second, mega: 5 * time.Second, most: time.Minute, growth: 20, memory: memoryFew},
	},
}

// PlistConvert are the parameters of plist.convert. JSON cannot hold dates and
// data: a list with them stays as it is, a problem.
type PlistConvert struct {
	To string `json:"to" schema:"enum=xml|binary|json|openstep,byName=true"`
	Each
}

// PlistInfo is what plist.validate reports of each input that is one.
type PlistInfo struct {
	Path   string `json:"path"`
	Format string `json:"format"` // "xml", "binary", "json" or "openstep"
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// Plistutil writes a property list in another format. in and out are scratch
// names.
func Plistutil(to, in, out string) []string {
	if to == "binary" {
		to = "bin"
	}
	return []string{"plistutil", "-s", "-i", in, "-f", to, "-o", out}
}
