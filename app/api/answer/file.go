package answer

import (
	"crypto/sha256"
	"encoding/base64"
	"io"
	"mime"
	"net/http"
	"time"

	"piwork/app/api/condition"
	"piwork/app/problem"
)

// ServeFile answers with a file that programs of the guest made. A browser takes
// it for what is said, and runs nothing of it. version differs where the bytes do, "" where
// nobody knows: by its ETag, nobody puts parts of two versions together.
func ServeFile(w http.ResponseWriter, r *http.Request, f io.ReadSeeker, kind, how, name, version string) {
	h, tag := w.Header(), ""
	if version != "" {
		sum := sha256.Sum256([]byte(version))
		tag = `"` + base64.RawURLEncoding.EncodeToString(sum[:]) + `"`
	}
	if want := r.Header.Values("If-Match"); len(want) > 0 && !condition.Matches(want, tag, false) {
		Write(w, r, Simple(http.StatusPreconditionFailed, problem.CodeChanged, "If-Match: the file has another ETag"))
		return
	}
	if tag != "" {
		h.Set("ETag", tag)
	}
	h.Set("Content-Type", kind)
	h.Set("Content-Disposition", Disposition(how, name))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	for _, c := range []string{
		"If-None-Match", "If-Modified-Since", // could be answered by a 304, which hangs WebView2
		"If-Match", "If-Unmodified-Since", // what they say is known
	} {
		r.Header.Del(c)
	}
	if r.Header.Get("Range") != "" {
		w = &ranged{ResponseWriter: w, request: r}
	}
	http.ServeContent(w, r, "", time.Time{}, f)
}

// ranged answers with a problem where net/http refuses a Range in plain text.
type ranged struct {
	http.ResponseWriter
	request *http.Request
	refused bool
}

// WriteHeader implements http.ResponseWriter.
func (w *ranged) WriteHeader(status int) {
	if w.refused = status == http.StatusRequestedRangeNotSatisfiable; !w.refused {
		w.ResponseWriter.WriteHeader(status)
		return
	}
	h := w.Header()
	h.Del("Content-Disposition")
	h.Set("Cache-Control", "no-store") // which net/http takes away
	Write(w.ResponseWriter, w.request, Simple(status, problem.CodeBadRequest, "Range: the file does not have these bytes"))
}

// Write implements http.ResponseWriter.
func (w *ranged) Write(b []byte) (int, error) {
	if w.refused {
		return len(b), nil
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap is for http.ResponseController.
func (w *ranged) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Disposition names a file for a browser.
func Disposition(how, name string) string {
	if s := mime.FormatMediaType(how, map[string]string{"filename": name}); s != "" {
		return s
	}
	return how // the name cannot be said in a header
}
