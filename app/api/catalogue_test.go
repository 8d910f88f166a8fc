package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"piwork/app/api/toolroute"
)

// The window's words, and what it is tried with, are held against this list of
// operations: it is what the code answers.
func TestToolCatalogueFile(t *testing.T) {
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, toolroute.Path, nil)
	r.Host = "127.0.0.1"
	New(Options{}).mux.ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	// A line for each member of an operation, so that a change is read as one.
	var ops []json.RawMessage
	if err := json.Unmarshal(w.Body.Bytes(), &ops); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	for i, op := range ops {
		out.WriteString(map[bool]string{true: "[{\n", false: "}, {\n"}[i == 0])
		d := json.NewDecoder(bytes.NewReader(op))
		_, err := d.Token()
		for more := false; err == nil && d.More(); more = true {
			var name json.Token
			var value json.RawMessage
			if name, err = d.Token(); err != nil {
				break
			}
			err = d.Decode(&value)
			if more {
				out.WriteString(",\n")
			}
			fmt.Fprintf(&out, " %q: %s", name, value)
		}
		if err != nil {
			t.Fatal(err)
		}
		out.WriteString("\n")
	}
	out.WriteString("}]\n")
	stored(t, "testdata/tools.json", out.Bytes())
}
