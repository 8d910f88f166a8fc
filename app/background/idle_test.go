package background

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"piwork/app/api"
	"piwork/app/api/apitest"
)

// fakeController is one that has no place.
type fakeController struct{ *apitest.Fake }

func (fakeController) Socket() string              { return "" }
func (fakeController) Close(context.Context) error { return nil }

// TestOnlyWhoIsLetInKeepsIt: who knocks on loopback every minute keeps the controller only
// with the token.
func TestOnlyWhoIsLetInKeepsIt(t *testing.T) {
	addr := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 4711}
	const token, wrong = "Bearer the-token", "Bearer other"
	for name, tt := range map[string]struct {
		path, token, origin string
		keeps               bool
	}{
		"nobody":                 {},
		"with the token":         {path: "/v1/tasks", token: token, keeps: true},
		"without a token":        {path: "/v1/tasks"},
		"with a wrong token":     {path: "/v1/tasks", token: wrong},
		"from another site":      {path: "/v1/tasks", token: token, origin: "http://evil.example"},
		"for a page":             {path: "/"},
		"for a page, with token": {path: "/", token: token},
		"for its health":         {path: "/_health"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &Server{Controller: fakeController{apitest.New(apitest.Script{})}, end: make(chan struct{}), rest: newRest(restAfter, func() {})}
				s.o.Idle, s.o.App.Log = IdleEnd, slog.New(slog.DiscardHandler)
				s.API = api.New(api.Options{Service: s.Controller, Admitted: s.counted})
				h, err := s.API.Guarded(api.Guard{Token: "the-token", Addr: addr, Pages: fstest.MapFS{"index.html": {}}})
				if err != nil {
					t.Fatal(err)
				}
				ctx, stop := context.WithCancel(t.Context())
				go s.watch(ctx)
				for range 2 * int(IdleEnd/time.Minute) {
					time.Sleep(time.Minute)
					if tt.path == "" {
						continue
					}
					r := httptest.NewRequestWithContext(ctx, http.MethodGet, tt.path, nil)
					r.Host = addr.String()
					r.Header.Set("Authorization", tt.token)
					if tt.origin != "" {
						r.Header.Set("Origin", tt.origin)
					}
					h.ServeHTTP(httptest.NewRecorder(), r)
				}
				ended := false
				select {
				case <-s.end:
					ended = true
				default:
				}
				if ended == tt.keeps {
					t.Errorf("it has ended: %v", ended)
				}
				stop()
				s.rest.stop()
				s.API.Close()
			})
		})
	}
}

// TestEndingSaysSo: who asks a controller that has decided to end hears when to come back.
func TestEndingSaysSo(t *testing.T) {
	s := &Server{Controller: fakeController{apitest.New(apitest.Script{})}}
	s.API = api.New(api.Options{Service: s.Controller, Admitted: s.counted})
	defer s.API.Close()
	s.use.close()
	w := httptest.NewRecorder()
	s.API.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v1/tasks", nil))
	if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" || !strings.Contains(w.Body.String(), `"code":"shutting-down"`) {
		t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
	}
}
