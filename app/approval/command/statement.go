package command

import (
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"piwork/pack/lazyregexp"
)

func (c *checker) stmts(list []*syntax.Stmt) {
	for _, s := range list {
		c.stmt(s)
	}
}

func (c *checker) stmt(s *syntax.Stmt) {
	if s == nil {
		return
	}
	if s.Coprocess || s.Disown {
		c.unknown()
	}
	for _, r := range s.Redirs {
		c.redirect(r)
	}
	switch x := s.Cmd.(type) {
	case nil:
	case *syntax.CallExpr:
		c.call(x)
	case *syntax.Subshell:
		c.stmts(x.Stmts)
	case *syntax.Block:
		c.stmts(x.Stmts)
	case *syntax.BinaryCmd:
		c.stmt(x.X)
		c.stmt(x.Y)
	case *syntax.IfClause:
		for ; x != nil; x = x.Else {
			c.stmts(x.Cond)
			c.stmts(x.Then)
		}
	case *syntax.WhileClause:
		c.stmts(x.Cond)
		c.stmts(x.Do)
	case *syntax.ForClause:
		c.loop(x)
	case *syntax.CaseClause:
		c.word(x.Word)
		for _, i := range x.Items {
			for _, p := range i.Patterns {
				c.word(p)
			}
			c.stmts(i.Stmts)
		}
	case *syntax.TestClause:
		c.test(x.X)
	case *syntax.TimeClause:
		c.stmt(x.Stmt)
	default: // functions, declarations, arithmetic, coprocesses
		c.unknown()
	}
}

func (c *checker) loop(x *syntax.ForClause) {
	each, ok := x.Loop.(*syntax.WordIter)
	if !ok || x.Select || x.Braces || !plainName(each.Name.Value) {
		c.unknown()
		return
	}
	v := word{one: true}
	for i, w := range c.words(each.Items) {
		if v.text = common(v.text, w.text); i == 0 {
			v.text = w.text
		}
	}
	if c.set[each.Name.Value] == 1 && v.text != "" {
		c.vars[each.Name.Value] = v
		defer delete(c.vars, each.Name.Value)
	}
	c.stmts(x.Do)
}

// assignments counts where a script sets variables, as far as that is not asked
// about anyway.
func assignments(f *syntax.File) map[string]int {
	set := map[string]int{}
	syntax.Walk(f, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign:
			if n.Name != nil {
				set[n.Name.Value]++
			}
		case *syntax.WordIter:
			set[n.Name.Value]++
		case *syntax.CallExpr: // read
			for _, w := range n.Args {
				set[w.Lit()]++
			}
		}
		return true
	})
	return set
}

// remember keeps what a statement at the top level of a script sets a variable to:
// what follows it finds the variable so.
func (c *checker) remember(s *syntax.Stmt) {
	x, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(x.Args) > 0 || len(s.Redirs) > 0 || s.Background || s.Coprocess || s.Disown {
		return
	}
	for _, a := range x.Assigns {
		if v := c.word(a.Value); v.one && c.set[a.Name.Value] == 1 {
			c.vars[a.Name.Value] = v
		}
	}
}

// test looks at [[ ]]. Its comparisons of numbers are expressions, and -v and -R
// read a subscript.
func (c *checker) test(x syntax.TestExpr) {
	switch x := x.(type) {
	case *syntax.Word:
		c.word(x)
	case *syntax.ParenTest:
		c.test(x.X)
	case *syntax.UnaryTest:
		if x.Op == syntax.TsVarSet || x.Op == syntax.TsRefVar {
			c.unknown()
		}
		c.test(x.X)
	case *syntax.BinaryTest:
		switch x.Op {
		case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
			if !numeric(x.X) || !numeric(x.Y) {
				c.unknown()
			}
		}
		c.test(x.X)
		c.test(x.Y)
	default:
		c.unknown()
	}
}

func numeric(x syntax.TestExpr) bool {
	w, ok := x.(*syntax.Word)
	return ok && number(w.Lit())
}

// plainName reports whether a variable only stores a value: neither Bash nor a program
// gives it a meaning. PATH, IFS, GIT_PAGER and RANDOM have one. Bash's own variables are
// in capitals, with two exceptions.
func plainName(name string) bool {
	if name == "histchars" || name == "auto_resume" {
		return false
	}
	return lowerName().MatchString(name) || slices.Contains(capitals, name)
}

var (
	lowerName = lazyregexp.New(`^[a-z][a-z0-9_]*$`)
	capitals  = strings.Fields("A B C D F N X BASE COUNT DEST DIR DST FILE FILES FOLDER IN NAME OUT ROOT SRC TARGET TOTAL")
)

// forPrograms are variables that a program may be started with, and their values.
var forPrograms = map[string]func() *regexp.Regexp{
	"LC_ALL": localeName, "LANG": localeName, "LC_COLLATE": localeName, "LC_CTYPE": localeName, "LC_NUMERIC": localeName,
	"TZ": lazyregexp.New(`^[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z][A-Za-z0-9_+-]*)*$`),
}

var localeName = lazyregexp.New(`^[A-Za-z][A-Za-z0-9_.@-]*$`)

// environment reports a variable that a program may be started with.
func environment(name string, value word) bool {
	values, ok := forPrograms[name]
	return ok && value.known && values().MatchString(value.text)
}

// call looks at a simple command.
func (c *checker) call(x *syntax.CallExpr) {
	args := c.words(x.Args)
	for _, a := range x.Assigns {
		value := c.word(a.Value)
		switch {
		case a.Append || a.Naked || a.Index != nil || a.Array != nil:
			c.unknown()
		case len(args) == 0 && plainName(a.Name.Value):
		case len(args) > 0 && environment(a.Name.Value, value):
		case len(args) > 0 && args[0].known && args[0].text == "read" && a.Name.Value == "IFS" && value.known:
		default:
			c.unknown()
		}
	}
	if len(args) > 0 {
		c.command(args)
	}
}

// redirect looks at a redirection.
func (c *checker) redirect(r *syntax.Redirect) {
	if r.N != nil && !number(r.N.Value) { // {name}> sets a variable
		c.unknown()
	}
	to := c.word(r.Word)
	c.word(r.Hdoc)
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
	case syntax.RdrIn:
		if !named(to) {
			c.unknown()
		}
	case syntax.DplIn, syntax.DplOut:
		if n := strings.TrimSuffix(to.text, "-"); to.known && (to.text == "-" || number(n)) {
			return
		}
		c.output(to, Overwrite)
	case syntax.RdrOut, syntax.RdrClob, syntax.RdrAll:
		c.output(to, Overwrite)
	case syntax.AppOut, syntax.AppAll, syntax.RdrInOut:
		c.output(to, Change)
	default:
		c.unknown()
	}
}

// named reports a file that is read from: Bash connects where it is told to read from
// /dev/tcp or /dev/udp.
func named(w word) bool {
	switch {
	case strings.HasPrefix(w.text, "/dev/tcp/"), strings.HasPrefix(w.text, "/dev/udp/"):
		return false
	case w.known, strings.HasPrefix(w.text, "/dev/fd/"):
		return true
	}
	return w.text != "" && (w.text[0] == '/' || w.text[0] == '.') && !strings.HasPrefix("/dev/", w.text) && !strings.HasPrefix(w.text, "/dev/")
}

// output looks at a file that is written. Of the devices only /dev/null is none:
// /dev/stdin is whatever was opened there.
func (c *checker) output(to word, effect string) {
	switch {
	case to.known && to.text == "/dev/null":
	case c.isScratch(to):
		c.note(Write)
	default:
		c.note(effect, to)
		if !to.known || strings.HasPrefix(to.text, "/dev/") {
			c.unknown()
		}
	}
}
