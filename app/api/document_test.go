package api

import (
	"bytes"
	"flag"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"piwork/app/api/toolroute"
	"piwork/pack/tools"
)

var update = flag.Bool("update", false, "write what go generate makes")

// stored checks that a file of the repository is what the code makes now.
func stored(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Fatalf("%s is stale: run go generate ./app/api", file)
	}
}

// The document that other programs are generated from is the one that the
// code serves.
func TestOpenAPIDocument(t *testing.T) {
	got, err := New(Options{}).Document()
	if err != nil {
		t.Fatal(err)
	}
	stored(t, "openapi.yaml", got)
}

// Every {parameter} of a path is declared, and every operation has an error.
func TestDocumentIsWhole(t *testing.T) {
	doc := New(Options{}).OpenAPI()
	n := 0
	for path, item := range doc.Paths {
		for method, op := range map[string]*huma.Operation{"GET": item.Get, "POST": item.Post, "DELETE": item.Delete} {
			if op == nil {
				continue
			}
			n++
			for _, m := range regexp.MustCompile(`\{(\w+)\}`).FindAllStringSubmatch(path, -1) {
				if !slices.ContainsFunc(op.Parameters, func(p *huma.Param) bool { return p.In == "path" && p.Name == m[1] }) {
					t.Errorf("%s %s: {%s} is not declared", method, path, m[1])
				}
			}
			if op.Summary == "" || op.OperationID == "" || op.Responses["default"] == nil {
				t.Errorf("%s %s: no summary, id or error", method, path)
			}
		}
	}
	for _, d := range tools.Catalogue() {
		if item := doc.Paths[toolroute.Path+"/"+d.Name]; item == nil || item.Post == nil {
			t.Errorf("%s has no route", d.Name)
		}
	}
	if n < 20 {
		t.Errorf("only %d operations", n)
	}
}
