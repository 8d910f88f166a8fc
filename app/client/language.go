package client

import (
	"fmt"
	"net/http"
	"strings"
)

// Language is a value of Accept-Language (RFC 9110, section 12.5.4): the languages in which a
// person reads problems, plans and questions. The zero value asks for none, which is English.
type Language struct{ accept string }

// What a Language is made of.
const (
	languageBytes   = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-*,;=. "
	maxLanguageSize = 100
)

// ParseLanguage reads a language, such as "de", or several: "de-AT, en;q=0.5".
func ParseLanguage(text string) (Language, error) {
	if len(text) > maxLanguageSize || strings.Trim(text, languageBytes) != "" {
		return Language{}, fmt.Errorf("%.120q is not a language: write it as de, or as de-AT, en;q=0.5 (at most %d characters)", text, maxLanguageSize)
	}
	return Language{text}, nil
}

// ask adds it to the header of a request.
func (l Language) ask(h http.Header) {
	if l.accept != "" {
		h.Set("Accept-Language", l.accept)
	}
}

// InLanguage is the same client as c, which is answered in a language. The ETag of a record with
// words in it is of one language: for [WhileStill] what was read in another has changed.
func InLanguage(c *Client, l Language) *Client {
	in := *c
	in.language = l
	return &in
}
