package diagnostics

import (
	"bytes"
	"encoding/json"
	"net/netip"
	"strings"
	"unicode"
	"unicode/utf8"

	"piwork/pack/lazyregexp"
)

// secretWord is in the names of what is secret.
const secretWord = `(?:key|token|secret|passw|passphrase|pwd|credential|auth|session|cookie|signature|\bsig\b|\bpin\b)`

var (
	escapes = lazyregexp.New(`\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-_])`)
	pem     = lazyregexp.New(`(?s)-----BEGIN [A-Z0-9 ]+-----.*?(?:-----END [A-Z0-9 ]+-----|\z)`)

	secretName = gate(namesSecret, `(?i)`+secretWord)
	header     = gate(both(has(":", "="), has("authorization", "cookie", "api")), `(?i)\b((?:proxy-)?authorization|(?:set-)?cookie|(?:x-)?(?:\w+-)?api-?key)(["']?\s*[:=]\s*).+$`)
	scheme     = gate(has("bearer", "basic", "digest", "negotiate"), `(?i)\b(bearer|basic|digest|negotiate)(\s+)[^\s,;"'\x{E000}-\x{F8FF}][^\s,;"']*`)
	quoted     = gate(both(has(":", "="), namesSecret), `(?i)([\w.-]*`+secretWord+`[\w.-]*\\?["']?\s*[:=]\s*)("(?:\\.|[^"\\])*"|\\"[^"]*"|'[^']*')`)
	assigned   = gate(both(has(":", "="), namesSecret), `(?i)([\w.-]*`+secretWord+`[\w.-]*["']?\s*[:=]\s*)[^\s"'\x{E000}-\x{F8FF}].*$`)
	flagged    = gate(both(has("-"), namesSecret), `(?i)((?:^|[^\w-])--?[\w-]*`+secretWord+`[\w-]*[ =]+)[^\s\x{E000}-\x{F8FF}].*$`)
	variable   = gate(has("="), `\b([A-Z][A-Z0-9_]{2,}=)[^\s\x{E000}-\x{F8FF}].*$`)
	prefixed   = gate(hasPrefixed, `\b(?:(?:sk|pk|rk|xai|gsk|glpat|xox[a-z]|r8)[-_][A-Za-z0-9_-]{6,}|gh[a-z]_\w{6,}|github_pat_\w+|hf_\w{6,}|npm_\w{6,}|(?:AKIA|ASIA)[0-9A-Z]{8,}|AIza[0-9A-Za-z_-]{8,}|ya29\.[\w.-]+|AGE-SECRET-KEY-\w+|eyJ[\w-]{6,}\.[\w.-]+)`)
	webAddress = gate(has("http:", "https:", "ws:", "wss:", "ftp:", "ftps:", "ssh:", "smb:", "nfs:", "s3:", "socks:", "socks5:", "socks5h:", "git:", "oci:", "docker:", "data:", "mailto:", "piwork:"), `(?i)\b(https?|wss?|ftps?|sftp|ssh|smb|nfs|s3|socks5h?|git|oci|docker|data|mailto|piwork)(:(?://)?)[^\s"'<>\x{E000}-\x{F8FF}]+`)
	mail       = gate(has("@"), `[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*`)
	addresses  = gate(mayBeAddress, `\[?[0-9A-Fa-f:.]{3,}(?:%\w+)?\]?`)
	hardware   = gate(func(s string) bool { return strings.Count(s, ":")+strings.Count(s, "-") >= 5 }, `(?i)\b[0-9a-f]{2}(?:[:-][0-9a-f]{2}){5}\b`)
	opaque     = gate(run(20, func(c byte) bool { return alphanumeric(c) || strings.IndexByte("+/=_-", c) >= 0 }), `[A-Za-z0-9+/=_-]{20,}`)
	hexRange   = lazyregexp.New(`^0x[0-9a-f]{1,16}(?:-0x[0-9a-f]{1,16})?$`)
	started    = lazyregexp.New(`^\d{4}-\d\d-\d\dT[\d:.]+Z start (\[".*"\])$`)
	secretFlag = lazyregexp.New(`(?i)^--?[\w-]*` + secretWord + `[\w-]*$`)
	identifier = lazyregexp.New(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)
)

// namesSecret is what secretWord needs.
var namesSecret = has("key", "token", "secret", "passw", "passphrase", "pwd", "credential", "auth", "session", "cookie", "sig", "pin")

// hasPrefixed is what prefixed needs.
var hasPrefixed = has("sk-", "sk_", "pk-", "pk_", "rk-", "rk_", "xai-", "xai_", "glpat-", "glpat_", "xox", "r8-", "r8_",
	"gh", "github_pat_", "hf_", "npm_", "akia", "asia", "aiza", "ya29", "age-secret-key", "eyj")

// mayBeAddress is what [Redactor.address] needs to change anything.
func mayBeAddress(s string) bool { return strings.Count(s, ".") >= 3 || strings.Count(s, ":") >= 2 }

// line redacts one line. Secrets come first: what is a secret is none of the rest.
// Then the program's own directories, which hold the person's name; then whatever
// else is a path.
func (r *Redactor) line(s string) string {
	if m := started().FindStringSubmatchIndex(s); m != nil {
		if argv, ok := r.argv(s[m[2]:m[3]]); ok {
			return s[:m[2]] + argv
		}
	}
	return r.text(s)
}

// argv redacts the arguments of a program, which the log of QEMU has as JSON: each
// by itself, since it says where one ends.
func (r *Redactor) argv(s string) (string, bool) {
	var args []string
	if json.Unmarshal([]byte(s), &args) != nil {
		return "", false
	}
	for i := range args {
		if i > 0 && secretFlag().MatchString(args[i-1]) {
			args[i] = r.mark("secret")
			continue
		}
		args[i] = r.text(strings.ReplaceAll(args[i], "\n", " "))
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if enc.Encode(args) != nil {
		return "", false
	}
	return strings.TrimSpace(out.String()), true
}

func (r *Redactor) text(s string) string {
	secret := r.mark("secret")
	for _, re := range []gated{header, scheme} {
		s = re.ReplaceAllString(s, "${1}${2}"+secret)
	}
	s = quoted.ReplaceAllString(s, "${1}"+secret)
	for _, re := range []gated{assigned, flagged} {
		s = re.ReplaceAllString(s, "${1}"+secret)
	}
	s = variable.ReplaceAllString(s, "${1}"+r.mark("value"))
	s = prefixed.ReplaceAllString(s, secret)
	s = webAddress.ReplaceAllStringFunc(s, r.web)
	s = mail.ReplaceAllString(s, r.mark("mail"))
	s = hardware.ReplaceAllString(s, r.mark("address"))
	s = addresses.ReplaceAllStringFunc(s, r.address)
	if document.MatchString(s) {
		return r.mark("a line about a file")
	}
	for _, p := range r.places {
		s = r.inPlace(s, p)
	}
	s = r.paths(s)
	for _, w := range r.words {
		s = whole(s, w.at, r.mark(w.name))
	}
	return opaque.ReplaceAllStringFunc(s, func(t string) string {
		if looksRandom(t) {
			return r.mark("opaque")
		}
		return t
	})
}

// web keeps of an address what kind it is: who is asked is the person's matter, and
// a path may be a secret.
func (r *Redactor) web(s string) string {
	m := webAddress.pattern().FindStringSubmatch(s)
	rest := strings.TrimPrefix(s, m[1]+m[2])
	host := rest
	if i := strings.IndexAny(host, "/?#\\"); i >= 0 {
		host = host[:i]
	}
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		host = host[i+1:]
	}
	out := m[1] + m[2] + r.numbered("host", strings.ToLower(host))
	if len(rest) > len(host) {
		out += "/…"
	}
	return out
}

// address keeps those of this computer and of machines on it.
func (r *Redactor) address(s string) string {
	bare := strings.Trim(s, "[].")
	for _, t := range []string{bare, strings.TrimRight(bare, ":")} {
		if a, err := netip.ParseAddr(t); err == nil {
			if a.IsLoopback() || a.IsUnspecified() {
				return s
			}
			return r.mark("address")
		}
	}
	if at, err := netip.ParseAddrPort(strings.Trim(s, ".")); err == nil && !at.Addr().IsLoopback() && !at.Addr().IsUnspecified() {
		return r.mark("address")
	}
	return s
}

// whole replaces what stands by itself, not as a part of a longer word.
func whole(s string, at gated, with string) string {
	var b strings.Builder
	rest := 0
	for _, m := range at.FindAllStringIndex(s, -1) {
		before, _ := utf8.DecodeLastRuneInString(s[:m[0]])
		after, _ := utf8.DecodeRuneInString(s[m[1]:])
		if inWord(before) || inWord(after) {
			continue
		}
		b.WriteString(s[rest:m[0]] + with)
		rest = m[1]
	}
	return b.String() + s[rest:]
}

func inWord(c rune) bool {
	return c != utf8.RuneError && (unicode.IsLetter(c) || unicode.IsDigit(c))
}

// looksRandom reports whether a run of letters and digits is nothing that a person
// wrote: names of tasks are kept, they are of the program.
func looksRandom(s string) bool {
	if identifier().MatchString(s) || hexRange().MatchString(s) {
		return false
	}
	upper := strings.IndexFunc(s, unicode.IsUpper) >= 0
	lower := strings.IndexFunc(s, unicode.IsLower) >= 0
	digit := strings.IndexFunc(s, unicode.IsDigit) >= 0
	if strings.ContainsAny(s, "/+=") {
		return upper && lower && digit
	}
	return digit && (upper || lower) && len(s) >= 24
}
