package wire

import (
	"fmt"
	"path"
	"strings"
	"time"
	"unicode/utf8"
)

// Bounds that the Validate methods hold. What does not fit in them goes
// through files.
const (
	MaxID       = 128         // bytes of an id
	MaxPath     = 4095        // bytes of a path, as PATH_MAX of Linux without its NUL
	MaxArgs     = 4096        // words of an argv
	MaxArg      = 128<<10 - 1 // bytes of one word or variable, as MAX_ARG_STRLEN of Linux without its NUL
	MaxEnv      = 512         // variables
	MaxInputs   = 2000        // inputs of one tool run
	MaxChunk    = 256 << 10   // bytes of one ExecOutput or ExecWrite
	MaxStdin    = 512 << 10   // bytes of ExecParams.Stdin
	MaxRunOut   = 640 << 10   // bytes of output in the answer of exec.run
	MinMSize    = 4 << 10     // bytes of a 9p message
	MaxMSize    = 1 << 20
	MinEntropy  = 64 // bytes
	MaxEntropy  = 4 << 10
	MaxDetail   = 4 << 10 // bytes of ToolProblem.Detail
	MaxWallMS   = int64(7 * 24 * time.Hour / time.Millisecond)
	MaxMemoryMB = 1 << 20
	MaxOutput   = int64(1) << 40 // bytes of Limits.OutputBytes
	MaxSignal   = 64
	maxShort    = 256 // bytes of versions, codes and names
	maxMarks    = 256
)

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

// Validate implements the bounds of HelloParams.
func (p HelloParams) Validate() error {
	return firstError(within("version", int64(p.Version), 1, 1<<20), short("app", p.App, maxShort))
}

// Validate implements the bounds of Hello.
func (h Hello) Validate() error {
	if err := firstError(
		within("version", int64(h.Version), 1, 1<<20),
		short("agent", h.Agent, maxShort), short("bootId", h.BootID, maxShort), short("kernel", h.Kernel, maxShort),
		within("capabilities", int64(len(h.Capabilities)), 0, maxMarks),
		within("marksMs", int64(len(h.MarksMS)), 0, maxMarks),
		within("errors", int64(len(h.Errors)), 0, maxMarks),
	); err != nil {
		return err
	}
	for _, c := range h.Capabilities {
		if err := short("capabilities", c, maxShort); err != nil {
			return err
		}
	}
	for k := range h.MarksMS {
		if err := short("marksMs", k, maxShort); err != nil {
			return err
		}
	}
	for _, e := range h.Errors {
		if len(e) > MaxDetail {
			return invalid("errors", "%d bytes, at most %d", len(e), MaxDetail)
		}
	}
	return nil
}

// Validate implements the bounds of PrepareParams.
func (p PrepareParams) Validate() error {
	if p.UnixNano <= 0 {
		return invalid("unixNano", "%d is not a time of today", p.UnixNano)
	}
	if err := within("entropy", int64(len(p.Entropy)), MinEntropy, MaxEntropy); err != nil {
		return err
	}
	if p.Hostname != "" && !hostLabel(p.Hostname) {
		return invalid("hostname", "%q is not one label of RFC 1123", p.Hostname)
	}
	if p.Locale != "" && !localeName(p.Locale) {
		return invalid("locale", "%q is not a locale", p.Locale)
	}
	if p.TimeZone != "" && !zoneName(p.TimeZone) {
		return invalid("timeZone", "%q is not an IANA name", p.TimeZone)
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

// Validate implements the bounds of MountParams. A share may be mounted at or
// below FoldersDir and StateDir only.
func (p MountParams) Validate() error {
	if err := firstError(absolute("path", p.Path), short("kind", p.Kind, maxShort), short("export", p.Export, maxShort)); err != nil {
		return err
	}
	if p.Kind != "9p" {
		return invalid("kind", "%q is unknown", p.Kind)
	}
	if strings.ContainsAny(p.Export, ",") {
		return invalid("export", "%q contains a comma", p.Export)
	}
	if !at(p.Path, FoldersDir) && !at(p.Path, StateDir) {
		return invalid("path", "%q is not at or below %s or %s", p.Path, FoldersDir, StateDir)
	}
	if p.MSize == 0 { // the guest's default
		return nil
	}
	return within("msize", int64(p.MSize), MinMSize, MaxMSize)
}

func at(p, dir string) bool { return p == dir || strings.HasPrefix(p, dir+"/") }

// Validate implements the bounds of EchoParams: none beyond the line's.
func (p EchoParams) Validate() error { return nil }

// Validate implements the bounds of Empty: none.
func (Empty) Validate() error { return nil }

// Validate implements the bounds of Session.
func (s Session) Validate() error {
	return firstError(id("id", s.ID), optionalAbsolute("cwd", s.Cwd), environment("env", s.Env))
}

// Validate implements the bounds of SessionRef.
func (r SessionRef) Validate() error { return id("id", r.ID) }

// Validate implements the bounds of Limits.
func (l Limits) Validate() error {
	return firstError(
		within("limits.wallMs", l.WallMS, 0, MaxWallMS),
		within("limits.cpuMs", l.CPUMS, 0, MaxWallMS),
		within("limits.memoryMb", l.MemoryMB, 0, MaxMemoryMB),
		within("limits.outputBytes", l.OutputBytes, 0, MaxOutput),
	)
}

// Validate implements the bounds of ExecParams.
func (p ExecParams) Validate() error {
	if err := firstError(
		id("id", p.ID), optionalID("session", p.Session), optionalAbsolute("cwd", p.Cwd),
		environment("env", p.Env), p.Limits.Validate(),
		within("argv", int64(len(p.Argv)), 1, MaxArgs), within("stdin", int64(len(p.Stdin)), 0, MaxStdin),
	); err != nil {
		return err
	}
	if p.Argv[0] == "" {
		return invalid("argv", "the program has no name")
	}
	for _, a := range p.Argv {
		if len(a) > MaxArg || strings.IndexByte(a, 0) >= 0 {
			return invalid("argv", "a word of %d bytes is too long or contains a NUL", len(a))
		}
	}
	return nil
}

// Validate implements the bounds of ExecRef.
func (r ExecRef) Validate() error { return id("id", r.ID) }

// Validate implements the bounds of ExecWrite.
func (w ExecWrite) Validate() error {
	return firstError(id("id", w.ID), within("data", int64(len(w.Data)), 0, MaxChunk))
}

// Validate implements the bounds of ExecSignal.
func (s ExecSignal) Validate() error {
	return firstError(id("id", s.ID), within("signal", int64(s.Signal), 1, MaxSignal))
}

// Validate implements the bounds of ExecOutput.
func (o ExecOutput) Validate() error {
	if o.Stream != Stdout && o.Stream != Stderr {
		return invalid("stream", "%q is unknown", o.Stream)
	}
	return firstError(id("id", o.ID), within("data", int64(len(o.Data)), 1, MaxChunk))
}

// Validate implements the bounds of ExecResult.
func (r ExecResult) Validate() error {
	return firstError(
		id("id", r.ID),
		within("exitCode", int64(r.ExitCode), 0, 255), within("signal", int64(r.Signal), 0, MaxSignal),
		short("ended", r.Ended, maxShort),
		within("wallMs", r.WallMS, 0, 2*MaxWallMS), within("cpuMs", r.CPUMS, 0, MaxOutput),
		within("stdout", int64(len(r.Stdout)+len(r.Stderr)), 0, MaxRunOut),
	)
}

// Validate implements the bounds of ToolParams; what Params may hold is up to
// the operation.
func (p ToolParams) Validate() error {
	if err := firstError(
		id("id", p.ID), id("op", p.Op), optionalAbsolute("out", p.Out), p.Limits.Validate(),
		within("in", int64(len(p.In)), 0, MaxInputs),
	); err != nil {
		return err
	}
	for _, in := range p.In {
		if err := absolute("in", in); err != nil {
			return err
		}
	}
	return nil
}

// Validate implements the bounds of ToolResult.
func (r ToolResult) Validate() error {
	if err := firstError(id("id", r.ID), within("wallMs", r.WallMS, 0, 2*MaxWallMS), within("versions", int64(len(r.Versions)), 0, maxMarks)); err != nil {
		return err
	}
	for _, f := range r.Out {
		if err := firstError(absolute("out.path", f.Path), within("out.size", f.Size, 0, 1<<62), digest("out.sha256", f.SHA256)); err != nil {
			return err
		}
	}
	for _, p := range r.Problems {
		if err := p.Validate(); err != nil {
			return err
		}
	}
	for k, v := range r.Versions {
		if err := firstError(short("versions", k, maxShort), short("versions", v, maxShort)); err != nil {
			return err
		}
	}
	return nil
}

// Validate implements the bounds of ToolProblem.
func (p ToolProblem) Validate() error {
	if err := firstError(id("problems.code", p.Code), optionalAbsolute("problems.path", p.Path)); err != nil {
		return err
	}
	if len(p.Detail) > MaxDetail {
		return invalid("problems.detail", "%d bytes, at most %d", len(p.Detail), MaxDetail)
	}
	return nil
}

// Validate implements the bounds of ToolProgress.
func (p ToolProgress) Validate() error {
	if err := firstError(id("id", p.ID), optionalAbsolute("item", p.Item), within("total", p.Total, 0, 1<<50)); err != nil {
		return err
	}
	return within("done", p.Done, 0, p.Total)
}

// Validate implements the bounds of LogLine.
func (l LogLine) Validate() error {
	return firstError(short("level", l.Level, maxShort), within("text", int64(len(l.Text)), 0, MaxDetail))
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
