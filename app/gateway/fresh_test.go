package gateway

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

// How many connections three requests in a row take: HTTP/1 one each; HTTP/2 one
// more than one, because nobody knew yet.
func TestFresh(t *testing.T) {
	for _, tt := range []struct {
		name  string
		http2 bool
		want  int32
	}{
		{"HTTP/1", false, 3},
		{"HTTP/2", true, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var conns atomic.Int32
			srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				io.WriteString(w, "answer")
			}))
			srv.EnableHTTP2 = tt.http2
			srv.Config.ConnState = func(_ net.Conn, s http.ConnState) {
				if s == http.StateNew {
					conns.Add(1)
				}
			}
			srv.StartTLS()
			defer srv.Close()
			f := &fresh{way: srv.Client().Transport}
			defer f.CloseIdleConnections()
			for range 3 {
				r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, srv.URL, nil)
				if err != nil {
					t.Fatal(err)
				}
				resp, err := f.RoundTrip(r)
				if err != nil {
					t.Fatal(err)
				}
				b, err := io.ReadAll(resp.Body)
				resp.Body.Close()
				if string(b) != "answer" || err != nil {
					t.Fatalf("%q, %v", b, err)
				}
				if r.Close {
					t.Error("the request was changed")
				}
			}
			if n := conns.Load(); n != tt.want {
				t.Errorf("%d connections, want %d", n, tt.want)
			}
		})
	}
}
