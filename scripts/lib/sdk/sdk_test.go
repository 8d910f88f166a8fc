package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"piwork/app/api"
)

// The packages have the version of the API that they are made of.
func TestVersions(t *testing.T) {
	version := api.New(api.Options{}).OpenAPI().Info.Version
	for name, want := range map[string]string{"python/pyproject.toml": `version = "` + version + `"`, "typescript/package.json": `"version": "` + version + `"`} {
		if text, err := os.ReadFile(filepath.Join("..", "..", "..", "app", "sdk", name)); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s does not say %s (%v)", name, want, err)
		}
	}
}

// What is made is what is there.
func TestCurrent(t *testing.T) {
	for name, want := range generate() {
		if got, err := os.ReadFile(filepath.Join("..", "..", "..", name)); err != nil || string(got) != want {
			t.Errorf("%s is not current: go run ./scripts/lib/sdk (%v)", name, err)
		}
	}
}
