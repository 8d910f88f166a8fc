//go:build vm && linux

package sdk_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"piwork/vmhost"
)

// readmeProgram is a first program of the README, word for word but for where the folder is.
func readmeProgram(t *testing.T, language, folder string) string {
	t.Helper()
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, code, found := strings.Cut(string(readme), "```"+language+"\n")
	code, _, ended := strings.Cut(code, "```")
	if !found || !ended || !strings.Contains(code, "/home/me/Lists") {
		t.Fatalf("the README has no first program in %s", language)
	}
	return strings.ReplaceAll(code, "/home/me/Lists", folder)
}

// The first programs of the README do what it says: a list is sorted beside itself, and that
// is taken back.
func TestReadme(t *testing.T) {
	r := newRoom(t)
	defer r.run(nil, program(t), "serve", "--stop", "--cancel")
	base := filepath.Dir(r.o.DataDir)
	packages := filepath.Join(base, "node_modules") // as npm install of a directory does
	if err := os.Mkdir(packages, 0o755); err != nil {
		t.Fatal(err)
	}
	sdk, err := filepath.Abs("typescript")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(sdk, filepath.Join(packages, "piwork")); err != nil {
		t.Fatal(err)
	}
	env := []string{"PATH=" + filepath.Dir(program(t)) + ":" + os.Getenv("PATH"), "PYTHONPATH=python"}
	// The programs name no place; one without what a workroom needs would wait until somebody says yes to another.
	r.run(nil, program(t), "runtime", "prefer", vmhost.KindSandbox)
	// Swift's is compiled before: the folder is an argument.
	runs := withSwift(map[string][]string{"python": {"python3", filepath.Join(base, "first.py")}, "py": {"python3", filepath.Join(base, "first_async.py")}, "ts": {"node", filepath.Join(base, "first.ts")}}, "first")
	for language, argv := range runs {
		t.Run(language, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), "Lists")
			texts := map[string]string{filepath.Join(folder, "names.txt"): "b\na\n"}
			if language == "Swift" {
				argv = append(argv, folder)
			} else {
				texts[argv[1]] = readmeProgram(t, language, folder)
			}
			if err := os.Mkdir(folder, 0o755); err != nil {
				t.Fatal(err)
			}
			for name, text := range texts {
				if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			said := r.run(env, argv...)
			for _, want := range []string{"sorted.txt", "create", "undone"} {
				if !strings.Contains(said, want) {
					t.Errorf("it did not say %s: %s", want, said)
				}
			}
			if left, err := os.ReadDir(folder); err != nil || len(left) != 1 || left[0].Name() != "names.txt" {
				t.Errorf("%v, left: %v", err, left)
			}
		})
	}
}
