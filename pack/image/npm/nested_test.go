package npm

import (
	"archive/tar"
	"slices"
	"testing"
)

// What a package brings along is found wherever it stands, in each version once; files of
// the same names elsewhere are none of it.
func TestReadNested(t *testing.T) {
	at := func(name, text string) entry { return entry{"package/" + name, tar.TypeReg, 0o644, text} }
	file := packageFile(t, t.TempDir(),
		about("whole", "1.0.0"),
		at("LICENSE", "of the whole"),
		at("node_modules/b/package.json", `{"name":"b","version":"2.0.0","license":"ISC"}`),
		at("node_modules/b/LICENSE.md", "of b"),
		at("node_modules/b/license.js", "a program"),
		at("node_modules/b/dist/package.json", `{"type":"module"}`),
		at("node_modules/b/node_modules/@scope/a/package.json", `{"name":"@scope/a","version":"1.0.0","license":{"type":"MIT"}}`),
		at("node_modules/c/package.json", `{"name":"c","version":"3.0.0"}`),
		at("node_modules/c/node_modules/b/package.json", `{"name":"b","version":"1.9.0","license":"ISC"}`),
		at("node_modules/d/node_modules/b/package.json", `{"name":"b","version":"2.0.0","license":"ISC"}`),
	)
	got, err := ReadNested(file)
	if err != nil {
		t.Fatal(err)
	}
	want := []Nested{
		{Name: "@scope/a", Version: "1.0.0", Licence: "MIT"},
		{Name: "b", Version: "1.9.0", Licence: "ISC"},
		{Name: "b", Version: "2.0.0", Licence: "ISC", Terms: []byte("of b")},
		{Name: "c", Version: "3.0.0"},
	}
	if !slices.EqualFunc(got, want, func(a, b Nested) bool {
		return a.PURL() == b.PURL() && a.Licence == b.Licence && string(a.Terms) == string(b.Terms)
	}) {
		t.Errorf("%+v", got)
	}
	if got, err := ReadNested(packageFile(t, t.TempDir(), at("node_modules/b/index.js", ""))); err == nil {
		t.Errorf("of no package: %+v", got)
	}
	for what, about := range map[string]string{
		"a name that is a path":  `{"name":"../b","version":"1.0.0"}`,
		"no version":             `{"name":"b"}`,
		"no name and no version": `{}`,
		"a licence of two lines": `{"name":"b","version":"1.0.0","license":"MIT\nISC"}`,
		"no JSON":                `{`,
	} {
		if got, err := ReadNested(packageFile(t, t.TempDir(), at("node_modules/b/package.json", about))); err == nil {
			t.Errorf("%s: %+v", what, got)
		}
	}
}
