package api

import (
	"bytes"
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write openapi.yaml")

// The document that other programs are generated from is the one that the
// code serves.
func TestOpenAPIDocument(t *testing.T) {
	got, err := New(Options{}).Document()
	if err != nil {
		t.Fatal(err)
	}
	const file = "openapi.yaml"
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
