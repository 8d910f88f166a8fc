package parity

import (
	"context"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"piwork/pack/tools"
	"piwork/scripts/lib/tier"
	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// fake is a runtime that gives what a test wrote down.
type fake struct {
	vmhost.Runtime
	exec  func(e wire.ExecParams) (stdout, stderr string, result wire.ExecResult, err error)
	tool  func(p wire.ToolParams) (wire.ToolResult, error)
	lacks bool // operations and limits
}

func (f fake) InitData() vmhost.InitData { return vmhost.InitData{Cwd: "/elsewhere"} }

func (f fake) Capabilities() vmhost.Capabilities {
	l := vmhost.LimitSupport{CPU: true, Memory: true, Wall: true, Output: true}
	if f.lacks {
		l = vmhost.LimitSupport{}
	}
	return vmhost.Capabilities{Tools: !f.lacks, Limits: l}
}

func (f fake) Execute(_ context.Context, a vmhost.Action) (vmhost.Observation, error) {
	if a.Tool != nil {
		r, err := f.tool(*a.Tool)
		return vmhost.Observation{Tool: &r}, err
	}
	stdout, stderr, r, err := f.exec(*a.Exec)
	if a.OnOutput == nil {
		r.Stdout, r.Stderr = []byte(stdout), []byte(stderr)
	} else {
		a.OnOutput(wire.ExecOutput{Stream: wire.Stdout, Data: []byte(stdout)})
		a.OnOutput(wire.ExecOutput{Stream: wire.Stderr, Data: []byte(stderr)})
	}
	return vmhost.Observation{Exec: &r}, err
}

func TestParse(t *testing.T) {
	cases, err := parse("s", []byte(`words

-- functions --
f() { :; }
-- a script --
#: ordinary
#: env {"A": "b"}
#: stdin "x\n\x00"
#: limits {"wallMs": 5}
#: cwd /usr
echo a
# a comment
-- a program --
#: argv ["printf", ""]
-- a call --
#: tool pdf.merge
#: in ["a", "b"]
#: out c
#: params {"replace": true}
#: random
make
#: then
look
`))
	if err != nil || len(cases) != 3 {
		t.Fatalf("%+v %v", cases, err)
	}
	if c := cases[0]; c.Name != "a script" || !c.Ordinary || c.Exec.Env["A"] != "b" || c.Exec.Env["TZ"] != "UTC" || string(c.Exec.Stdin) != "x\n\x00" ||
		c.Exec.Limits.WallMS != 5 || c.Exec.Cwd != "/usr" || c.Script != "f() { :; }\necho a\n# a comment\n" || c.Subject != "s" {
		t.Errorf("%+v", c)
	}
	if c := cases[1]; c.Ordinary || !slices.Equal(c.Exec.Argv, []string{"printf", ""}) {
		t.Errorf("%+v", c)
	}
	if c := cases[2]; c.Tool == nil || c.Tool.Op != "pdf.merge" || !slices.Equal(c.Tool.In, []string{"a", "b"}) || c.Tool.Out != "c" ||
		c.Tool.Params["replace"] != true || !c.Random || c.Script != "f() { :; }\nmake\n" || c.Then != "look\n" {
		t.Errorf("%+v", c)
	}
	for name, text := range map[string]string{
		"an unknown word":             "#: sometimes\nx\n",
		"a word in the script":        "x\n#: ordinary\n",
		"nothing to run":              "#: ordinary\n",
		"a script and a program":      "#: argv [\"x\"]\ny\n",
		"a tool and a program":        "#: tool x.y\n#: argv [\"x\"]\n",
		"inputs without a tool":       "#: in [\"a\"]\nx\n",
		"a result without a tool":     "#: out a\nx\n",
		"a script after no tool call": "x\n#: then\ny\n",
		"what is no JSON":             "#: env A=b\nx\n",
		"what is no text":             "#: stdin x\nx\n",
		"an unknown member":           "#: limits {\"wall\": 5}\nx\n",
	} {
		if _, err := parse("s", []byte("-- c --\n"+text)); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

// The corpus is as large as it was promised, all of it is written down, and nothing is
// written down that is an accident.
func TestCorpus(t *testing.T) {
	cases, err := Cases()
	if err != nil {
		t.Fatal(err)
	}
	l, err := readLists()
	if err != nil {
		t.Fatal(err)
	}
	golden, known := l.golden, l.differences
	scripts, calls, called := 0, 0, map[string]bool{}
	names := map[string]bool{}
	for _, c := range cases {
		names[c.Name] = true
		got, there := golden[c.Name]
		if !there {
			t.Errorf("%s: nobody has written down what the machine gives", c.Name)
		}
		if strings.Contains(got.Stdout+got.Stderr, ": not found") && c.Subject != "refusals" && c.Name != "scripts that run" {
			t.Errorf("%s: something is missing:\n%s%s", c.Name, got.Stdout, got.Stderr)
		}
		if strings.Contains(got.Stdout+got.Stderr, "parity/") {
			t.Errorf("%s: what it prints depends on where it runs:\n%s%s", c.Name, got.Stdout, got.Stderr)
		}
		if c.Tool == nil {
			scripts++
			continue
		}
		calls++
		called[c.Tool.Op] = true
		op, found := tools.Find(c.Tool.Op)
		if !found {
			if got.Refused != string(vmhost.ActionUnknownOp) {
				t.Errorf("%s: no operation, and %+v", c.Name, got)
			}
			continue
		}
		if refused := checkCall(op, c) != nil; refused != (got.Refused == string(vmhost.ActionInvalid)) {
			t.Errorf("%s: %v, and %+v", c.Name, checkCall(op, c), got)
		}
		if op.Random != c.Random && c.Name != "pdf.unlock" {
			t.Errorf("%s: whether it is random: %v", c.Name, op.Random)
		}
	}
	if scripts < 115 || calls < 40 {
		t.Errorf("%d scripts and %d tool calls", scripts, calls)
	}
	for _, d := range tools.Catalogue() {
		if !called[d.Name] && len(d.AddOns) == 0 {
			t.Errorf("no case calls %s", d.Name)
		}
	}
	for name := range golden {
		if !names[name] {
			t.Errorf("%q is written down and is no case", name)
		}
	}
	for i, d := range known {
		if !names[d.Case] || d.Kind == "" || d.Kind == "vm" || d.Reason == "" || len(d.Want) == 0 {
			t.Errorf("a difference of nothing: %+v", d)
		}
		if slices.ContainsFunc(known[:i], func(o Difference) bool { return o.Case == d.Case && o.Kind == d.Kind }) {
			t.Errorf("two reasons: %+v", d)
		}
	}
	for _, k := range l.lacks {
		if k.Reason == "" || !slices.ContainsFunc(cases, func(c Case) bool { return newPlayer(fake{lacks: true}).cannot(c) == k.Lacks }) {
			t.Errorf("nothing needs it, or there is no reason: %+v", k)
		}
	}
}

// checkCall is what the host would say of a tool call.
func checkCall(op tools.Operation, c Case) error {
	call := wire.ToolParams{ID: "1", Op: c.Tool.Op, Params: maps.Clone(c.Tool.Params)}
	for _, name := range c.Tool.In {
		call.In = append(call.In, path.Join("/work", name))
	}
	if c.Tool.Out != "" {
		call.Out = path.Join("/work", c.Tool.Out)
	}
	if to, is := call.Params["to"].([]any); is {
		for i := range to {
			to[i] = strings.ReplaceAll(to[i].(string), "$DIR", "/work")
		}
	}
	_, err := op.Check(call)
	return err
}

func TestPlay(t *testing.T) {
	long := strings.Repeat("x", maxText+1)
	var dir string
	p := newPlayer(fake{
		exec: func(e wire.ExecParams) (string, string, wire.ExecResult, error) {
			switch {
			case e.Argv[0] == "missing":
				return "", "", wire.ExecResult{}, &vmhost.ActionError{Code: vmhost.ActionMissing}
			case e.Argv[0] == "breaks":
				return "", "", wire.ExecResult{}, vmhost.ErrNotReady
			case e.Argv[0] == "long":
				return long, "\xff", wire.ExecResult{}, nil
			case e.Cwd != dir:
				return "", "started in " + e.Cwd, wire.ExecResult{}, nil
			case e.Argv[1] == "-ec" && strings.Contains(e.Argv[2], "noisy"):
				return "", "oh", wire.ExecResult{}, nil
			case e.Argv[1] == "-ec":
				return "", "", wire.ExecResult{}, nil
			}
			return dir + "/x\n", "e", wire.ExecResult{ExitCode: 137, Signal: 9, Ended: wire.EndedTimeout}, nil
		},
		tool: func(c wire.ToolParams) (wire.ToolResult, error) {
			if c.In[0] != dir+"/a" || c.Out != dir+"/b" || c.Params["to"].([]any)[0] != dir+"/c" {
				t.Errorf("%+v", c)
			}
			return wire.ToolResult{
				Out: []wire.ToolFile{{Path: dir + "/b", SHA256: "1234"}}, Info: []any{map[string]any{"path": dir + "/a"}},
				Problems: []wire.ToolProblem{{Code: "input-broken", Path: dir + "/a"}}, Versions: map[string]string{"qpdf": "1", "gs": "2"},
			}, nil
		},
	})
	call := &wire.ToolParams{Op: "x.y", In: []string{"a"}, Out: "b", Params: map[string]any{"to": []any{"$DIR/c"}}}
	made := Result{
		Made: map[string]string{"/case/b": "1234"}, Info: []any{map[string]any{"path": "/case/a"}},
		Problems: []string{"input-broken /case/a"}, Programs: []string{"gs", "qpdf"},
	}
	after, random := made, made
	after.Exit, after.Signal, after.Ended, after.Stdout, after.Stderr = 137, 9, "timeout", "/case/x\n", "e"
	random.Made = map[string]string{"/case/b": "random"}
	for _, tt := range []struct {
		c      Case
		want   Result
		broken string
	}{
		{c: Case{Name: "script", Script: "x"}, want: Result{Exit: 137, Signal: 9, Ended: "timeout", Stdout: "/case/x\n", Stderr: "e"}},
		{c: Case{Name: "refused", Exec: wire.ExecParams{Argv: []string{"missing"}}}, want: Result{Refused: "missing"}},
		{c: Case{Name: "broken", Exec: wire.ExecParams{Argv: []string{"breaks"}}}, broken: vmhost.ErrNotReady.Error()},
		{c: Case{Name: "long", Exec: wire.ExecParams{Argv: []string{"long"}}}, want: Result{
			Stdout: "2001 bytes, SHA-256 9f2c9dcddb048a0b2baf27b3fec5efb480c7d9500ff0c6510b78f0033683c5c5",
			Stderr: "1 bytes, SHA-256 a8100ae6aa1940d0b663bb31cd466142ebbdbd5187131b92d93818987832eb89",
		}},
		{c: Case{Name: "call", Tool: call, Script: "make"}, want: made},
		{c: Case{Name: "call and then", Tool: call, Then: "look"}, want: after},
		{c: Case{Name: "random", Tool: call, Random: true}, want: random},
		{c: Case{Name: "inputs", Tool: call, Script: "noisy"}, broken: "the inputs are not made"},
	} {
		dir = p.dir(tt.c)
		got, err := p.play(t.Context(), tt.c)
		if tt.broken != "" {
			if err == nil || !strings.Contains(err.Error(), tt.broken) {
				t.Errorf("%s: %+v %v", tt.c.Name, got, err)
			}
			continue
		}
		if differences := compare(members(got), members(tt.want)); err != nil || len(differences) > 0 {
			t.Errorf("%s: %v %v", tt.c.Name, differences, err)
		}
	}
}

func TestCannot(t *testing.T) {
	has, lacks := newPlayer(fake{}), newPlayer(fake{lacks: true})
	for want, c := range map[string]Case{
		"":                          {Script: "x"},
		"operations":                {Tool: &wire.ToolParams{}},
		"a limit of time":           {Exec: wire.ExecParams{Limits: wire.Limits{WallMS: 1}}},
		"a limit of processor time": {Exec: wire.ExecParams{Limits: wire.Limits{CPUMS: 1}}},
		"a limit of memory":         {Exec: wire.ExecParams{Limits: wire.Limits{MemoryMB: 1}}},
		"a limit of output":         {Exec: wire.ExecParams{Limits: wire.Limits{OutputBytes: 1}}},
	} {
		if got := lacks.cannot(c); got != want || has.cannot(c) != "" {
			t.Errorf("%q instead of %q, and %q", got, want, has.cannot(c))
		}
	}
}

func TestJudge(t *testing.T) {
	golden := map[string]Result{"a": {Stdout: "x"}, "call": {Info: []any{map[string]any{"n": 1.0}}}}
	l := lists{golden: golden, differences: []Difference{{"a", "container", "because", map[string]any{"stdout": "y …\n"}}, {"call", "container", "because", map[string]any{"info": nil}}}}
	for _, tt := range []struct {
		kind, name   string
		got          Result
		word, reason string
	}{
		{"vm", "a", Result{Stdout: "x"}, Same, ""},
		{"vm", "call", Result{Info: []any{map[string]any{"n": 1}}}, Same, ""}, // as JSON
		{"vm", "a", Result{Stdout: "y"}, Failed, `stdout: "y"`},
		{"vm", "a", Result{Stdout: "x", Exit: 1}, Failed, "exit: 1\n\twant null"},
		{"vm", "a", Result{}, Failed, `want "x"`},
		{"sandbox", "a", Result{Stdout: "y"}, Failed, "no reason is known"},
		{"container", "a", Result{Stdout: "y 12\n"}, Differs, "because"},
		{"container", "a", Result{Stdout: "y \n"}, Failed, "otherwise than it is listed"},
		{"container", "a", Result{Stdout: "y 1\n2\n"}, Failed, "otherwise than it is listed"},
		{"container", "a", Result{Stdout: "y 12\n", Exit: 1}, Failed, "exit: 1"},
		{"container", "a", Result{}, Failed, "otherwise than it is listed"},
		{"container", "call", Result{}, Differs, "because"},
		{"container:podman", "call", Result{}, Differs, "because"},
		{"containers", "call", Result{}, Failed, "no reason is known"},
		{"container", "a", Result{Stdout: "x"}, Failed, "does not differ any more"},
		{"container", "new", Result{}, Failed, "-update"},
	} {
		v := l.judge(tt.kind, tt.name, tt.got)
		if v.Case != tt.name || v.Word != tt.word || !strings.Contains(v.Reason, tt.reason) || (tt.reason == "") != (v.Reason == "") {
			t.Errorf("%+v: %+v", tt, v)
		}
	}
}

// A case that a kind cannot play says why, and fails where nobody has said it.
func TestLacking(t *testing.T) {
	l := lists{lacks: []Lack{{"container", "operations", "because"}}}
	for _, tt := range []struct{ kind, lacks, word, reason string }{
		{"container", "operations", Cannot, "operations: because"},
		{"container:podman", "operations", Cannot, "operations: because"},
		{"container", "a limit of time", Failed, "does not claim a limit of time"},
		{"sandbox", "operations", Failed, "does not claim operations"},
	} {
		if v := l.lacking(tt.kind, "a", tt.lacks); v.Case != "a" || v.Word != tt.word || !strings.Contains(v.Reason, tt.reason) {
			t.Errorf("%+v: %+v", tt, v)
		}
	}
}

func TestTable(t *testing.T) {
	got := Table(map[string][]Verdict{
		"vm":        {{"b", Same, ""}, {"a", Same, ""}, {"c", Failed, "odd"}},
		"container": {{"a", Differs, "because"}, {"b", Cannot, "operations"}, {"d", Cannot, "operations"}},
	})
	want := `case          container  vm
a             differs    same
b             cannot     same
c             -          FAILED
d             cannot     -
all: same     0          2
all: differs  1          0
all: cannot   2          0
all: FAILED   0          1
a, container: because
b, d, container: operations
c, vm: odd`
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// asWritten is a runtime without operations and limits that gives what the machine gave.
type asWritten struct {
	fake
	removed bool // the directories of the cases
}

func newAsWritten(t *testing.T) *asWritten {
	t.Helper()
	l, err := readLists()
	if err != nil {
		t.Fatal(err)
	}
	cases, err := Cases()
	if err != nil {
		t.Fatal(err)
	}
	r := &asWritten{fake: fake{lacks: true}}
	p, byDir, made := newPlayer(r), map[string]Case{}, map[string]bool{}
	for _, c := range cases {
		byDir[p.dir(c)] = c
	}
	r.exec = func(e wire.ExecParams) (string, string, wire.ExecResult, error) {
		switch {
		case e.Argv[0] == "mkdir":
			for _, dir := range e.Argv[2:] {
				made[dir] = true
			}
			return "", "", wire.ExecResult{}, nil
		case e.Argv[len(e.Argv)-1] == p.base:
			r.removed = true
			return "", "", wire.ExecResult{}, nil
		}
		c, at := byDir[e.Cwd]
		for i := 0; !at; i++ { // it starts elsewhere
			c, at = cases[i], cases[i].Exec.Cwd == e.Cwd
		}
		if !made[p.dir(c)] {
			t.Errorf("%s has no directory", c.Name)
		}
		want := l.golden[c.Name]
		var refused error
		if want.Refused != "" {
			refused = &vmhost.ActionError{Code: vmhost.ActionCode(want.Refused)}
		}
		return want.Stdout, want.Stderr, wire.ExecResult{ExitCode: want.Exit, Signal: want.Signal, Ended: want.Ended}, refused
	}
	return r
}

// playFake plays the corpus in a kind of which is known what it lacks.
func playFake(t *testing.T, r vmhost.Runtime) []Verdict {
	t.Helper()
	l, err := readLists()
	if err != nil {
		t.Fatal(err)
	}
	for _, lacks := range []string{"operations", "a limit of time", "a limit of processor time", "a limit of memory", "a limit of output"} {
		l.lacks = append(l.lacks, Lack{"fake", lacks, "it is a fake"})
	}
	return l.play(t, "fake", r)
}

// Run plays each case in a directory that is there, and removes all of them.
func TestRun(t *testing.T) {
	r := newAsWritten(t)
	column := playFake(t, r)
	same, cannot := 0, 0
	for _, v := range column {
		switch v.Word {
		case Same:
			same++
		case Cannot:
			cannot++
		}
	}
	if same == 0 || cannot == 0 || same+cannot != len(column) || !r.removed {
		t.Errorf("%d the same and %d that it cannot of %d, removed %v", same, cannot, len(column), r.removed)
	}
}

// One case that differs fails the test that calls Run: this one, in a process of its own.
func TestRunFails(t *testing.T) {
	const differs = "PIWORK_TEST_PARITY_DIFFERS"
	if os.Getenv(differs) != "" {
		r := newAsWritten(t)
		once, exec := false, r.exec
		r.exec = func(e wire.ExecParams) (string, string, wire.ExecResult, error) {
			stdout, stderr, result, err := exec(e)
			if e.Argv[0] == "/bin/sh" && !once {
				once, stdout = true, stdout+"more"
			}
			return stdout, stderr, result, err
		}
		t.Log(Table(map[string][]Verdict{"fake": playFake(t, r)}))
		return
	}
	c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestRunFails$", "-test.v")
	c.Env = append(os.Environ(), differs+"=1")
	said, err := c.CombinedOutput()
	if _, is := errors.AsType[*exec.ExitError](err); !is || strings.Count(string(said), "no reason is known") != 2 || !strings.Contains(strings.Join(strings.Fields(string(said)), " "), "all: FAILED 1 ") {
		t.Errorf("%v\n%s", err, said)
	}
}

// One table has a column of each kind that is whole; what is no full account is an error.
func TestMerge(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(EnvColumns, dir)
	full := func(kind string) (c []Verdict) {
		cases, err := Cases()
		if err != nil {
			t.Fatal(err)
		}
		l, err := readLists()
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range cases {
			if !Plays(kind, tier.All, k) {
				continue
			}
			v := Verdict{k.Name, Same, ""}
			if d := l.difference(kind, k.Name); d != nil {
				v = Verdict{k.Name, Differs, d.Reason}
			}
			c = append(c, v)
		}
		return c
	}
	for kind, verdicts := range map[string][]Verdict{"vm": full("vm"), "host": full("host"), "folders:host": full("folders:host"), "sandbox": full("sandbox")[1:]} {
		if err := writeColumn(kind, verdicts); err != nil {
			t.Fatal(err)
		}
	}
	columns, err := ReadColumns(tier.All, dir, filepath.Join(dir, "person"))
	if err != nil || len(columns) != 3 { // that of the sandbox is not whole, and not written
		t.Fatalf("%+v %v", columns, err)
	}
	absent := map[string]string{"container": "no engine", "vm": "no pack"}
	text, err := Merge(columns, tier.All, []string{"vm", "host", "container"}, absent)
	if err != nil || !strings.Contains(text, "folders:host  host     vm") || !strings.HasSuffix(text, "\ncontainer: absent: no engine") {
		t.Errorf("%v\n%s", err, text)
	}
	host := slices.IndexFunc(columns, func(c Column) bool { return c.Kind == "host" })
	for want, change := range map[string]func(c *Column){
		"vm has two columns":        func(c *Column) { c.Kind = "vm" },
		"host is of another corpus": func(c *Column) { c.Corpus = "1234" },
		"was not played":            func(c *Column) { c.Verdicts = c.Verdicts[1:] },
		"verdicts":                  func(c *Column) { c.Verdicts = append(c.Verdicts, Verdict{"new", Same, ""}) },
		"host: " + columns[host].Verdicts[0].Case + ": odd": func(c *Column) { c.Verdicts[0] = Verdict{c.Verdicts[0].Case, Failed, "odd"} },
	} {
		all := slices.Clone(columns)
		c := all[host]
		c.Verdicts = slices.Clone(c.Verdicts)
		change(&c)
		all[host] = c
		if _, err := Merge(all, tier.All, nil, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	for i, v := range columns[host].Verdicts {
		if v.Case == "who it is" {
			columns[host].Verdicts[i].Word = Same
		}
	}
	if _, err := Merge(columns, true, nil, nil); err == nil || !strings.Contains(err.Error(), "host differs in who it is, it is listed, and it was seen nowhere") {
		t.Errorf("%v", err)
	}
	if _, err := Merge(columns, tier.All, []string{"vm", "host", "remote"}, absent); err == nil || !strings.Contains(err.Error(), "remote has no column") {
		t.Errorf("%v", err)
	}
}
