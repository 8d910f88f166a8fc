package bootstrap

import (
	"slices"
	"strings"
	"testing"
	"time"

	"piwork/pack/image/debian"
)

func TestArguments(t *testing.T) {
	l := &debian.Lock{Suite: "trixie", Architecture: "amd64", Packages: []debian.Package{{Name: "a"}, {Name: "b"}}}
	j := Job{Lock: l, Format: "tar", Out: "/x/out.tar", Options: []string{"--customize-hook=true"}}
	asRoot, asUser := j.arguments("/tmp/r", true), j.arguments("/tmp/r", false)
	if asRoot[0] != "--mode=root" || asUser[0] != "--mode=unshare" || !slices.Equal(asRoot[1:], asUser[1:]) {
		t.Errorf("%q\n%q", asRoot, asUser)
	}
	end := asRoot[len(asRoot)-4:]
	if !slices.Equal(end, []string{"--customize-hook=true", "trixie", "/x/out.tar", "deb [trusted=yes] copy:/tmp/r trixie main"}) {
		t.Errorf("%q", asRoot)
	}
	for _, want := range []string{"--format=tar", "--include=a,b", "--architectures=amd64"} {
		if !slices.Contains(asRoot, want) {
			t.Errorf("no %q in %q", want, asRoot)
		}
	}
}

func TestEnvironmentIsNotTheUsers(t *testing.T) {
	env := environment([]string{"HOME=/home/x", "SECRET_TOKEN=1", "LANG=de_DE", "TMPDIR=/big", "PATH=/evil"}, time.Unix(5, 0))
	if !slices.Contains(env, "SOURCE_DATE_EPOCH=5") || !slices.Contains(env, "TMPDIR=/big") {
		t.Errorf("%q", env)
	}
	for _, v := range env {
		for _, bad := range []string{"SECRET", "/home/x", "/evil", "de_DE"} {
			if strings.Contains(v, bad) {
				t.Errorf("%q", v)
			}
		}
	}
}
