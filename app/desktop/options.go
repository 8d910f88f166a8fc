package desktop

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"net/http"
	"os"
	"strings"

	"piwork/app"
	"piwork/app/api"
)

// EventName is the Wails event that carries events of the API.
const EventName = "api:event"

// Options are what main knows.
type Options struct {
	Pages     fs.FS // the built front end
	Icon      []byte
	Version   string
	Developer bool  // trusts the developer key ring too
	Start     Start // what it was started for
}

// instance names the one window of a data directory, for this user's session; with
// a task that of the task.
func instance(task string) string {
	name := "io.piwork.window"
	if task != "" {
		name += ".t" + strings.ReplaceAll(task, "-", "")
	}
	dir := os.Getenv(app.EnvDataDir)
	if dir == "" {
		return name
	}
	sum := sha256.Sum256([]byte(dir))
	return name + "." + hex.EncodeToString(sum[:6])
}

// middleware answers the API's requests by h, and also the pages where theirs says that it
// has them: then they are of one version with what answers. Otherwise Wails has them, with
// the headers that a browser on loopback gets too.
func middleware(h http.Handler, theirs func() bool) func(next http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		pages := api.WithPageHeaders(next)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if p := r.URL.Path; strings.HasPrefix(p, "/v1/") || p == "/_manifest" || p == "/_health" || theirs() {
				h.ServeHTTP(w, r)
				return
			}
			r.Header.Del("If-Modified-Since") // a 304 hangs WebView2
			r.Header.Del("If-None-Match")
			pages.ServeHTTP(w, r)
		})
	}
}
