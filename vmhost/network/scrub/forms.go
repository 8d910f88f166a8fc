package scrub

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"slices"
	"strings"
)

// shortest is the length of the shortest form that is looked for: shorter ones would be
// found in what is no secret.
const shortest = 6

// forms are the ways in which a server may write a secret, in lower case.
func forms(secret string) []string {
	var percent strings.Builder
	for _, b := range []byte(secret) {
		fmt.Fprintf(&percent, "%%%02x", b)
	}
	all := []string{
		secret, url.QueryEscape(secret), url.PathEscape(secret), percent.String(), html.EscapeString(secret),
		strings.ReplaceAll(secret, "/", `\/`), hex.EncodeToString([]byte(secret)),
	}
	if quoted, err := json.Marshal(secret); err == nil {
		all = append(all, strings.Trim(string(quoted), `"`))
	}
	for offset := range 3 {
		all = append(all, inBase64(base64.RawStdEncoding, secret, offset), inBase64(base64.RawURLEncoding, secret, offset))
	}
	for i, one := range all {
		all[i] = lower(one)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	return slices.DeleteFunc(all, func(one string) bool { return len(one) < shortest })
}

// inBase64 is what base64 makes of a secret that begins offset bytes after a group of three:
// without the characters at both ends, which depend on what is around the secret.
func inBase64(e *base64.Encoding, secret string, offset int) string {
	all := e.EncodeToString(append(make([]byte, offset), secret...))
	from := (offset*8 + 5) / 6
	to := (offset + len(secret)) * 8 / 6
	return all[from:max(from, to)]
}

// lower is for ASCII: what is not keeps its length.
func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		b[i] = fold(c)
	}
	return string(b)
}

func fold(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
