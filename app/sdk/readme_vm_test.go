//go:build vm && linux

package sdk_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// readmeProgram is a first program of the README, word for word but for where the folder is.
func readmeProgram(t *testing.T, language, folder string) string {
	t.Helper()
	readme, err := os.ReadFile("../../README.md")
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
	env := []string{"PATH=" + filepath.Dir(program(t)) + ":" + os.Getenv("PATH"), "PIWORK_RUNTIME=sandbox", "PYTHONPATH=python"}
	for _, one := range []struct{ language, run, file string }{{"python", "python3", "first.py"}, {"ts", "node", "first.ts"}} {
		t.Run(one.language, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), "Lists")
			file := filepath.Join(base, one.file)
			if err := os.Mkdir(folder, 0o755); err != nil {
				t.Fatal(err)
			}
			for name, text := range map[string]string{filepath.Join(folder, "names.txt"): "b\na\n", file: readmeProgram(t, one.language, folder)} {
				if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			said := r.run(env, one.run, file)
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
