package command

import (
	"slices"
	"strings"

	"piwork/pack/lazyregexp"
)

// printf prints; with -v it sets a variable, and with %n too.
func printf(_ *checker, args []word) bool {
	if len(args) > 0 && args[0].known && args[0].text == "--" {
		args = args[1:]
	}
	return len(args) > 0 && args[0].known && args[0].operand() && printfFormat().MatchString(args[0].text)
}

var printfFormat = lazyregexp.New(`^([^%]|%%|%[-+ #0']*(\*|[0-9]*)(\.(\*|[0-9]*))?[bqdiouxXeEfFgGcs])*$`)

// Operators of test. -v reads a subscript, in which commands run.
var (
	unaryTests  = strings.Fields("-e -f -d -r -w -x -s -z -n -L -h -p -S -b -c -t -O -G -N")
	binaryTests = strings.Fields("= == != < > -eq -ne -lt -le -gt -ge -nt -ot -ef")
)

// test allows what Bash decides by the number of its arguments: with two the first
// is the operator, with three the second.
func test(_ *checker, args []word) bool {
	if slices.ContainsFunc(args, func(w word) bool { return !w.one }) {
		return false
	}
	is := func(w word, list []string) bool { return w.known && slices.Contains(list, w.text) }
	if len(args) > 1 && args[0].known && args[0].text == "!" {
		args = args[1:]
	}
	switch len(args) {
	case 0, 1:
		return true
	case 2:
		return is(args[0], unaryTests)
	case 3:
		return is(args[1], binaryTests)
	}
	return false
}

func bracket(c *checker, args []word) bool {
	n := len(args) - 1
	return n >= 0 && args[n].known && args[n].text == "]" && test(c, args[:n])
}

var readOptions = optionsOf(`-r -s -d: -n: -N: -t: -u:`)

// read sets variables. A name with a subscript would be evaluated; one that stands
// there in another way than plainly is not seen by [assignments].
func read(_ *checker, args []word) bool {
	g, ok := readOptions.sort(args)
	return ok && !slices.ContainsFunc(g.operands, func(w word) bool { return !w.known || w.source != w.text || !plainName(w.text) })
}

var setOption = lazyregexp.New(`^[-+][eufx]*o?$`)

// set allows what makes a script stop, or say what it does.
func set(_ *checker, args []word) bool {
	for i := 0; i < len(args); i++ {
		if !args[i].known || !setOption().MatchString(args[i].text) {
			return false
		}
		if strings.HasSuffix(args[i].text, "o") {
			if i++; i >= len(args) || !args[i].known || !slices.Contains([]string{"pipefail", "errexit", "nounset", "noglob", "xtrace"}, args[i].text) {
				return false
			}
		}
	}
	return len(args) > 0
}

// shopt allows how patterns are taken: with others Bash would read what follows in
// another way than the parser did.
func shopt(_ *checker, args []word) bool {
	return len(args) > 1 && args[0].known && (args[0].text == "-s" || args[0].text == "-u") &&
		!slices.ContainsFunc(args[1:], func(w word) bool {
			return !w.known || !slices.Contains([]string{"nullglob", "globstar", "dotglob", "nocaseglob", "failglob"}, w.text)
		})
}

func none(_ *checker, args []word) bool { return len(args) == 0 }

// makes is a program that can only make what was not there.
func makes(c *checker, _ []word) bool {
	c.note(Write)
	return true
}

func processes(c *checker, _ []word) bool {
	c.note(System)
	return true
}

// started looks at the command that a program starts.
func (c *checker) started(args []word) bool {
	if len(args) > 0 {
		c.command(args)
	}
	return len(args) > 0
}

// leading takes the options of a program that starts another: they end at its
// name.
func (o options) leading(args []word) (rest []word, ok bool) {
	for i := 0; i < len(args); i++ {
		w := args[i]
		switch {
		case !w.known:
			return nil, false
		case w.text == "--":
			return args[i+1:], true
		case w.operand():
			return args[i:], true
		}
		n := 1 // words of the option
		if _, fits := o.sort(args[i : i+1]); !fits {
			n = 2
		}
		if i+n > len(args) {
			return nil, false
		}
		if _, fits := o.sort(args[i : i+n]); !fits {
			return nil, false
		}
		i += n - 1
	}
	return nil, true
}

var timeoutOptions = optionsOf(`-k: -s: -v --kill-after= --signal= --foreground --preserve-status --verbose`)

func timeout(c *checker, args []word) bool {
	rest, ok := timeoutOptions.leading(args)
	return ok && len(rest) > 1 && rest[0].known && c.started(rest[1:])
}

var niceOptions = optionsOf(`-n: --adjustment=`)

func nice(c *checker, args []word) bool {
	rest, ok := niceOptions.leading(args)
	return ok && c.started(rest)
}

var stdbufOptions = optionsOf(`-i: -o: -e: --input= --output= --error=`)

func stdbuf(c *checker, args []word) bool {
	rest, ok := stdbufOptions.leading(args)
	return ok && c.started(rest)
}

// env prints its variables, or sets harmless ones for a program. Its options are
// asked about: one of them splits a text into a command.
func env(c *checker, args []word) bool {
	for len(args) > 0 {
		name, value, ok := strings.Cut(args[0].text, "=")
		if !args[0].known || !ok {
			break
		}
		if !environment(name, literal(value)) {
			return false
		}
		args = args[1:]
	}
	return len(args) == 0 || args[0].known && args[0].operand() && c.started(args)
}

// commandWord is Bash's command.
func commandWord(c *checker, args []word) bool {
	if len(args) > 0 && args[0].known && (args[0].text == "-v" || args[0].text == "-V") {
		return true
	}
	return len(args) > 0 && args[0].known && args[0].operand() && c.started(args)
}

// bash allows a script that stands in the command.
func bash(c *checker, args []word) bool {
	if len(args) != 2 || !args[0].known || args[0].text != "-c" || !args[1].known {
		return false
	}
	c.script(args[1].text)
	return true
}

var xargsOptions = optionsOf(`-0 -r -t -n: -L: -P: -d: -I: -s: --null --no-run-if-empty --max-args= --max-procs= --delimiter=`)

// xargs starts a program with words from elsewhere, so it has to be one that is
// harmless with any.
func xargs(c *checker, args []word) bool {
	rest, ok := xargsOptions.leading(args)
	if !ok {
		return false
	}
	if len(rest) == 0 {
		return true // echo
	}
	g, ok := xargsOptions.sort(args[:len(args)-len(rest)])
	if !ok {
		return false
	}
	marks := g.values("-I")
	switch {
	case len(marks) == 0:
		return c.started(append(slices.Clone(rest), anything))
	case len(marks) > 1 || !marks[0].known || marks[0].text == "":
		return false
	}
	return c.started(replaced(rest, marks[0].text, word{one: true, source: marks[0].text}))
}

// replaced are the words of a command in which a mark stands for something else.
func replaced(args []word, mark string, by word) []word {
	out := slices.Clone(args)
	for i, w := range out {
		before, _, ok := strings.Cut(w.text, mark)
		switch {
		case !w.known && strings.Contains(w.source, mark):
			out[i] = word{source: w.source}
		case !ok:
		case before == "":
			out[i] = word{one: by.one, text: by.text, source: w.source}
		default:
			out[i] = word{one: by.one, text: before, source: w.source}
		}
	}
	return out
}
