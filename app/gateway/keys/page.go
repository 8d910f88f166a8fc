package keys

import (
	"html"
	"io"
	"net/http"
)

// Say gives the text of a page in a language of the browser that is shown it, which the
// header Accept-Language names. Nil says ids of texts.
type Say func(acceptLanguage, id string) (language, text string)

// What a browser is shown when it comes back: ids of texts.
const (
	PageSignedIn = "signed-in"
	PageBack     = "back"     // what comes of the sign-in is not known yet
	PageDeclined = "declined" // the person, or the service, said no
	PageFailed   = "failed"   // piwork says why
	PageOver     = "over"     // another browser was first
	PageStrange  = "strange"  // nobody who was sent away comes back like this
)

// Page writes a page without anything that could run or be loaded.
func (say Say) Page(w http.ResponseWriter, r *http.Request, status int, id string) {
	language, text := "en", id
	if say != nil {
		language, text = say(r.Header.Get("Accept-Language"), id)
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("Referrer-Policy", "no-referrer") // the address has a code in it
	h.Set("Cache-Control", "no-store")
	h.Set("Connection", "close")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, `<!doctype html><html lang="`+html.EscapeString(language)+`"><meta charset="utf-8"><title>piwork</title><p>`+html.EscapeString(text)+"</p></html>\n")
}
