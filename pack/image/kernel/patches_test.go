package kernel

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
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

// headed is a patch with a header; names with "+" are performance patches.
func headed(t *testing.T, name, text string) Patch {
	t.Helper()
	header := "Kind: " + Correctness + "\n"
	if strings.HasPrefix(name, "+") {
		header = "Kind: " + Performance + "\n"
	}
	p, err := parsePatch(strings.TrimPrefix(name, "+")+".patch", []byte("Why it is there.\n"+header+"\n"+text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPatchSource(t *testing.T) {
	four := strings.ReplaceAll(good, "FOUR", "4")
	for _, tt := range []struct {
		name    string
		source  string
		patches []Patch
		want    string   // of the source afterwards
		says    []string // of patches
		fails   bool
		record  Patched
	}{
		{
			"applies", before, []Patch{headed(t, "a", good)}, after,
			[]string{"patch a.patch: applied"}, false, Patched{Applied: []string{"a.patch"}},
		},
		{
			"moved", "zero\n" + before, []Patch{headed(t, "a", good)}, "zero\n" + after,
			[]string{"patch a.patch: applied"}, false, Patched{Applied: []string{"a.patch"}},
		},
		{
			"what is around it changed", strings.Replace(before, "one", "1", 1), []Patch{headed(t, "a", good)}, strings.Replace(before, "one", "1", 1),
			[]string{"patch a.patch: DOES NOT APPLY"}, true, Patched{},
		},
		{
			"is there already", after, []Patch{headed(t, "a", good)}, after,
			[]string{"patch a.patch: the source has this change now"}, true, Patched{},
		},
		{
			"every one is named", "else\n", []Patch{headed(t, "a", good), headed(t, "b", four)}, "else\n",
			[]string{"patch a.patch: DOES NOT APPLY", "patch b.patch: DOES NOT APPLY"}, true, Patched{},
		},
		{
			"others are tried", before, []Patch{headed(t, "a", other), headed(t, "b", good)}, after,
			[]string{"patch a.patch: DOES NOT APPLY", "patch b.patch: applied"}, true, Patched{},
		},
		{
			"part of it applies", before, []Patch{headed(t, "a", good+other)}, before,
			[]string{"patch a.patch: DOES NOT APPLY"}, true, Patched{},
		},
		{"no patch", before, nil, before, nil, false, Patched{}},

		{
			"performance that does not apply", before, []Patch{headed(t, "a", good), headed(t, "+b", other)}, after,
			[]string{"patch b.patch: DOES NOT APPLY"}, false, Patched{Applied: []string{"a.patch"}, LeftOut: []string{"b.patch"}},
		},
		{
			"performance that applies in part", before, []Patch{headed(t, "+a", good+other)}, before,
			[]string{"patch a.patch: DOES NOT APPLY"}, false, Patched{LeftOut: []string{"a.patch"}},
		},
		{
			"performance that is there already", after, []Patch{headed(t, "+a", good)}, after,
			[]string{"patch a.patch: the source has this change now"}, false, Patched{InSource: []string{"a.patch"}},
		},
		{
			"correctness stops it all the same", before, []Patch{headed(t, "a", other), headed(t, "+b", good)}, after,
			[]string{"patch a.patch: DOES NOT APPLY", "patch b.patch: applied"}, true, Patched{},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir, patches, out := t.TempDir(), t.TempDir(), t.TempDir()
			write := func(file, text string) {
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			write(filepath.Join(dir, "file"), tt.source)
			for _, p := range tt.patches {
				write(filepath.Join(patches, p.Name), string(p.Text))
			}
			list := filepath.Join(out, "list")
			write(list, string(patchList(tt.patches)))
			script, err := recipeFS.ReadFile("recipe/patch.sh")
			if err != nil {
				t.Fatal(err)
			}
			c := exec.CommandContext(t.Context(), "sh", "-s", patches, list)
			var log, record bytes.Buffer
			c.Dir, c.Stdin, c.Stdout, c.Stderr = dir, strings.NewReader(string(script)), &record, &log
			if err := c.Run(); (err != nil) != tt.fails {
				t.Errorf("%v: %s", err, &log)
			}
			for _, s := range tt.says {
				if !strings.Contains(log.String(), s) {
					t.Errorf("no %q in %s", s, &log)
				}
			}
			if got, err := os.ReadFile(filepath.Join(dir, "file")); err != nil || string(got) != tt.want {
				t.Errorf("the source is %q, %v", got, err)
			}
			if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
				t.Errorf("left %v, %v", left, err)
			}
			write(filepath.Join(out, patchFile), record.String())
			got, err := ReadPatched(out)
			for _, names := range [][]string{got.Applied, got.InSource, got.LeftOut} {
				slices.Sort(names)
			}
			if err != nil || !reflect.DeepEqual(got, tt.record) {
				t.Errorf("recorded %+v, %v, want %+v", got, err, tt.record)
			}
		})
	}
}

func TestReadPatched(t *testing.T) {
	dir := t.TempDir()
	if _, err := ReadPatched(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no record: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, patchFile), []byte("applied a.patch\nperhaps b.patch\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadPatched(dir); err == nil {
		t.Error("an unknown record was read")
	}
	var said []string
	Patched{Applied: []string{"a"}, LeftOut: []string{"b"}, InSource: []string{"c"}}.Say(func(f string, a ...any) { said = append(said, fmt.Sprintf(f, a...)) })
	if len(said) != 2 || !strings.Contains(said[0], "WITHOUT b") || !strings.Contains(said[1], "change of c") {
		t.Errorf("said %q", said)
	}
}

func TestParsePatch(t *testing.T) {
	for text, want := range map[string]Patch{
		"Kind: performance\n":            {Kind: Performance},
		"Kind: correctness\n":            {Kind: Correctness},
		"":                               {}, // no kind
		"Kind: fast\n":                   {},
		"\n--- a/x\nKind: performance\n": {}, // in the change
	} {
		got, err := parsePatch("x.patch", []byte("Why.\n"+text))
		if (err == nil) != (want.Kind != "") || err == nil && got.Kind != want.Kind {
			t.Errorf("%q: %+v %v", text, got, err)
		}
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
	optional := false
	for _, p := range patches {
		name := p.Name
		if optional && p.Kind == Correctness {
			t.Errorf("%s comes after a patch that may be left out", name)
		}
		optional = optional || p.Kind == Performance
		about, change, ok := strings.Cut(string(p.Text), "\n--- a/")
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
	if _, err := CheckPatches(t.Context(), Options{Guest: "x86_64", Lock: &debian.Lock{}, Scratch: t.TempDir()}); err == nil {
		t.Error("patches apply to no source")
	}
}
