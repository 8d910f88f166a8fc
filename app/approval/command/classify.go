package command

import (
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// Effects of a command beyond reading.
const (
	Write     = "write"     // makes something new, or changes what is the task's own
	Delete    = "delete"    // deletes files
	Move      = "move"      // moves or renames files
	Overwrite = "overwrite" // writes over files
	Change    = "change"    // changes files in place
	Network   = "network"   // reaches other computers
	Install   = "install"   // installs programs in the machine
	System    = "system"    // changes the machine itself, such as its processes
	Unknown   = "unknown"   // cannot be told from its text
)

// Bounds of what is looked at. A longer command is asked about.
const (
	maxText    = 32 << 10 // bytes
	maxNested  = 200      // openings of brackets, which the parser follows one in another
	maxDepth   = 8        // commands in commands: bash -c, xargs, find -exec
	maxTargets = 50
)

// scratch are the places that belong to the task alone.
var scratch = []string{"/work", "/tmp", "/var/tmp", "/state/results"}

// Verdict is what a command does.
type Verdict struct {
	Effects []string // sorted; none of a command that only reads
	Targets []string // what it does that to, as the command writes it; at most 50
}

// Silent reports that nobody has to be asked.
func (v Verdict) Silent() bool {
	return !slices.ContainsFunc(v.Effects, func(e string) bool { return e != Write })
}

// Classify judges a command that Bash is given as one text, in the directory dir. It
// may be called from several goroutines at once, and takes time in proportion to
// the text, which is looked at up to 32 KiB.
func Classify(text, dir string) Verdict {
	v, moved := classify(text, dir, 0)
	if moved { // then relative names are of a directory that nobody knows
		v, _ = classify(text, "", 0)
	}
	return v
}

func classify(text, dir string, depth int) (v Verdict, moved bool) {
	c := &checker{dir: dir, depth: depth, effects: map[string]bool{}}
	defer func() {
		if recover() != nil { // a fault of the parser ends no other task
			v = Verdict{Effects: []string{Unknown}}
		}
	}()
	c.script(text)
	return Verdict{Effects: slices.Sorted(maps.Keys(c.effects)), Targets: c.targets}, c.moved
}

// readable reports that Bash and the parser read the same in a text. Of carriage
// returns, NUL and the like they do not, nor of a backslash at the end of a comment: to
// Bash the comment ends there, and what follows runs.
func readable(text string) bool {
	if len(text) > maxText || !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool {
		return r < ' ' && r != '\n' && r != '\t' || r == 0x7f
	}) {
		return false
	}
	if strings.Contains(text, "#") && strings.Contains(text, "\\\n") {
		return false
	}
	return strings.Count(text, "(")+strings.Count(text, "{")+strings.Count(text, "[") <= maxNested
}

// checker collects what a command does.
type checker struct {
	dir     string // "" when it is not known
	depth   int    // of commands in commands
	source  string
	vars    map[string]word // variables whose value is known from here on
	set     map[string]int  // how often a script sets a variable
	moved   bool            // the directory is changed on the way
	effects map[string]bool
	targets []string
}

// note adds an effect.
func (c *checker) note(effect string, targets ...word) {
	c.effects[effect] = true
	for _, t := range targets {
		if len(c.targets) < maxTargets && !slices.Contains(c.targets, t.source) {
			c.targets = append(c.targets, t.source)
		}
	}
}

// unknown says that something cannot be told.
func (c *checker) unknown() { c.note(Unknown) }

func (c *checker) script(text string) {
	if !readable(text) || c.depth > maxDepth {
		c.unknown()
		return
	}
	f, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		c.unknown()
		return
	}
	outer := *c
	c.source, c.vars, c.set = text, map[string]word{}, assignments(f)
	c.depth++
	for _, s := range f.Stmts {
		c.stmt(s)
		c.remember(s)
	}
	c.depth--
	c.source, c.vars, c.set = outer.source, outer.vars, outer.set
}

// isScratch reports whether a word is a path below a place of the task's own.
func (c *checker) isScratch(w word) bool { return len(c.scratchPath(w)) > 0 }

// scratchPath are the components of such a path below its place, nil for others.
func (c *checker) scratchPath(w word) []string {
	name := w.text
	if !w.known || name == "" {
		return nil
	}
	if name[0] != '/' {
		if c.dir == "" {
			return nil
		}
		name = c.dir + "/" + name
	}
	if path.Clean(name) != name || strings.Contains(name, "..") {
		return nil
	}
	for _, s := range scratch {
		if rest, ok := strings.CutPrefix(name, s+"/"); ok {
			return strings.Split(rest, "/")
		}
	}
	return nil
}
