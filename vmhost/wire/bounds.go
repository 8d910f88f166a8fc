package wire

import (
	"bytes"
	"fmt"
	"path"
	"strings"
	"time"
	"unicode/utf8"
)

// Bounds that the Validate methods hold. What does not fit in them goes
// through files.
const (
	MaxID          = 128         // bytes of an id
	MaxPath        = 4095        // bytes of a path, as PATH_MAX of Linux without its NUL
	MaxArgs        = 4096        // words of an argv
	MaxArg         = 128<<10 - 1 // bytes of one word or variable, as MAX_ARG_STRLEN of Linux without its NUL
	MaxEnv         = 512         // variables
	MaxInputs      = 2000        // inputs of one tool run
	MaxChunk       = 256 << 10   // bytes of one ExecOutput or ExecWrite
	MaxStdin       = 512 << 10   // bytes of ExecParams.Stdin
	MaxRunOut      = 640 << 10   // bytes of output in the answer of exec.run
	MinEntropy     = 64          // bytes
	MaxEntropy     = 4 << 10
	MaxLayers      = 16       // of PrepareParams
	MaxSerial      = 20       // bytes of a virtio-blk device's serial number (VIRTIO_BLK_ID_BYTES)
	MinCacheMB     = 64       // MiB of CacheParams
	MaxCacheMB     = 16 << 10 // MiB of CacheParams: as large is the disk (pack/image)
	MaxTag         = 36       // bytes of a virtio-fs device's tag
	MaxCertificate = 8 << 10  // bytes, PEM

	MinMTU      = 576     // bytes, RFC 791
	MaxMTU      = 65521   // bytes; with its head a frame is at most 65535
	MaxDetail   = 4 << 10 // bytes of ToolProblem.Detail
	MaxWallMS   = int64(7 * 24 * time.Hour / time.Millisecond)
	MaxMemoryMB = 1 << 20
	MaxOutput   = int64(1) << 40 // bytes of Limits.OutputBytes
	MaxIO       = int64(1) << 50 // bytes of Limits.IOBytes
	MaxSignal   = 64
	MaxTerminal = 4096 // columns or rows
	maxShort    = 256  // bytes of versions, codes and names
	maxMarks    = 256
)

// maxNewsValues is how many values a line of news has at most: a list of MaxEntries.
const maxNewsValues = 10 * MaxEntries

// manyValues tells whether msg, a JSON text, has more than most commas between values. An empty
// element takes three bytes of a line and a hundred in memory, and encoding/json makes all of
// them before anybody can count.
func manyValues(msg []byte, most int) bool {
	if bytes.Count(msg, []byte{','}) <= most { // commas of texts, too
		return false
	}
	n, inText := 0, false
	for i := 0; i < len(msg); i++ {
		switch c := msg[i]; {
		case c == '"':
			inText = !inText
		case inText && c == '\\':
			i++ // what is escaped ends no text
		case !inText && c == ',':
			n++
		}
	}
	return n > most
}

// InvalidError says which member of a message is out of bounds. Either side
// may meet it: the guest answers it as CodeInvalid, the host treats a guest
// that sends such a message as broken.
type InvalidError struct {
	Field  string // as in JSON, e.g. "argv"
	Reason string
}

func (e *InvalidError) Error() string { return e.Field + ": " + e.Reason }

func invalid(field, format string, args ...any) error {
	return &InvalidError{Field: field, Reason: fmt.Sprintf(format, args...)}
}

// firstError keeps a list of checks flat.
func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func within(field string, n, lo, hi int64) error {
	if n < lo || n > hi {
		return invalid(field, "%d is not within %d and %d", n, lo, hi)
	}
	return nil
}

// short checks a text of at most limit bytes that a log can hold.
func short(field, s string, limit int) error {
	switch {
	case len(s) > limit:
		return invalid(field, "%d bytes, at most %d", len(s), limit)
	case !utf8.ValidString(s):
		return invalid(field, "not UTF-8")
	case strings.ContainsAny(s, "\x00\n\r"):
		return invalid(field, "contains a NUL or a line end")
	}
	return nil
}

// id checks a name that the caller chose. It may become part of a file name.
func id(field, s string) error {
	if s == "" || len(s) > MaxID {
		return invalid(field, "%d bytes, 1 to %d", len(s), MaxID)
	}
	for i, c := range []byte(s) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		case i > 0 && (c == '-' || c == '_' || c == '.' || c == ':'):
		default:
			return invalid(field, "%q may hold letters, digits and, not first, - _ . :", s)
		}
	}
	return nil
}

func optionalID(field, s string) error {
	if s == "" {
		return nil
	}
	return id(field, s)
}

// absolute checks a clean absolute path in the guest. Its bytes are free but
// for NUL: names are kept as they are.
func absolute(field, p string) error {
	switch {
	case len(p) > MaxPath:
		return invalid(field, "%d bytes, at most %d", len(p), MaxPath)
	case strings.IndexByte(p, 0) >= 0:
		return invalid(field, "contains a NUL")
	case !strings.HasPrefix(p, "/") || path.Clean(p) != p:
		return invalid(field, "%q is not a clean absolute path", p)
	}
	return nil
}

func optionalAbsolute(field, p string) error {
	if p == "" {
		return nil
	}
	return absolute(field, p)
}

func environment(field string, env map[string]string) error {
	if len(env) > MaxEnv {
		return invalid(field, "%d variables, at most %d", len(env), MaxEnv)
	}
	for k, v := range env {
		switch {
		case k == "" || strings.ContainsAny(k, "=\x00"):
			return invalid(field, "%q is not the name of a variable", k)
		case strings.IndexByte(v, 0) >= 0:
			return invalid(field, "%s contains a NUL", k)
		case len(k)+len(v)+1 > MaxArg:
			return invalid(field, "%s: %d bytes, at most %d", k, len(k)+len(v)+1, MaxArg)
		}
	}
	return nil
}

func at(p, dir string) bool { return p == dir || strings.HasPrefix(p, dir+"/") }

// clock checks a time of the host.
func clock(unixNano int64) error {
	if unixNano <= 0 {
		return invalid("unixNano", "%d is not a time of today", unixNano)
	}
	return nil
}

// place checks the names of a guest; each may be missing.
func place(hostname, locale, zone string) error {
	switch {
	case hostname != "" && !hostLabel(hostname):
		return invalid("hostname", "%.80q is not one label of RFC 1123", hostname)
	case locale != "" && !localeName(locale):
		return invalid("locale", "%.80q is not a locale", locale)
	case zone != "" && !zoneName(zone):
		return invalid("timeZone", "%.80q is not an IANA name", zone)
	}
	return nil
}

func marks(m map[string]uint64) error {
	if err := within("marksMs", int64(len(m)), 0, maxMarks); err != nil {
		return err
	}
	for k := range m {
		if err := short("marksMs", k, maxShort); err != nil {
			return err
		}
	}
	return nil
}

func hostLabel(s string) bool {
	return len(s) <= 63 && s[0] != '-' && s[len(s)-1] != '-' && onlyASCII(s, "-")
}

func localeName(s string) bool {
	return len(s) <= 64 && s[0] != '.' && s[0] != '-' && onlyASCII(s, "_.@-")
}

// zoneName accepts names whose parts cannot leave the zone directory.
func zoneName(s string) bool {
	if len(s) > 64 {
		return false
	}
	for part := range strings.SplitSeq(s, "/") {
		if part == "" || !onlyASCII(part, "_+-") {
			return false
		}
	}
	return true
}

// onlyASCII reports whether s holds only letters, digits and the given others.
func onlyASCII(s, others string) bool {
	for _, c := range []byte(s) {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && strings.IndexByte(others, c) < 0 {
			return false
		}
	}
	return true
}

// digest checks a SHA-256 in lower-case hex.
func digest(field, s string) error {
	if len(s) != 64 || strings.Trim(s, "0123456789abcdef") != "" {
		return invalid(field, "%q is not a SHA-256 in hex", s)
	}
	return nil
}

// Short cuts a text from the other side for an error or a log, and makes it
// printable.
func Short(s string) string {
	const limit = 120
	if len(s) > limit {
		s = s[:limit] + "…"
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7F {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
}
