package mcp

import (
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"piwork/app/task"
)

// No path of a model leads out of the folders, or to another than it says.
func FuzzHere(f *testing.F) {
	for _, p := range []string{"/folders/A/x", "/folders/A", "/folders/A/../B", "/folders/A/../../etc", "/folders/A B/..", "/folders/AB", "/folders/A//x/./y", "/folders/A/\x00", "", "/", "A"} {
		f.Add(p)
	}
	a, b := f.TempDir(), f.TempDir()
	d := &Door{folders: []task.Folder{{Path: a, Name: "A"}, {Path: b, Name: "A B"}}}
	f.Fuzz(func(t *testing.T, p string) {
		got, err := d.here(p)
		if err != nil {
			return
		}
		within := a
		if strings.HasPrefix(p, "/folders/A B") {
			within = b
		}
		if got != within && !strings.HasPrefix(got, within+string(filepath.Separator)) || strings.Contains(got, "..") && !strings.Contains(p, "..") {
			t.Errorf("%q is %q", p, got)
		}
	})
}

// What a model reads is text, bounded, and says what is left out.
func FuzzClip(f *testing.F) {
	f.Add([]byte("a"), 1)
	f.Add([]byte("\xff\xe6\xb5"), 50_000)
	f.Add([]byte("海"), 40_000)
	f.Fuzz(func(t *testing.T, b []byte, times int) {
		if times < 0 || times > 1<<16 || len(b) > 64 {
			return
		}
		for len(b)*times > 1<<20 {
			times /= 2
		}
		got, whole := clip([]byte(strings.Repeat(string(b), times)))
		if !utf8.ValidString(got) || len(got) > maxText+100 || whole != !strings.Contains(got, "bytes are left out …]") && !strings.Contains(string(b), "left") {
			t.Errorf("%d bytes, whole %v", len(got), whole)
		}
	})
}
