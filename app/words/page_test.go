package words

import (
	"strings"
	"testing"
)

func TestSignInPage(t *testing.T) {
	for header, want := range map[string]string{"": "en: You are signed in.", "de-AT,de;q=0.9,en;q=0.5": "de: Sie sind angemeldet.", "fr": "en: You are signed in."} {
		language, text := SignInPage(header, "signed-in")
		if got := language + ": " + text; !strings.HasPrefix(got, want) {
			t.Errorf("%q: %s", header, got)
		}
	}
}
