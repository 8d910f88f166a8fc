package words

import (
	"cmp"
	"strconv"
	"strings"
	"text/template"

	"golang.org/x/text/number"

	"piwork/pack/lazyregexp"
)

// funcs are what a text may call; $ stands for its parameters.
func (c *Catalogue) funcs() template.FuncMap {
	return template.FuncMap{
		"quote":   c.quote,   // quote .name: “name”
		"word":    asWord,    // word .id: it, as one word of a command that is to be typed
		"path":    plainPath, // path .program: it, where it stands for itself in a file of a system's rules
		"number":  c.number,  // number .count: 12,431
		"bytes":   c.bytes,   // bytes .freeBytes: 3.1 MB
		"seconds": c.seconds, // seconds .slowMs: 1.2 seconds
		// file $ "A file": “a.jpg”, by the parameter path or out
		"file": func(p params, otherwise string) string {
			whole := cmp.Or(p["path"], p["out"])
			if p[pathsMark] == "" {
				whole = name(whole)
			}
			return c.quoteOr(whole, otherwise)
		},
		// folder $ "this folder": the first of the parameter folders
		"folder": func(p params, otherwise string) string {
			first, _, _ := strings.Cut(p["folders"], ", ")
			return c.quoteOr(first, otherwise)
		},
		// say $ "kept": another text, say.kept
		"say": func(p params, id string) string { return c.text("say."+id, p) },
		// cause $ "transfer" "channel": cause.transfer.CAUSE, or cause.channel.CAUSE, and a space;
		// of a proof boot by the stage that failed
		"cause": func(p params, tables ...string) string {
			for _, table := range tables {
				for _, code := range []string{p["cause"], p["stage"]} {
					if s := c.text("cause."+table+"."+code, p); s != "" {
						return s + " "
					}
				}
			}
			return ""
		},
		// name $ "product" "outer": the name of the code in the parameter outer, names.product.CODE;
		// what follows a colon of it is a name that a person gave
		"name": func(p params, table, param string) string {
			code, given, _ := strings.Cut(p[param], ":")
			return c.text("names."+table+"."+code, params{"name": given})
		},
		// names $ "receipt" "unsure": the same of a list
		"names": func(p params, table, param string) string {
			var all []string
			for code := range strings.SplitSeq(p[param], ", ") {
				if s := c.text("names."+table+"."+code, nil); s != "" {
					all = append(all, s)
				}
			}
			return strings.Join(all, ", ")
		},
		// count .files "file": 3 files, by count.file
		"count": func(n, noun string) string {
			return c.number(n) + " " + c.text("count."+noun, params{"count": n})
		},
	}
}

// Words of command lines: as they are, and in quotation marks. What no shell of any system gives
// another meaning is in them.
var (
	word   = lazyregexp.New(`^[0-9A-Za-z~/][0-9A-Za-z._:/@+-]*$`)
	quoted = lazyregexp.New(`^[\p{L}\p{N}*~/][\p{L}\p{M}\p{N} ._:/@+*~,-]*$`)
)

// asWord is a text as one word of a command line. Who types it types nothing else: a name that
// would be more than a word, an option or another command is left out.
func asWord(s string) string {
	switch {
	case s == "" || word().MatchString(s):
		return s
	case quoted().MatchString(s):
		return `"` + s + `"`
	}
	return "…"
}

// plainPath is a path without a sign that means something else than itself between quotation
// marks in a profile of AppArmor (apparmor.d(5)); "" for another one.
func plainPath(p string) string {
	if !strings.HasPrefix(p, "/") || strings.ContainsAny(p, "\"\\*?[]{}^$@,#\n…") {
		return ""
	}
	return p
}

func (c *Catalogue) quoteOr(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return c.quote(s)
}

func (c *Catalogue) quote(s string) string {
	if c.Language == "de" {
		return "„" + s + "“"
	}
	return "“" + s + "”"
}

func (c *Catalogue) number(s string) string {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return s
	}
	return c.numbers.Sprint(number.Decimal(n))
}

// Bytes says a size as people do: 3.1 MB.
func (c *Catalogue) Bytes(n int64) string { return c.bytes(strconv.FormatInt(n, 10)) }

// bytes is Bytes of a parameter.
func (c *Catalogue) bytes(s string) string {
	n, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return s
	}
	units := []string{"B", "kB", "MB", "GB", "TB"}
	i := 0
	for n >= 1000 && i < len(units)-1 {
		n, i = n/1000, i+1
	}
	digits := 0
	if n < 10 && i > 0 {
		digits = 1
	}
	return c.numbers.Sprint(number.Decimal(n, number.MaxFractionDigits(digits))) + " " + units[i]
}

// seconds says milliseconds.
func (c *Catalogue) seconds(s string) string {
	ms, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return s
	}
	return c.numbers.Sprint(number.Decimal(ms/1000, number.MaxFractionDigits(1))) + " s"
}
