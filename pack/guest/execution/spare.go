package execution

import (
	_ "embed"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// spareScript is preloaded into a Node that waits.
//
//go:embed spare.cjs
var spareScript []byte

// Kinds of a nodeOrder.
const (
	nodeScript = "script" // node FILE
	nodeEval   = "eval"   // node -e CODE, node -p CODE
	nodeStdin  = "stdin"  // node, node -
)

// nodeOrder is what a waiting Node becomes. Nothing in it contains NUL.
type nodeOrder struct {
	Mode     string
	Script   string // absolute
	Code     string
	Print    bool
	Argv     []string // process.argv without its first
	ExecArgv []string // process.execArgv
	Cwd      string   // "" is where it is
	Env      []string // names and values in turn; none is as it was started with
	Seed     uint32   // of Math.random, 1 to 1<<31-1
	Skip     uint32   // how far V8's own generator is moved on
}

// encode writes lists of words, each after its length, with NUL between: that
// is the quickest to read for who waits.
func (o nodeOrder) encode() []byte {
	printed := ""
	if o.Print {
		printed = "1"
	}
	var words []string
	for _, list := range [][]string{
		{o.Mode, o.Script, o.Code, printed, o.Cwd, strconv.FormatUint(uint64(o.Seed), 10), strconv.FormatUint(uint64(o.Skip), 10)},
		o.Argv, o.ExecArgv, o.Env,
	} {
		words = append(append(words, strconv.Itoa(len(list))), list...)
	}
	return []byte(strings.Join(words, "\x00"))
}

// orderFor reads a command line as Node does. It returns false for what a Node
// that runs already cannot become exactly: options that Node reads while it
// starts, a limit of memory, after which V8 sizes its heap, and variables that
// Node, the C library or what kit loads read only once and that are not as in
// base.
func orderFor(p Program, base []string, scripts map[string]string, kit *Kit) (nodeOrder, bool) {
	argv := p.Argv
	if script := scripts[argv[0]]; script != "" { // #!/usr/bin/env node
		argv = append([]string{"node", script}, argv[1:]...)
	}
	if argv[0] != "node" || p.Limits.Memory > 0 {
		return nodeOrder{}, false
	}
	o := nodeOrder{Cwd: p.Cwd}
	var ok bool
	if o.Env, ok = spareEnvironment(p.Env, base, kit.once); !ok {
		return nodeOrder{}, false
	}
	return o, o.read(argv[1:]) && kit.fits(o)
}

// read takes Node's arguments.
func (o *nodeOrder) read(args []string) bool {
	first := ""
	if len(args) > 0 {
		first = args[0]
	}
	switch {
	case len(args) == 0 || first == "-":
		o.Mode, o.Argv = nodeStdin, append(o.Argv, args...)
	case slices.Contains([]string{"-e", "--eval", "-p", "--print", "-pe"}, first):
		if len(args) < 2 || args[1] == "" || strings.HasPrefix(args[1], "-") {
			return false
		}
		rest := args[2:]
		if len(rest) > 0 && strings.HasPrefix(rest[0], "-") { // an option of Node's
			return false
		}
		o.Mode, o.Code, o.Print = nodeEval, args[1], strings.Contains(first, "p")
		o.ExecArgv, o.Argv = append(o.ExecArgv, args[:2]...), append(o.Argv, rest...)
	case first == "" || first == "inspect" || strings.HasPrefix(first, "-"):
		return false
	default:
		o.Mode, o.Script = nodeScript, first
		if !filepath.IsAbs(first) {
			o.Script = filepath.Join(o.Cwd, first)
		}
		o.Script = filepath.Clean(o.Script)
		if strings.HasSuffix(first, "/") {
			return false
		}
		o.Argv = append(append(o.Argv, o.Script), args[1:]...)
	}
	return true
}

// readOnce are the variables, by the beginning of their names, that are read
// only while a Node starts. TZ is not among them: Node follows it.
var readOnce = []string{
	"GCONV_", "GLIBC_", "HOME", "ICU_", "LANG", "LC_", "LD_", "LOCPATH", "MALLOC_", "NLSPATH", "NODE_", "OPENSSL_", "PATH", "SSL_", "UV_",
}

// readLater begin as one of readOnce and are read whenever they are needed.
var readLater = []string{"NODE_ENV"}

// spareEnvironment splits the variables of a program, unless one that is read
// only once differs from what the waiting Node was started with. Without any
// difference there are none to set.
func spareEnvironment(words, base []string, once func(name string) bool) ([]string, bool) {
	those := func(words []string) []string {
		var some []string
		for _, w := range words {
			if name, _ := cutVariable(w); once(name) {
				some = append(some, w)
			}
		}
		slices.Sort(some)
		return some
	}
	if !slices.Equal(those(words), those(base)) {
		return nil, false
	}
	if slices.Equal(words, base) {
		return nil, true
	}
	env := make([]string, 0, 2*len(words))
	for _, w := range words {
		k, v := cutVariable(w)
		env = append(env, k, v)
	}
	return env, true
}
