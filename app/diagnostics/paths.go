package diagnostics

import (
	"strings"
	"unicode/utf8"

	"piwork/pack/lazyregexp"
)

var (
	// document is a file as people have them. Where a name without a path begins
	// nobody can say: the whole line goes.
	document = gate(has("."), `(?i)[^\s./\\]\.(?:pdf|docx?|xlsx?|pptx?|od[tsp]|rtf|txt|csv|tsv|md|html?|xml|eml|msg|vcf|ics|pages|numbers|key|epub|jpe?g|png|gif|hei[cf]|tiff?|bmp|webp|svg|raw|cr2|nef|dng|mp[34]|m4[av]|mov|avi|mkv|wav|flac|ogg|zip|7z|rar|tgz|gz|bz2|psd|ai|dwg|mdb|accdb|pst|kdbx?|p12|pfx|pem|ppk)(?:\.1)?(?:$|[^\p{L}\p{N}_-])`)

	// begins are starts of paths: of this system, of Windows, of a home.
	begins = gate(has("/", `\`), `(?i:file):/+|\\\\[?.\p{L}\p{N}]|~[\p{L}\p{N}._-]*[/\\]|\b[A-Za-z]:[/\\]|/[^\s/…\x{E000}-\x{F8FF}]|\\[\p{L}\p{N}._-]+\\`+
		`|\p{Lu}\p{Ll}{2,}(?:[\p{L}\p{N} ._-]*[\p{L}\p{N}._-])?[/\\][^\s/\\]`)

	// system are paths of the operating system, which is no person's.
	system = lazyregexp.New(`^(?:/usr/(?:lib|lib64|libexec|bin|sbin|share)|/lib|/lib64|/bin|/sbin|/sys|/proc/sys)(?:/[A-Za-z0-9_.+@-]+)*$` +
		`|^/proc/[a-z]+$|^/dev/(?:kvm|null|zero|u?random|fuse|console|vhost[a-z-]*|net/tun|hvc\d+|tty[A-Z]*\d*|vd[a-z]\d*|pmem\d+|dm-\d+|vport[a-z0-9]+|virtio-ports/[a-z.]+)$`)
	token = lazyregexp.New(`^[^\s"'<>|,;:()\[\]{}\x{E000}-\x{F8FF}]+`)

	// own are paths inside of the program's directories that it names itself.
	own = lazyregexp.New(`^(?:(?:/|\\\\?)(?:` +
		`tasks(?:(?:/|\\\\?)[0-9a-f-]{36}(?:(?:/|\\\\?)(?:task\.json|timeline\.jsonl|plan\.json|agent\.jsonl|changes\.json|journal(?:\.gone)?|results|state))?)?` +
		`|(?:vm|runtime|addons|audit|channel|templates|downloads|trusted-keys)(?:(?:/|\\\\?)[a-z0-9][a-z0-9._+-]*)*` +
		`|t\d+(?:(?:/|\\\\?)[a-z0-9.-]+)?` + // of a machine's sockets
		`|config\.json|update\.json|proofs\.json|controller\.(?:sock|lock|json)))`)
)

// endings are how systems say what went wrong. They are kept behind a path.
var endings = []string{
	"no such file or directory", "permission denied", "operation not permitted", "file exists", "not a directory", "is a directory",
	"directory not empty", "no space left on device", "disk quota exceeded", "read-only file system", "input/output error", "too many open files",
	"file name too long", "file too large", "device or resource busy", "text file busy", "invalid argument", "bad file descriptor",
	"connection refused", "connection reset by peer", "broken pipe", "no such device", "no such device or address", "stale file handle", "exec format error",
	"cross-device link", "invalid cross-device link", "too many levels of symbolic links", "function not implemented", "operation not supported",
	"resource temporarily unavailable", "cannot allocate memory", "value too large for defined data type", "address already in use",
	"i/o timeout", "context canceled", "context deadline exceeded", "unexpected eof", "eof", "file already closed", "file does not exist",
	"access is denied.", "the system cannot find the file specified.", "the system cannot find the path specified.", "there is not enough space on the disk.",
	"the process cannot access the file because it is being used by another process.", "not enough storage is available to complete this operation.",
}

// inPlace replaces the path of a directory of the program, and keeps what is below
// as far as the program named it.
func (r *Redactor) inPlace(s string, p place) string {
	var b strings.Builder
	for {
		m := p.at.FindStringIndex(s)
		if m == nil {
			return b.String() + s
		}
		if c, _ := utf8.DecodeRuneInString(s[m[1]:]); inWord(c) || c == '-' || c == '_' || c == '.' && m[1]+1 < len(s) && inWord(rune(s[m[1]+1])) {
			// A longer name beside it: a path like any other, which paths finds.
			b.WriteString(s[:m[1]])
			s = s[m[1]:]
			continue
		}
		inside := own().FindString(s[m[1]:])
		b.WriteString(s[:m[0]] + r.mark(p.name) + inside)
		rest := s[m[1]+len(inside):]
		if ends(rest) {
			s = rest
			continue
		}
		eaten, after := r.eat(before(s, m[0]), rest)
		if eaten != "" {
			b.WriteString("/" + r.numbered("path", p.name+inside+eaten))
		}
		s = after
	}
}

// ends reports whether a path of the program is over before rest: not where the
// name goes on, and not at a blank where there is a slash behind it.
func ends(rest string) bool {
	c, _ := utf8.DecodeRuneInString(rest)
	switch {
	case rest == "":
		return true
	case c == ' ':
		return !strings.ContainsAny(rest, `/\`)
	default:
		return !inWord(c) && !strings.ContainsRune(`/\._-+`, c)
	}
}

// before is the byte before an index, 0 at the start.
func before(s string, i int) byte {
	if i == 0 {
		return 0
	}
	return s[i-1]
}

// paths replaces every path that is none of the system's.
func (r *Redactor) paths(s string) string {
	var b strings.Builder
	for {
		m := r.begin(s)
		if m < 0 {
			return b.String() + s
		}
		if t := token().FindString(s[m:]); system().MatchString(strings.TrimRight(t, ".")) && !strings.Contains(t, "..") {
			b.WriteString(s[:m+len(t)])
			s = s[m+len(t):]
			continue
		}
		eaten, after := r.eat(before(s, m), s[m:])
		b.WriteString(s[:m] + r.numbered("path", eaten))
		s = after
	}
}

// begin is where the first path of a line begins, -1 without one. A slash between
// words ("I/O", "x86/fpu") and one by itself begin none.
func (r *Redactor) begin(s string) int {
	for from := 0; from < len(s); {
		m := begins.FindStringIndex(s[from:])
		if m == nil {
			return -1
		}
		at := from + m[0]
		if s[at] != '/' && s[at] != '\\' {
			return at
		}
		c, _ := utf8.DecodeLastRuneInString(s[:at])
		if at == 0 || !inWord(c) && c != '.' && c != '_' && c != '-' && (c < firstMark || c > lastMark) {
			return at
		}
		from = at + 1
	}
	return -1
}

// eat splits a text that starts with a path behind it: at the last closing quote
// where it is quoted, and else at the end of the line but for a known ending.
func (r *Redactor) eat(opener byte, s string) (path, rest string) {
	if opener == '"' || opener == '\'' || opener == '`' {
		if end := strings.LastIndexByte(s, opener); end >= 0 {
			return s[:end], s[end:]
		}
	}
	lower := strings.ToLower(s)
	trimmed := strings.TrimRight(lower, `"') `)
	if len(lower) == len(s) {
		for _, e := range endings {
			if at := len(trimmed) - len(e) - 2; at > 0 && strings.HasSuffix(trimmed, ": "+e) {
				return s[:at], s[at:]
			}
		}
	}
	return s, ""
}
