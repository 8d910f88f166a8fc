package inspect

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Bounds of paths and patterns.
const (
	maxPath     = 8 << 10 // bytes
	maxSegments = 128
	maxPattern  = 512 // bytes
)

// Path is what the guest asks for, read once.
type Path struct {
	raw      string   // as it was sent
	segments []string // decoded; one with a slash in it had an escaped one
}

// sendable are the bytes of paths (RFC 3986, 3.3) that are sent on as they came. Without the
// semicolon, with which some servers begin a parameter.
const sendable = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*+,=:@%/"

var errPath = errors.New("no path that every server reads in one way")

// ParsePath reads the path of a request, without its query, as it was sent. It must begin
// with a slash, and have no segment that is empty (but the last), "." or "..", and no byte,
// escaped or not, that servers read in different ways.
func ParsePath(raw string) (Path, error) {
	if len(raw) > maxPath || !strings.HasPrefix(raw, "/") || strings.ContainsFunc(raw, func(c rune) bool { return !strings.ContainsRune(sendable, c) }) {
		return Path{}, errPath
	}
	segments := strings.Split(raw[1:], "/")
	if len(segments) > maxSegments {
		return Path{}, errPath
	}
	for i, s := range segments {
		text, err := decode(s)
		if err != nil || !plain(text) || text == "" && i < len(segments)-1 {
			return Path{}, errPath
		}
		segments[i] = text
	}
	return Path{raw: raw, segments: segments}, nil
}

// decode undoes the escapes of a segment.
func decode(s string) (string, error) {
	if !strings.Contains(s, "%") {
		return s, nil
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			out = append(out, s[i])
			continue
		}
		if i+2 >= len(s) || digit(s[i+1]) < 0 || digit(s[i+2]) < 0 {
			return "", errPath
		}
		out = append(out, byte(digit(s[i+1])<<4|digit(s[i+2])))
		i += 2
	}
	return string(out), nil
}

func digit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// plain reports whether a decoded segment is read in one way by every server.
func plain(s string) bool {
	if !utf8.ValidString(s) {
		return false
	}
	for part := range strings.SplitSeq(s, "/") { // escaped slashes that a server might undo
		if part == "." || part == ".." || part == "" && s != "" {
			return false
		}
	}
	return !strings.ContainsFunc(s, func(c rune) bool {
		return c <= ' ' || c == 0x7f || 0x80 <= c && c < 0xa0 || strings.ContainsRune(`%;\?#`, c)
	})
}

// String is the path as it was sent.
func (p Path) String() string { return p.raw }

// Pattern is what a rule is about: segments, in which * stands for any text, and ** alone
// for any number of segments.
type Pattern struct {
	text     string
	segments []string
}

// every is the segment that stands for any number of them.
const every = "**"

// ParsePattern reads a pattern: /repos/*/*/issues/**. Escapes are as in a path.
func ParsePattern(s string) (Pattern, error) {
	if len(s) > maxPattern {
		return Pattern{}, fmt.Errorf("a path of %d bytes; at most %d", len(s), maxPattern)
	}
	p, err := ParsePath(s)
	if err != nil {
		return Pattern{}, fmt.Errorf("%q is %w", s, err)
	}
	return Pattern{text: s, segments: p.segments}, nil
}

// String is the pattern as it was written.
func (p Pattern) String() string { return p.text }

// matches reports whether the pattern is about a path. loose is how rules that refuse are
// read: without a look at case and at a slash at the end, and with escaped slashes also as
// separators.
func (p Pattern) matches(path Path, loose bool) bool {
	if !loose {
		return match(p.segments, path.segments, false)
	}
	pattern, segments := bare(p.segments), bare(path.segments)
	apart := strings.Split(strings.Join(segments, "/"), "/")
	return match(pattern, segments, true) || len(apart) > len(segments) && match(pattern, apart, true)
}

func match(pattern, segments []string, loose bool) bool {
	// reached[i] says that the pattern so far is about the first i segments.
	reached := make([]bool, len(segments)+1)
	reached[0] = true
	for _, part := range pattern {
		next := make([]bool, len(segments)+1)
		for i := range reached {
			switch {
			case part != every:
				next[i] = i > 0 && reached[i-1] && glob(part, segments[i-1], loose)
			case reached[i]:
				next[i] = true
			default:
				next[i] = i > 0 && next[i-1] && (loose || !strings.Contains(segments[i-1], "/"))
			}
		}
		reached = next
	}
	return reached[len(segments)]
}

// bare leaves out the empty segment behind a slash at the end.
func bare(segments []string) []string {
	for len(segments) > 0 && segments[len(segments)-1] == "" {
		segments = segments[:len(segments)-1]
	}
	return segments
}

// glob reports whether a segment of a pattern is about a segment: * stands for any text, and
// for none with a slash unless loose.
func glob(pattern, s string, loose bool) bool {
	if loose {
		pattern, s = strings.ToLower(pattern), strings.ToLower(s)
	}
	star, mark := -1, 0
	i, j := 0, 0
	for i < len(s) {
		switch {
		case j < len(pattern) && pattern[j] == '*':
			star, mark = j, i
			j++
		case j < len(pattern) && pattern[j] == s[i]:
			i, j = i+1, j+1
		case star >= 0 && (loose || s[mark] != '/'):
			mark++
			i, j = mark, star+1
		default:
			return false
		}
	}
	for j < len(pattern) && pattern[j] == '*' {
		j++
	}
	return j == len(pattern)
}
