package background_test

import (
	"bytes"
	"context"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"piwork/app"
	"piwork/app/api"
	"piwork/app/api/apitest"
	"piwork/app/background"
)

type held struct {
	*apitest.Fake
	socket string
}

func (h *held) Socket() string              { return h.socket }
func (h *held) Close(context.Context) error { return nil }

type here struct{ api.Window }

func (here) SaveFile(context.Context, string, string) (string, error) { return "/here", nil }

// A window whose controller another process has does what it does there: forms with
// files, too. Its own acts stay in it.
func TestWindowOverAnotherProcess(t *testing.T) {
	dir, err := os.MkdirTemp("", "pw")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	first := &held{Fake: apitest.New(apitest.Script{UploadDir: t.TempDir()}), socket: filepath.Join(dir, "s")}
	own := background.Here{Server: background.ServerOptions{Pages: fstest.MapFS{"index.html": {Data: []byte("<p>page")}}, Open: func(context.Context, app.Options) (background.Controller, error) { return first, nil }}}
	second, err := background.Open(t.Context(), background.SessionOptions{Window: here{}, Launch: own.Launch})
	if err != nil {
		t.Fatal(err)
	}
	h := second.Handler()
	ask := func(method, path, kind string, body []byte) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, path, bytes.NewReader(body))
		if kind != "" {
			r.Header.Set("Content-Type", kind)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	var form bytes.Buffer
	m := multipart.NewWriter(&form)
	part, err := m.CreateFormFile("in", "a.pdf")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = part.Write([]byte("%PDF"))
	_ = m.Close()
	if w := ask(http.MethodPost, "/v1/tools/pdf.text", m.FormDataContentType(), form.Bytes()); w.Code >= 500 || strings.Contains(w.Body.String(), "unsupported") {
		t.Errorf("a form: %d %s", w.Code, w.Body)
	}
	if len(first.Started()) != 1 {
		t.Errorf("the form started %d tasks", len(first.Started()))
	}
	if w := ask(http.MethodGet, "/v1/tasks", "", nil); w.Code != http.StatusOK || w.Header().Get("X-Request-Id") == "" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	conditional := httptest.NewRequest(http.MethodGet, "/v1/tasks", nil)
	conditional.Header.Set("If-None-Match", "*")
	w := httptest.NewRecorder()
	if h.ServeHTTP(w, conditional); w.Code != http.StatusOK { // a 304 hangs WebView2
		t.Errorf("a condition: %d", w.Code)
	}
	if w := ask(http.MethodPost, "/v1/native/save-as", "application/json", []byte(`{"name":"x"}`)); !strings.Contains(w.Body.String(), "/here") {
		t.Errorf("the window's own act: %d %s", w.Code, w.Body)
	}
	if w := ask(http.MethodGet, "/", "", nil); w.Body.String() != "<p>page" || w.Header().Get("Content-Security-Policy") == "" {
		t.Errorf("the pages: %d %s", w.Code, w.Body)
	}
	if err := own.Close(); err != nil {
		t.Fatal(err)
	}
	if w := ask(http.MethodGet, "/v1/tasks", "", nil); w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), `"code":"shutting-down"`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := ask(http.MethodPost, "/v1/window/new", "application/json", []byte(`{"task":"1"}`)); w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), `"code":"shutting-down"`) {
		t.Errorf("what the window asks for itself: %d %s", w.Code, w.Body)
	}
	german := httptest.NewRequest(http.MethodGet, "/v1/tasks", nil)
	german.Header.Set("Accept-Language", "de")
	w = httptest.NewRecorder()
	if h.ServeHTTP(w, german); !strings.Contains(w.Body.String(), `"title":"piwork wird beendet"`) || !strings.Contains(w.Body.String(), `"detail":"Starten Sie`) {
		t.Errorf("in the language of the page: %s", w.Body)
	}
	second.Close()
}
