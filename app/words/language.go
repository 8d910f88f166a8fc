package words

import (
	"strings"

	"golang.org/x/text/language"
)

// maxHeader is how much of an Accept-Language header is read.
const maxHeader = 256

var matcher = language.NewMatcher(tags())

func tags() []language.Tag {
	out := make([]language.Tag, len(Languages))
	for i, lang := range Languages {
		out[i] = language.Make(lang)
	}
	return out
}

// For returns the words for an Accept-Language header, the first language's for one
// that asks for none there is, or makes no sense.
func For(acceptLanguage string) *Catalogue {
	wanted, _, err := language.ParseAcceptLanguage(acceptLanguage[:min(len(acceptLanguage), maxHeader)])
	if err != nil {
		return catalogues[Languages[0]]()
	}
	_, i, _ := matcher.Match(wanted...)
	return catalogues[Languages[i]]()
}

// ForTerminal returns the words for a terminal, whose language is in the environment:
// the first of LC_ALL, LC_MESSAGES and LANG that is set, such as "de_AT.UTF-8". Where none
// is, the languages of the system decide ([SystemLanguages]).
func ForTerminal(getenv func(string) string, system []string) *Catalogue {
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if value := getenv(name); value != "" {
			value, _, _ = strings.Cut(value, ".")
			value, _, _ = strings.Cut(value, "@")
			return For(strings.ReplaceAll(value, "_", "-"))
		}
	}
	return For(strings.Join(system, ","))
}
