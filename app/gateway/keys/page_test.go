package keys

import (
	"net/http/httptest"
	"strings"
	"testing"
)

// A page is in a language of the browser that is shown it, and nothing in it can be more
// than text.
func TestPageIsInTheLanguageOfTheBrowser(t *testing.T) {
	say := Say(func(acceptLanguage, id string) (string, string) { return "de", acceptLanguage + " <" + id + ">" })
	w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil)
	r.Header.Set("Accept-Language", "de-AT,en;q=0.5")
	say.Page(w, r, 403, PageDeclined)
	if got := w.Body.String(); w.Code != 403 || !strings.Contains(got, `lang="de"`) || !strings.Contains(got, "<p>de-AT,en;q=0.5 &lt;declined&gt;</p>") {
		t.Errorf("%d %s", w.Code, got)
	}
}
