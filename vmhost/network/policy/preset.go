package policy

import "slices"

// Preset is a set of hosts that belong together, chosen by one code.
type Preset struct {
	Code  string
	Hosts []string // patterns
}

// Presets are the hosts that the public services themselves document. A computer
// that uses mirrors names them in rules of its own.
var presets = []Preset{
	{"npm", []string{"registry.npmjs.org", "registry.yarnpkg.com"}},
	{"python", []string{"pypi.org", "files.pythonhosted.org"}},
	{"rust", []string{"crates.io", "index.crates.io", "static.crates.io", "static.rust-lang.org"}},
	{"go", []string{"proxy.golang.org", "sum.golang.org"}},
	{"debian", []string{"deb.debian.org", "security.debian.org"}},
	{"github", []string{"github.com", "api.github.com", "codeload.github.com", "raw.githubusercontent.com",
		"objects.githubusercontent.com", "release-assets.githubusercontent.com"}},
	{"wikipedia", []string{"wikipedia.org", "*.wikipedia.org", "*.wikimedia.org", "*.wikidata.org", "*.wiktionary.org"}},
}

// Presets are all presets, in the order they are shown.
func Presets() []Preset {
	out := slices.Clone(presets)
	for i := range out {
		out[i].Hosts = slices.Clone(out[i].Hosts)
	}
	return out
}

// FindPreset finds a preset by its code.
func FindPreset(code string) (Preset, bool) {
	for _, p := range Presets() {
		if p.Code == code {
			return p, true
		}
	}
	return Preset{}, false
}
