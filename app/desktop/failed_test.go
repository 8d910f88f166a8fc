package desktop

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"piwork/app/problem"
)

func TestFailedPages(t *testing.T) {
	pages := fstest.MapFS{"index.html": {Data: []byte("<html><head><title>piwork</title></head><body></body></html>")}}
	p := problem.New(problem.CodePlaceGone).With("path", "/media/</script><b>&'\u2028")
	started, broken := 0, error(nil)
	wrap, err := failedPages(pages, p, func() error { started++; return broken })
	if err != nil {
		t.Fatal(err)
	}
	h := wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("asset")) }))
	ask := func(method, path string) (int, string, http.Header) {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(method, path, nil))
		return w.Code, w.Body.String(), w.Header()
	}

	for _, path := range []string{"/", "/index.html"} {
		code, body, header := ask(http.MethodGet, path)
		m := regexp.MustCompile(`<script type="application/json" id="failed">(.*)</script></head><body>`).FindStringSubmatch(body)
		if code != http.StatusOK || m == nil || strings.Count(body, "</script>") != 1 || header.Get("Content-Security-Policy") == "" {
			t.Fatalf("%s: %d %v %s", path, code, header, body)
		}
		var said map[string]problem.Problem
		err := json.Unmarshal([]byte(m[1]), &said)
		if got := said["de"]; err != nil || got.Title == "" || got.Title == said["en"].Title || got.Code != p.Code || got.Params["path"] != p.Params["path"] {
			t.Errorf("%s: %+v, %v", path, got, err)
		}
	}
	if code, body, _ := ask(http.MethodGet, "/assets/x.js"); code != http.StatusOK || body != "asset" {
		t.Errorf("%d %s", code, body)
	}
	if code, _, _ := ask(http.MethodGet, "/v1/status"); code != http.StatusNotFound {
		t.Errorf("the API: %d", code)
	}
	if code, _, _ := ask(http.MethodGet, againPath); code != http.StatusMethodNotAllowed || started != 0 {
		t.Errorf("looked at: %d, started %d times", code, started)
	}
	if code, _, _ := ask(http.MethodPost, againPath); code != http.StatusOK || started != 1 {
		t.Errorf("again: %d, started %d times", code, started)
	}
	broken = errors.New("no")
	if code, _, _ := ask(http.MethodPost, againPath); code != http.StatusInternalServerError {
		t.Errorf("it cannot be started: %d", code)
	}
	for name, files := range map[string]fstest.MapFS{"no page": {}, "no head": {"index.html": {Data: []byte("<p>")}}} {
		if _, err := failedPages(files, p, nil); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
