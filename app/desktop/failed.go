package desktop

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"

	"piwork/app/problem"
	"piwork/app/words"
)

const (
	failedID  = "failed" // the element of the page that says why (frontend/src/main.ts)
	againPath = "/again" // asks to be started anew
)

// failedPages are the pages of a window without a controller: the first one says
// why, in words of every language, of which the page takes its own. again starts the program anew;
// after it this window is closed.
func failedPages(pages fs.FS, p *problem.Problem, again func() error) (func(http.Handler) http.Handler, error) {
	index, err := fs.ReadFile(pages, "index.html")
	if err != nil {
		return nil, fmt.Errorf("the window's first page: %w", err)
	}
	said := map[string]problem.Problem{}
	for _, language := range words.Languages {
		q := *p
		words.For(language).Problem(&q)
		said[language] = q
	}
	why, err := json.Marshal(said) // without <, > and &: it can end no element
	if err != nil {
		return nil, fmt.Errorf("why there is no controller: %w", err)
	}
	before, after, ok := bytes.Cut(index, []byte("</head>"))
	if !ok {
		return nil, errors.New("the window's first page has no head")
	}
	index = fmt.Appendf(nil, `%s<script type="application/json" id="%s">%s</script></head>%s`, before, failedID, why, after)
	return func(next http.Handler) http.Handler {
		return middleware(http.NotFoundHandler(), func() bool { return false })(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/", "/index.html":
				w.Header().Set("Content-Type", "text/html; charset=utf-8")
				_, _ = w.Write(index)
			case againPath:
				if r.Method != http.MethodPost {
					w.WriteHeader(http.StatusMethodNotAllowed)
				} else if err := again(); err != nil {
					http.Error(w, err.Error(), http.StatusInternalServerError)
				}
			default:
				next.ServeHTTP(w, r)
			}
		}))
	}, nil
}
