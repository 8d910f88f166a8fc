package policy

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// MaxName is the longest host name in bytes, without the dot at its end
// (RFC 1035, 2.3.4).
const MaxName = 253

var errName = errors.New("no host name")

// Name is a host name in the one form that is compared: lower case, without the
// dot at its end. It must be of letters, digits, hyphens and underscores, in
// labels of 1 to 63 bytes (RFC 1123), and must not end in a number: such names are
// addresses to some programs.
func Name(s string) (string, error) {
	s = strings.TrimSuffix(s, ".")
	if s == "" || len(s) > MaxName {
		return "", fmt.Errorf("%w: %d bytes", errName, len(s))
	}
	last := ""
	for label := range strings.SplitSeq(s, ".") {
		if len(label) == 0 || len(label) > 63 {
			return "", fmt.Errorf("%w: a part of %d bytes", errName, len(label))
		}
		if label[0] == '-' || label[len(label)-1] == '-' {
			return "", fmt.Errorf("%w: a part that begins or ends with a hyphen", errName)
		}
		for _, c := range []byte(label) {
			if !nameByte(c) {
				return "", fmt.Errorf("%w: byte %#02x", errName, c)
			}
		}
		last = label
	}
	if numeric(last) {
		return "", fmt.Errorf("%w: it ends in a number", errName)
	}
	return lower(s), nil
}

func nameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_'
}

// numeric is the WHATWG's "ends in a number".
func numeric(label string) bool {
	digits, hex := label, false
	if len(label) >= 2 && label[0] == '0' && (label[1] == 'x' || label[1] == 'X') {
		digits, hex = label[2:], true
	}
	for _, c := range []byte(digits) {
		if '0' <= c && c <= '9' || hex && ('a' <= c && c <= 'f' || 'A' <= c && c <= 'F') {
			continue
		}
		return false
	}
	return true
}

// lower is for ASCII: other alphabets have no place in a name, and some of their
// letters become ASCII when they are lowered.
func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// typed is Name for what a person wrote: other alphabets become Punycode.
func typed(s string) (string, error) {
	for _, c := range []byte(s) {
		if c < utf8.RuneSelf {
			continue
		}
		if !utf8.ValidString(s) {
			return "", fmt.Errorf("%w: no text", errName)
		}
		a, err := idna.Lookup.ToASCII(s)
		if err != nil {
			return "", fmt.Errorf("%w: %w", errName, err)
		}
		return Name(a)
	}
	return Name(s)
}
