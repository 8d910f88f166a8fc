package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

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

// Swift has every operation, and a name that is one in Swift for each value.
func TestSwift(t *testing.T) {
	ops := operations(api.New(api.Options{}).OpenAPI(), func(c api.Caller) bool { return c == api.ByAnyone })
	text := swiftOperations(ops)
	for _, o := range ops {
		if !strings.Contains(text, "public func "+o.id+"(") || o.pages && !strings.Contains(text, "public func "+o.all()+"(") {
			t.Errorf("no %s", o.id)
		}
	}
	for name, want := range map[string]string{"Task": "Task", "Piwork": "PiworkValue", "Date": "DateValue"} {
		if got := swift.of(&huma.Schema{Ref: "#/components/schemas/" + name}); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	for value, want := range map[string]string{"up-to-date": "upToDate", "9p": "_9p", "HUP": "hup", "none": "none_", "in": "`in`", "tar.gz": "tarGz", "eng+deu": "engDeu", "followUp": "followUp"} {
		if got := swiftCase(value); got != want {
			t.Errorf("%s is %s, want %s", value, got, want)
		}
	}
}

// The example for Swift, which is compiled before it is run, is the first program of the README.
func TestSwiftExample(t *testing.T) {
	top := filepath.Join("..", "..", "..")
	example, err := os.ReadFile(filepath.Join(top, "app", "sdk", "swift", "Examples", "first", "main.swift"))
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile(filepath.Join(top, "app", "sdk", "README.md"))
	if err != nil || !strings.Contains(string(readme), "```swift\n"+string(example)+"```\n") || !strings.Contains(string(example), `"/home/me/Lists"`) {
		t.Errorf("the README has another program (%v)", err)
	}
}
