package relocate

import (
	"errors"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"piwork/pack/image/internal/elftest"
)

const loader = "/lib64/ld-test.so.2"

// layOut makes a tree: files of bytes, and links where the content starts with
// "→".
func layOut(t *testing.T, files map[string]string) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		content := files[name]
		if target, ok := strings.CutPrefix(content, "→"); ok {
			err = root.Symlink(target, name)
		} else {
			err = root.WriteFile(name, []byte(content), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func needs(names ...string) string { return string(elftest.File{Needed: names}.Bytes()) }

func program(names ...string) string {
	return string(elftest.File{Interp: loader, Needed: names}.Bytes())
}

func TestFind(t *testing.T) {
	for name, c := range map[string]struct {
		files     map[string]string
		programs  []string
		libraries map[string]string
		fails     string // part of the error
	}{
		"closure over levels, each once": {
			files: map[string]string{
				"usr/bin/p":         program("liba.so.1", "libc.so.6"),
				"usr/lib/liba.so.1": "→liba.so.1.2", "usr/lib/liba.so.1.2": needs("libb.so", "libc.so.6"),
				"usr/lib/libb.so": needs("liba.so.1"), "usr/lib/libc.so.6": needs("ld-test.so.2"),
			},
			programs:  []string{"usr/bin/p"},
			libraries: map[string]string{"liba.so.1": "usr/lib/liba.so.1.2", "libb.so": "usr/lib/libb.so", "libc.so.6": "usr/lib/libc.so.6"},
		},
		"run path before the usual directories": {
			files: map[string]string{
				"opt/x/bin/p":       string(elftest.File{Interp: loader, Needed: []string{"libx.so"}, RunPath: "$ORIGIN/../lib:/nowhere"}.Bytes()),
				"opt/x/lib/libx.so": needs(), "usr/lib/libx.so": needs(),
			},
			programs:  []string{"opt/x/bin/p"},
			libraries: map[string]string{"libx.so": "opt/x/lib/libx.so"},
		},
		"absolute links stay in the tree": {
			files: map[string]string{
				"usr/bin/p": program("libx.so"), "usr/lib/libx.so": "→/opt/libx.so", "opt/libx.so": needs(),
			},
			programs:  []string{"usr/bin/p"},
			libraries: map[string]string{"libx.so": "opt/libx.so"},
		},
		"links out of the tree do not leave it": {
			files: map[string]string{
				"usr/bin/p": program("libx.so"), "usr/lib/libx.so": "→../../../../../../opt/libx.so", "opt/libx.so": needs(),
			},
			programs:  []string{"usr/bin/p"},
			libraries: map[string]string{"libx.so": "opt/libx.so"},
		},
		"a module beside the program": {
			files: map[string]string{
				"usr/bin/p": program("liba.so"), "usr/lib/liba.so": needs(), "usr/lib/q/m.so": needs("libm.so"), "usr/lib/libm.so": needs(),
			},
			programs:  []string{"usr/bin/p", "usr/lib/q/m.so"},
			libraries: map[string]string{"liba.so": "usr/lib/liba.so", "libm.so": "usr/lib/libm.so"},
		},
		"missing library": {
			files:    map[string]string{"usr/bin/p": program("libx.so")},
			programs: []string{"usr/bin/p"}, fails: "library libx.so, needed by usr/bin/p, is not in the tree",
		},
		"needed by path": {
			files:    map[string]string{"usr/bin/p": program("/usr/lib/libx.so")},
			programs: []string{"usr/bin/p"}, fails: "not relocatable",
		},
		"links in a circle": {
			files:    map[string]string{"usr/bin/p": program("libx.so"), "usr/lib/libx.so": "→liby.so", "usr/lib/liby.so": "→libx.so"},
			programs: []string{"usr/bin/p"}, fails: "too many links",
		},
		"two loaders": {
			files: map[string]string{
				"usr/bin/p": program("libx.so"), "usr/lib/libx.so": needs(),
				"usr/bin/q": string(elftest.File{Interp: "/lib/ld-other.so"}.Bytes()),
			},
			programs: []string{"usr/bin/p", "usr/bin/q"}, fails: "loader",
		},
		"not ELF": {
			files:    map[string]string{"usr/bin/p": "#!/bin/sh\n"},
			programs: []string{"usr/bin/p"}, fails: "usr/bin/p",
		},
	} {
		t.Run(name, func(t *testing.T) {
			c.files["lib64"] = "→usr/lib64"
			c.files["usr/lib64/ld-test.so.2"] = "→../lib/ld-test.so.2"
			c.files["usr/lib/ld-test.so.2"] = needs()
			got, err := Find(layOut(t, c.files), c.programs, []string{"usr/lib"})
			if c.fails != "" {
				if err == nil || !strings.Contains(err.Error(), c.fails) {
					t.Fatalf("error %v, want one with %q", err, c.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if want := (Library{"ld-test.so.2", "usr/lib/ld-test.so.2"}); got.Loader != want {
				t.Errorf("loader %v, want %v", got.Loader, want)
			}
			libraries := map[string]string{}
			for _, l := range got.Libraries {
				libraries[l.Name] = l.Path
			}
			if !maps.Equal(libraries, c.libraries) {
				t.Errorf("libraries %v, want %v", libraries, c.libraries)
			}
		})
	}
}

func TestMissingIsTyped(t *testing.T) {
	_, err := Find(layOut(t, map[string]string{"p": program("libx.so")}), []string{"p"}, nil)
	if missing, is := errors.AsType[*NotFoundError](err); !is || missing.Name != "libx.so" || missing.By != "p" {
		t.Fatalf("%v", err)
	}
}
