package debian

import (
	"strings"
	"testing"
)

func TestIndependent(t *testing.T) {
	control := "Package: x\nDepends: a, b (>= 1) | c, d:any, e | b\nPre-Depends: b\nRecommends: b\nDescription: b\n"
	for name, c := range map[string]struct {
		without []string
		want    string
	}{
		"nothing":        {nil, control},
		"one":            {[]string{"b"}, "Package: x\nDepends: a, d:any\nRecommends: b\nDescription: b\n"},
		"another":        {[]string{"d", "zz"}, "Package: x\nDepends: a, b (>= 1) | c, e | b\nPre-Depends: b\nRecommends: b\nDescription: b\n"},
		"part of a name": {[]string{"lib"}, control},
	} {
		if got := independent(control, c.without); got != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestJoinAndDigest(t *testing.T) {
	a := &Lock{Set: "guest", Packages: []Package{{Name: "a", Version: "1"}, {Name: "c", Version: "1"}}, Without: []string{"x"}}
	b := &Lock{Set: "addon", Packages: []Package{{Name: "b", Version: "1"}}, Without: []string{"x", "y"}, Over: a.Digest()}
	all := Join(a, b)
	var names []string
	for _, p := range all.Packages {
		names = append(names, p.Name)
	}
	if got := strings.Join(names, " ") + " " + strings.Join(all.Without, " "); got != "a b c x y" {
		t.Errorf("%q", got)
	}
	if len(a.Packages) != 2 || len(b.Packages) != 1 {
		t.Error("the joined locks changed")
	}
	before := a.Digest()
	a.Packages[0].Version = "2"
	if a.Digest() == before || len(before) != 64 {
		t.Error("another version has the same digest")
	}
}

func TestAbsentIsAStatusFile(t *testing.T) {
	stanzas, err := Paragraphs(strings.NewReader(absent([]string{"a", "b"}, map[string]string{"b": "1:2-3"}, "amd64")))
	if err != nil || len(stanzas) != 2 || stanzas[1]["package"] != "b" || stanzas[1]["provides"] != "b (= 1:2-3)" || stanzas[0]["provides"] != "" || !strings.HasSuffix(stanzas[1]["status"], " installed") {
		t.Errorf("%v %v", stanzas, err)
	}
}

func TestStatusOf(t *testing.T) {
	status := []byte("Package: a\nStatus: install ok installed\nDepends: b\n\nPackage: ab\nStatus: x\nDescription: y\n more\n")
	for name, want := range map[string]string{
		"a": "Package: a\nStatus: install ok installed\nDepends: b\n", "ab": "Package: ab\nStatus: x\nDescription: y\n more\n", "b": "",
	} {
		if got := StatusOf(status, name); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
}
