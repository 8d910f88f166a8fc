package command

import "strings"

// options are those of a program that only read. In the tables they stand as
//
//	-a         a flag, which may stand with others behind one dash
//	-n:        one with a value, in the same word or the next
//	--all      a long flag
//	--width=   a long one with a value, in the same word or the next
//	--color?   a long one that may have a value in the same word
//	-#         a number behind a dash
//
//	-layout    a word with one dash, "-enc:" with a value in the next
//	=          no letters behind one dash are put together: they would be such a word
//
// Abbreviations are not known: --outp could be --output.
type options struct {
	short map[byte]bool   // with a value or not
	long  map[string]byte // 0, or the last character of the table
	whole map[string]bool // with a value or not
	count bool
	exact bool
}

// optionsOf reads a list of a table.
func optionsOf(list string) options {
	o := options{short: map[byte]bool{}, long: map[string]byte{}, whole: map[string]bool{}}
	for _, f := range strings.Fields(list) {
		switch {
		case f == "-#":
			o.count = true
		case f == "=":
			o.exact = true
		case strings.HasPrefix(f, "--"):
			name := strings.TrimRight(f, "=?")
			kind := byte(0)
			if name != f {
				kind = f[len(f)-1]
			}
			o.long[name] = kind
		case strings.HasSuffix(f, ":") && len(f) == 3:
			o.short[f[1]] = true
		case len(f) == 2:
			o.short[f[1]] = false
		default:
			o.whole[strings.TrimSuffix(f, ":")] = strings.HasSuffix(f, ":")
		}
	}
	return o
}

// given are the arguments of a program, sorted.
type given struct {
	operands []word
	options  map[string][]word // values by name; of a flag they are empty
	many     bool              // an operand may be several, or none
}

// has reports whether one of the options was given.
func (g given) has(names ...string) bool {
	for _, n := range names {
		if _, ok := g.options[n]; ok {
			return true
		}
	}
	return false
}

// values are those of options.
func (g given) values(names ...string) []word {
	var out []word
	for _, n := range names {
		out = append(out, g.options[n]...)
	}
	return out
}

func (g given) add(name string, value word) { g.options[name] = append(g.options[name], value) }

// sort sorts arguments, as GNU programs do: options may stand behind operands. It
// reports false when something is not in the table, or may not be.
func (o options) sort(args []word) (g given, ok bool) {
	g.options = map[string][]word{}
	operand := func(w word) {
		g.operands = append(g.operands, w)
		g.many = g.many || !w.one
	}
	for i := 0; i < len(args); i++ {
		w := args[i]
		next := func(name string) bool { // the value in the next word
			if i++; i >= len(args) || !args[i].one {
				return false
			}
			g.add(name, args[i])
			return true
		}
		ok := true
		switch {
		case w.known && w.text == "--":
			for _, w := range args[i+1:] {
				operand(w)
			}
			return g, true
		case w.operand():
			operand(w)
		case !w.one:
			ok = false
		case strings.HasPrefix(w.text, "--"):
			ok = o.longOption(g, w, next)
		case !w.known:
			ok = false
		case o.count && number(w.text[1:]):
		default:
			ok = o.shortOptions(g, w.text, next)
		}
		if !ok {
			return g, false
		}
	}
	return g, true
}

func (o options) longOption(g given, w word, next func(string) bool) bool {
	name, value, attached := strings.Cut(w.text, "=")
	kind, listed := o.long[name]
	switch {
	case !listed || !w.known && !attached || kind == 0 && attached:
		return false
	case attached:
		g.add(name, word{known: w.known, one: true, text: value})
	case kind == '=':
		return next(name)
	default:
		g.add(name, word{})
	}
	return true
}

// shortOptions takes what stands behind one dash.
func (o options) shortOptions(g given, text string, next func(string) bool) bool {
	if takes, listed := o.whole[text]; listed {
		if takes {
			return next(text)
		}
		g.add(text, word{})
		return true
	}
	for i := 1; i < len(text); i++ {
		takes, listed := o.short[text[i]]
		name := "-" + text[i:i+1]
		switch {
		case !listed || o.exact && len(text) > 2:
			return false
		case !takes:
			g.add(name, word{})
		case i+1 < len(text):
			g.add(name, literal(text[i+1:]))
			return true
		default:
			return next(name)
		}
	}
	return true
}
