//go:build desktop && e2e

package desktop

import (
	"net/http"
	"os"
	"strings"
)

const blankScript = "/e2e-blank.js"

// blankPage has the page stay blank, for tests: PIWORK_E2E_BLANK=screen draws it in one colour
// until the window was opened once more, PIWORK_E2E_BLANK=frames draws no frame in any.
func blankPage(next http.Handler) http.Handler {
	script := ""
	switch os.Getenv("PIWORK_E2E_BLANK") {
	case "screen":
		if os.Getenv(envRenderer) != "1" {
			script = "document.documentElement.style.display = 'none';"
		}
	case "frames":
		script = "globalThis.requestAnimationFrame = () => 0;"
	}
	if script == "" {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case blankScript:
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = w.Write([]byte(script))
		case "/", "/index.html":
			next.ServeHTTP(&scripted{ResponseWriter: w}, r)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// scripted is a page with one more script, which runs before those of the page.
type scripted struct {
	http.ResponseWriter
	begun bool
}

func (s *scripted) WriteHeader(status int) {
	s.Header().Del("Content-Length")
	s.ResponseWriter.WriteHeader(status)
}

func (s *scripted) Write(b []byte) (int, error) {
	if s.begun {
		return s.ResponseWriter.Write(b)
	}
	s.begun = true
	s.Header().Del("Content-Length")
	_, err := s.ResponseWriter.Write([]byte(strings.Replace(string(b), "<head>", `<head><script src="`+blankScript+`"></script>`, 1)))
	return len(b), err
}
