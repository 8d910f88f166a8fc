// Package apifuzz is for tests: it makes requests from the document of the API, and judges
// the answers by it. There are requests that fit, ones that nearly do, and ones that do
// not. Whatever comes, an answer comes, it is as the document says, and it is no fault of
// the server. rapid says how a failure is repeated (-rapid.seed, -rapid.failfile).
//
// It knows no server: what sends a request is given to it. So the same requests go to an
// API over an invented controller, where nearly every operation can succeed, and over
// the socket to a real one.
//
// A [Campaign] is for a server that is in use: many callers at once, who use ids from earlier
// answers, send bodies that stop, leave before the answer, and say one thing several times.
// What it finds, it lists; scripts/lib/apifuzz has one against the real program.
package apifuzz

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Fuzz is what all operations of a document have in common.
type Fuzz struct {
	gen      generator
	mu       sync.Mutex // of schemas
	schemas  *jsonschema.Compiler
	requests atomic.Int64
}

const docURL = "piwork.json"

// New reads a document (OpenAPI 3.1, JSON). Requests name the files.
func New(document []byte, files []string) (*Fuzz, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		return nil, fmt.Errorf("read the document: %w", err)
	}
	f := &Fuzz{schemas: jsonschema.NewCompiler()}
	f.schemas.DefaultDraft(jsonschema.Draft2020)
	if err := f.schemas.AddResource(docURL, doc); err != nil {
		return nil, fmt.Errorf("read the schemas of the document: %w", err)
	}
	f.gen.files = files
	if err := json.Unmarshal(document, &f.gen.doc); err != nil {
		return nil, fmt.Errorf("read the document: %w", err)
	}
	return f, nil
}

// Routes are the operations of the document, in order.
func (f *Fuzz) Routes() []*Route {
	var all []*Route
	paths, _ := f.gen.doc["paths"].(map[string]any)
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		item, _ := paths[path].(map[string]any)
		for _, method := range slices.Sorted(maps.Keys(item)) {
			op, _ := item[method].(map[string]any)
			all = append(all, &Route{Fuzz: f, Method: strings.ToUpper(method), Path: path, Within: 20 * time.Second, op: op})
		}
	}
	return all
}

// Requests is how many requests were made.
func (f *Fuzz) Requests() int64 { return f.requests.Load() }

// valid checks JSON against the schema at a place of the document.
func (f *Fuzz) valid(at []string, data []byte) error {
	place := docURL + "#"
	for _, token := range at {
		place += "/" + url.PathEscape(strings.NewReplacer("~", "~0", "/", "~1").Replace(token))
	}
	f.mu.Lock()
	s, err := f.schemas.Compile(place)
	f.mu.Unlock()
	if err != nil {
		return err
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("no JSON: %w", err)
	}
	return s.Validate(v)
}
