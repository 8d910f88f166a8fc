package image

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"piwork/pack"
)

// TestSuccessiveBuildsAreNewer: each build of something else is newer than the one
// before, whatever the hash of its content, and the same content keeps its version.
func TestSuccessiveBuildsAreNewer(t *testing.T) {
	b := &builder{Options: Options{SourceDir: t.TempDir()}, cache: &cache{dir: t.TempDir()}}
	version := func(content string) string {
		t.Helper()
		m := b.header(contents{name: "piwork-runtime"}, nil, must(b.developerVersion(t.Context(), content)))
		return m.Version
	}
	before := Version + "-dev.kffffffffffff" // as builds were called that had no number
	first := ""
	for i, hash := range []string{"ff", "00", "9a", "10", "e0", "0f", "c1", "3b", "77", "5d", "a1", "01"} {
		v := version(fmt.Sprintf("%s%062d", hash, i))
		if !pack.Newer(v, before) {
			t.Errorf("%s is not newer than %s", v, before)
		}
		if before = v; first == "" {
			first = v
		}
	}
	if again := version(fmt.Sprintf("ff%062d", 0)); again != first {
		t.Errorf("the same content is %s and %s", first, again)
	}
	if err := os.WriteFile(filepath.Join(b.cache.dir, numbersName), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if v, err := b.developerVersion(t.Context(), fmt.Sprintf("%064d", 1)); err == nil {
		t.Errorf("a damaged count begins anew: %s", v)
	}
}

func must(s string, err error) string {
	if err != nil {
		panic(err)
	}
	return s
}
