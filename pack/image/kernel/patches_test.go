package kernel

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"piwork/pack/image/debian"
)

// before and after are a source and what a patch makes of it.
const (
	before = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n"
	after  = "one\ntwo\nthree\nFOUR\nfive\nsix\nseven\n"
	good   = "Why it is there.\n\n--- a/file\n+++ b/file\n@@ -1,7 +1,7 @@\n one\n two\n three\n-four\n+FOUR\n five\n six\n seven\n"
	other  = "--- a/other\n+++ b/other\n@@ -1 +1 @@\n-x\n+y\n"
)

func TestPatchSource(t *testing.T) {
	for _, tt := range []struct {
		name    string
		source  string
		patches map[string]string
		want    string   // of the source afterwards
		says    []string // of patches
		fails   bool
	}{
		{"applies", before, map[string]string{"a": good}, after, []string{"patch a.patch: applied"}, false},
		{"moved", "zero\n" + before, map[string]string{"a": good}, "zero\n" + after, []string{"patch a.patch: applied"}, false},
		{"what is around it changed", strings.Replace(before, "one", "1", 1), map[string]string{"a": good}, strings.Replace(before, "one", "1", 1), []string{"patch a.patch: DOES NOT APPLY"}, true},
		{"is there already", after, map[string]string{"a": good}, after, []string{"patch a.patch: the source has this change now"}, true},
		{"every one is named", "else\n", map[string]string{"a": good, "b": strings.ReplaceAll(good, "FOUR", "4")}, "else\n", []string{"patch a.patch: DOES NOT APPLY", "patch b.patch: DOES NOT APPLY"}, true},
		{"others are tried", before, map[string]string{"a": other, "b": good}, after, []string{"patch a.patch: DOES NOT APPLY", "patch b.patch: applied"}, true},
		{"part of it applies", before, map[string]string{"a": good + other}, before, []string{"patch a.patch: DOES NOT APPLY"}, true},
		{"no patch", before, nil, before, nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir, patches := t.TempDir(), t.TempDir()
			write := func(file, text string) {
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			write(filepath.Join(dir, "file"), tt.source)
			for name, text := range tt.patches {
				write(filepath.Join(patches, name+".patch"), text)
			}
			script, err := recipeFS.ReadFile("recipe/patch.sh")
			if err != nil {
				t.Fatal(err)
			}
			c := exec.CommandContext(t.Context(), "sh", "-s", patches)
			c.Dir, c.Stdin = dir, strings.NewReader(string(script))
			out, err := c.CombinedOutput()
			if (err != nil) != tt.fails {
				t.Errorf("%v: %s", err, out)
			}
			for _, s := range tt.says {
				if !strings.Contains(string(out), s) {
					t.Errorf("no %q in %s", s, out)
				}
			}
			if got, err := os.ReadFile(filepath.Join(dir, "file")); err != nil || string(got) != tt.want {
				t.Errorf("the source is %q, %v", got, err)
			}
			if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
				t.Errorf("left %v, %v", left, err)
			}
		})
	}
}

// A patch says what it is for, and when it was made: the licence of the kernel
// asks for that.
func TestPatchesSayWhy(t *testing.T) {
	patches, err := Patches()
	if err != nil || len(patches) == 0 {
		t.Fatalf("%d patches, %v", len(patches), err)
	}
	date := regexp.MustCompile(`(?m)^Date: 20[0-9]{2}-[0-9]{2}-[0-9]{2}$`)
	for name, text := range patches {
		about, change, ok := strings.Cut(string(text), "\n--- a/")
		if !ok || path.Ext(name) != ".patch" || !strings.Contains(change, "\n@@ -") || !date.MatchString(about) {
			t.Errorf("%s is no patch with a date", name)
		}
		for _, what := range []string{"What went wrong: ", "Why: ", "Found by: ", "Upstream: "} {
			if !strings.Contains(about, "\n"+what) {
				t.Errorf("%s does not say %q", name, what)
			}
		}
	}
}

func TestSourceVersion(t *testing.T) {
	if got := SourceVersion(nil); got != "" {
		t.Errorf("of no lock: %q", got)
	}
	l := &debian.Lock{Packages: []debian.Package{{Name: "gcc", Version: "1"}}}
	if got := SourceVersion(l); got != "" {
		t.Errorf("of a lock without the source: %q", got)
	}
	l.Packages = append(l.Packages, debian.Package{Name: Source, Version: "2"})
	if got := SourceVersion(l); got != "2" {
		t.Errorf("%q", got)
	}
	if err := CheckPatches(t.Context(), Options{Guest: "x86_64", Lock: &debian.Lock{}, Scratch: t.TempDir()}); err == nil {
		t.Error("patches apply to no source")
	}
}
