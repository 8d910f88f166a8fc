package command

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// word is one word of a command, as far as the text says what becomes of it.
type word struct {
	known  bool   // it is text, exactly
	one    bool   // it becomes one word, not several and not none
	text   string // what it is; of one that is not known, what it surely begins with
	source string // as it was written, for people
}

// literal is a word that is known.
func literal(text string) word { return word{known: true, one: true, text: text, source: text} }

// anything stands for words that the text does not contain, such as those xargs reads.
var anything = word{source: "…"}

// operand reports that no program takes the word for an option.
func (w word) operand() bool {
	if w.known {
		return w.text == "" || w.text == "-" || w.text[0] != '-'
	}
	return w.text != "" && w.text[0] != '-'
}

// file reports that a program which knows other places than files, by "host:path"
// or "coder:name", takes the word for a file.
func (w word) file() bool {
	colon, slash := strings.IndexByte(w.text, ':'), strings.IndexByte(w.text, '/')
	switch {
	case !w.operand() || strings.HasPrefix(w.text, "@") || strings.HasPrefix(w.text, "|"):
		return false
	case slash >= 0 && (colon < 0 || slash < colon):
		return true
	}
	return w.known && colon < 0
}

// words are the words of a command.
func (c *checker) words(list []*syntax.Word) []word {
	out := make([]word, 0, len(list))
	for _, w := range list {
		out = append(out, c.word(w))
	}
	return out
}

// word looks at a word, and at the commands in it.
func (c *checker) word(w *syntax.Word) word {
	b := builder{c: c, word: word{known: true, one: true}}
	if w == nil {
		return b.word
	}
	if w.Lit() == "[" { // the program, and no pattern
		return literal("[")
	}
	for _, p := range w.Parts {
		b.part(p, false)
	}
	b.text = string(b.buf)
	if from, to := int(w.Pos().Offset()), int(w.End().Offset()); from <= to && to <= len(c.source) {
		b.source = c.source[from:to]
	}
	return b.word
}

type builder struct {
	c *checker
	word
	buf   []byte // becomes its text
	fixed bool   // that does not grow any more
	begun bool   // something stood before
}

func (b *builder) add(s string) {
	if !b.fixed {
		b.buf = append(b.buf, s...)
	}
	b.begun = true
}

// open marks the rest of the word as unknown.
func (b *builder) open() { b.known, b.fixed, b.begun = false, true, true }

// split says that it may become several words, and what the others begin with is
// not known.
func (b *builder) split() {
	b.open()
	b.one, b.buf = false, nil
}

func (b *builder) part(p syntax.WordPart, quoted bool) {
	switch p := p.(type) {
	case *syntax.Lit:
		if quoted {
			b.add(unescape(p.Value))
		} else {
			b.literal(p.Value)
		}
	case *syntax.SglQuoted:
		if p.Dollar && strings.Contains(p.Value, `\`) {
			b.open()
			return
		}
		b.add(p.Value)
	case *syntax.DblQuoted:
		if p.Dollar { // a translation is looked up, and expanded
			b.c.unknown()
		}
		b.add("")
		for _, q := range p.Parts {
			b.part(q, true)
		}
	case *syntax.ParamExp:
		if b.c.param(p) && b.variable(p.Param.Value, quoted) {
			return
		}
		if !quoted || p.Param != nil && p.Param.Value == "@" {
			b.split()
		} else {
			b.open()
		}
	case *syntax.CmdSubst:
		b.c.substitution(p)
		if quoted {
			b.open()
		} else {
			b.split()
		}
	case *syntax.ArithmExp:
		if p.Bracket || p.Unsigned || !constant(p.X) {
			b.c.unknown()
		}
		b.open()
	case *syntax.ProcSubst:
		if p.Op != syntax.CmdIn {
			b.c.unknown()
		}
		b.c.stmts(p.Stmts)
		b.add("/dev/fd/")
		b.open()
	default: // extended patterns and what is new
		b.open()
		b.one = false
	}
}

// variable takes the value of one that is known (see [checker.remember]).
func (b *builder) variable(name string, quoted bool) bool {
	v, ok := b.c.vars[name]
	switch {
	case !ok || !quoted && (!v.known || v.text == "" || strings.ContainsAny(v.text, " \t\n*?[\\")):
		return false
	case v.known:
		b.add(v.text)
	default:
		b.add(v.text)
		b.open()
	}
	return true
}

// literal takes text without quotes: a backslash keeps what follows, patterns and
// braces become several words, a tilde a directory.
func (b *builder) literal(s string) {
	for i := 0; i < len(s); i++ {
		switch ch := s[i]; {
		case ch == '\\':
			if i++; i < len(s) {
				b.add(s[i : i+1])
			}
		case ch == '~' && !b.begun:
			b.add("~")
			b.open()
		case ch == '{' && i+1 < len(s) && s[i+1] == '}': // find's {}
			b.add("{}")
			i++
		case strings.IndexByte("*?[{", ch) >= 0:
			b.open()
			b.one = false
		default:
			b.add(s[i : i+1])
		}
	}
}

// unescape takes text between double quotes.
func unescape(s string) string {
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("\\\"$`", s[i+1]) >= 0 {
			i++
		}
		out.WriteByte(s[i])
	}
	return out.String()
}

func (c *checker) substitution(s *syntax.CmdSubst) {
	if s.Backquotes || s.TempFile || s.ReplyVar { // quotes within backquotes are read twice
		c.unknown()
	}
	c.stmts(s.Stmts)
}

// param looks at an expansion of a variable, and reports whether it is nothing but
// its value. ${x@P} runs what x says, and so does everything with a subscript or an
// expression in it.
func (c *checker) param(p *syntax.ParamExp) (plain bool) {
	if p.Flags != nil || p.Excl || p.Width || p.IsSet || p.Split != 0 || p.GlobSubst != 0 || p.RcExpand != 0 || p.Param == nil ||
		p.NestedParam != nil || p.Index != nil || len(p.Modifiers) > 0 || p.Slice != nil || p.Names != 0 {
		c.unknown()
		return false
	}
	if p.Repl != nil {
		c.word(p.Repl.Orig)
		c.word(p.Repl.With)
	}
	if p.Exp == nil {
		return p.Repl == nil && !p.Length
	}
	switch p.Exp.Op {
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull, syntax.DefaultUnset, syntax.DefaultUnsetOrNull,
		syntax.RemSmallSuffix, syntax.RemLargeSuffix, syntax.RemSmallPrefix, syntax.RemLargePrefix,
		syntax.UpperFirst, syntax.UpperAll, syntax.LowerFirst, syntax.LowerAll:
		c.word(p.Exp.Word)
	default:
		c.unknown()
	}
	return false
}

// constant reports an expression of numbers alone: Bash evaluates what a variable
// says, with the commands in it.
func constant(x syntax.ArithmExpr) bool {
	switch x := x.(type) {
	case *syntax.Word:
		return number(x.Lit())
	case *syntax.ParenArithm:
		return constant(x.X)
	case *syntax.UnaryArithm:
		return x.Op != syntax.Inc && x.Op != syntax.Dec && constant(x.X)
	case *syntax.BinaryArithm:
		return constant(x.X) && constant(x.Y)
	}
	return false
}

func number(s string) bool {
	return s != "" && len(s) < 19 && strings.Trim(s, "0123456789") == ""
}
