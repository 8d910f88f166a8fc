package words

import (
	"fmt"
	"math"
	"path"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/feature/plural"
)

// params are what a text is about, as strings: some come from the workroom, or from
// files that strangers named.
type params map[string]string

// Bounds of parameters.
const (
	maxParam = 300  // characters
	maxPath  = 4096 // of it on a command line, where paths are copied
	maxList  = 20   // elements of a list
	listMark = "\x00"
)

// folders is where the workroom has a task's folders, which no person is told.
const folders = "/folders/"

// clean makes strings of parameters that are safe to show: without what could steer a
// terminal or turn the direction of writing, and bounded.
func (c *Catalogue) clean(in map[string]any) params {
	out, most := make(params, len(in)+1), maxParam
	if c.paths {
		most, out[pathsMark] = maxPath, "yes"
	}
	for name, value := range in {
		if s := shown(value, most); s != "" {
			out[name] = s
		}
	}
	return out
}

const pathsMark = "\x00paths"

// shown writes one value; a list is parted by listMark until it is said.
func shown(value any, most int) string {
	switch value := value.(type) {
	case nil:
		return ""
	case string:
		return cut(strings.TrimPrefix(value, folders), most)
	case bool:
		if value {
			return "true"
		}
		return ""
	case float64: // as JSON makes every number
		if value == math.Trunc(value) && math.Abs(value) < 1<<53 {
			return strconv.FormatInt(int64(value), 10)
		}
		return strconv.FormatFloat(value, 'f', 1, 64)
	case []string:
		return list(len(value), most, func(i int) any { return value[i] })
	case []any:
		return list(len(value), most, func(i int) any { return value[i] })
	case map[string]any:
		return "" // no text is about one
	default:
		return cut(fmt.Sprint(value), most)
	}
}

func list(n, most int, at func(int) any) string {
	var all []string
	for i := range min(n, maxList) {
		if s := shown(at(i), most); s != "" {
			all = append(all, s)
		}
	}
	if n > maxList {
		all = append(all, "…")
	}
	return strings.Join(all, ", ")
}

// oneLine makes a text of others safe to stand in a sentence: on one line, and bounded.
func oneLine(s string) string { return cut(s, maxParam) }

func cut(s string, most int) string {
	s = Printable(strings.ReplaceAll(s, "\n", " "))
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most-1]) + "…"
}

// Printable makes a name safe to show: what could steer a terminal, or turn the
// direction of writing, becomes an escape.
func Printable(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError }) < 0 {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r == '\t':
			b.WriteByte(' ')
		default:
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
		s = s[n:]
	}
	return b.String()
}

// name is the last part of a path of any system; "" where it has none.
func name(p string) string {
	p = path.Base(strings.ReplaceAll(p, `\`, "/"))
	if p == "." || p == "/" {
		return ""
	}
	return p
}

// form is the plural form that a number takes.
func (c *Catalogue) form(count string) plural.Form {
	n, err := strconv.Atoi(count)
	if err != nil {
		return plural.Other
	}
	return plural.Cardinal.MatchPlural(c.tag, n, 0, 0, 0, 0)
}
