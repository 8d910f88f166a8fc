package background

import (
	"encoding/json"
	"net/http"
	"net/http/httputil"

	"piwork/app/api"
	"piwork/app/api/answer"
	"piwork/app/client"
	"piwork/app/words"
)

// Handler answers the requests of this process's window. They are handed over as they
// are, so that files that come with a form pass, too; what is about the window itself
// stays here.
func (s *Session) Handler() http.Handler {
	here := s.API.Handler()
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host = "http", "piwork"
			r.Out.Host = "piwork"
			r.Out.Header.Del("If-None-Match") // a 304 hangs WebView2
		},
		Transport:     s.transport,
		FlushInterval: -1,
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			s.log.Warn("window: the running piwork does not answer", "path", r.URL.Path, "error", err)
			e := answer.FromService(&client.UnreachableError{Err: err})
			w.Header().Set("Content-Type", answer.ProblemJSON)
			w.WriteHeader(e.Status)
			_ = json.NewEncoder(w).Encode(answer.InWords(words.For(r.Header.Get("Accept-Language")), e)) // the page is gone
		},
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if api.OfWindow(r.Method, r.URL.Path) || r.URL.Path == "/_manifest" {
			here.ServeHTTP(w, r)
			return
		}
		proxy.ServeHTTP(w, r)
	})
}
