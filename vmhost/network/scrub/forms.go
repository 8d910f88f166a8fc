package scrub

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// shortest is the length of the shortest form that is looked for: shorter ones would be
// found in what is no secret.
const shortest = 6

// forms are the ways in which a server may write a secret, in lower case.
func forms(secret string) []string {
	all := []string{secret, hex.EncodeToString([]byte(secret))}
	all = append(all, inURL(secret)...)
	all = append(all, inJSON(secret)...)
	all = append(all, inHTML(secret)...)
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

// Size is how many states a scrubber takes for a secret at most, each of about 200 bytes: some ten for
// a byte of a usual token, and more than a hundred for a quotation mark.
func Size(secret string) (n int) {
	for _, one := range forms(secret) {
		n += len(one)
	}
	return n
}

// inURL is a secret with the escapes of URLs. A query may have a slash as it is, and %20 for a
// space.
func inURL(secret string) []string {
	var percent strings.Builder
	for _, b := range []byte(secret) {
		fmt.Fprintf(&percent, "%%%02x", b)
	}
	query, path := url.QueryEscape(secret), url.PathEscape(secret)
	all := []string{percent.String(), query, path, strings.ReplaceAll(query, "+", "%20")}
	for _, one := range all[1:] {
		all = append(all, strings.ReplaceAll(one, "%2F", "/"))
	}
	return all
}

// inJSON is a secret as JSON has it: with what means something in HTML escaped or not, and
// slashes too.
func inJSON(secret string) (all []string) {
	for _, escape := range []bool{false, true} {
		var out bytes.Buffer
		e := json.NewEncoder(&out)
		e.SetEscapeHTML(escape)
		if e.Encode(secret) != nil {
			continue
		}
		one := out.String()[1 : out.Len()-2] // without quotes and the end of the line
		all = append(all, one, strings.ReplaceAll(one, "/", `\/`))
	}
	return append(all, strings.ReplaceAll(secret, "/", `\/`))
}

// inHTML is a secret as HTML has it: quotes are escaped in several ways, or not at all. The
// last one is that of templates which escape whatever could end something.
func inHTML(secret string) (all []string) {
	for _, double := range []string{`"`, "&quot;", "&#34;", "&#x22;"} {
		for _, single := range []string{"'", "&apos;", "&#39;", "&#039;", "&#x27;"} {
			all = append(all, strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, double, "'", single).Replace(secret))
		}
	}
	return append(all, strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;", "/", "&#x2F;", "`", "&#x60;", "=", "&#x3D;").Replace(secret))
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
