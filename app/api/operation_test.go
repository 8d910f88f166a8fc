package api

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/danielgtaylor/huma/v2"
)

// What huma makes of an operation is made once, by whoever asks for it first, also when
// many do.
func TestOperationIsMadeWhenAskedFor(t *testing.T) {
	a := New(Options{})
	var made atomic.Int32
	health := selfOperations[0]
	h := route{pattern: health.route, register: func(a *API, h huma.API) {
		made.Add(1)
		health.register(a, h, health.huma(a, "self", needs{}))
	}}.handler(a)
	if n := made.Load(); n != 0 {
		t.Errorf("made %d times before anybody asked", n)
	}
	var askers sync.WaitGroup
	for range 8 {
		askers.Go(func() {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/_health", nil))
			if w.Code != http.StatusOK {
				t.Errorf("%d %s", w.Code, w.Body)
			}
		})
	}
	askers.Wait()
	if n := made.Load(); n != 1 {
		t.Errorf("made %d times", n)
	}
}

// Every operation of the document is served, with schemas of its own: those that are
// requests refuse what they do not know, as they do in the document.
func TestOperationsAreAsInTheDocument(t *testing.T) {
	a := New(Options{})
	doc := a.OpenAPI()
	n := 0
	for _, item := range doc.Paths {
		for _, op := range []*huma.Operation{item.Get, item.Post, item.Put, item.Patch, item.Delete} {
			if op != nil {
				n++
			}
		}
	}
	closed := func(s *huma.Schema) bool { only, ok := s.AdditionalProperties.(bool); return ok && !only }
	all := routes()
	if len(all) != n {
		t.Errorf("%d operations are served and %d are in the document", len(all), n)
	}
	for _, r := range all {
		h := r.alone(a)
		for name, s := range h.OpenAPI().Components.Schemas.Map() {
			if want := doc.Components.Schemas.Map()[name]; want == nil || closed(want) != closed(s) || len(want.Properties) != len(s.Properties) {
				t.Errorf("%s: the schema %s is another one in the document", r.pattern, name)
			}
		}
	}
}
