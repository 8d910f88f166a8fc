package answer

import (
	"io"
	"mime"
	"net/http"
	"time"
)

// ServeFile answers with a file that programs of the guest made. A browser takes
// it for what is said, and runs nothing of it.
func ServeFile(w http.ResponseWriter, r *http.Request, f io.ReadSeeker, kind, how, name string) {
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Disposition", Disposition(how, name))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	// Conditions could be answered by a 304, which hangs WebView2.
	for _, c := range []string{"If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "If-Range"} {
		r.Header.Del(c)
	}
	http.ServeContent(w, r, "", time.Time{}, f)
}

// Disposition names a file for a browser.
func Disposition(how, name string) string {
	if s := mime.FormatMediaType(how, map[string]string{"filename": name}); s != "" {
		return s
	}
	return how // the name cannot be said in a header
}
