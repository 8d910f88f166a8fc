package api

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
)

// The window's words, and what it is tried with, are held against this list of
// operations: it is what the code answers.
func TestToolCatalogueFile(t *testing.T) {
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, toolsPath, nil)
	r.Host = "127.0.0.1"
	New(Options{}).huma.Adapter().ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	var indented bytes.Buffer // a line for each fact, so that a change is read as one
	if err := json.Indent(&indented, w.Body.Bytes(), "", " "); err != nil {
		t.Fatal(err)
	}
	got := indented.Bytes()
	const file = "testdata/tools.json"
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
