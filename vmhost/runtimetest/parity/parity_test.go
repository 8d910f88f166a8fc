package parity

import (
	"context"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"

	"piwork/pack/tools"
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
	golden, err := Golden()
	if err != nil {
		t.Fatal(err)
	}
	known, err := Differences()
	if err != nil {
		t.Fatal(err)
	}
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
		if !names[d.Case] || d.Kind == "" || d.Kind == "vm" || d.Reason == "" {
			t.Errorf("a difference of nothing: %+v", d)
		}
		if slices.ContainsFunc(known[:i], func(o Difference) bool { return o.Case == d.Case && o.Kind == d.Kind }) {
			t.Errorf("two reasons: %+v", d)
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
		if differences := compare(got, tt.want); err != nil || len(differences) > 0 {
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
	known := []Difference{{"a", "container", "because"}}
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
		{"container", "a", Result{Stdout: "y"}, Differs, "because"},
		{"container", "a", Result{Stdout: "x"}, Failed, "does not differ any more"},
		{"container", "new", Result{}, Failed, "-update"},
	} {
		v := judge(tt.kind, tt.name, tt.got, golden, known)
		if v.Case != tt.name || v.Word != tt.word || !strings.Contains(v.Reason, tt.reason) || (tt.reason == "") != (v.Reason == "") {
			t.Errorf("%+v: %+v", tt, v)
		}
	}
}

func TestTable(t *testing.T) {
	got := Table(map[string][]Verdict{
		"vm":        {{"b", Same, ""}, {"a", Same, ""}, {"c", Failed, "odd"}},
		"container": {{"a", Differs, "because"}, {"b", Cannot, "operations"}},
	})
	want := `case          container  vm
a             differs    same
b             cannot     same
c             -          FAILED
all: same     0          2
all: differs  1          0
all: cannot   1          0
all: FAILED   0          1
a, container: because
b, container: operations
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
	golden, err := Golden()
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
		want := golden[c.Name]
		var refused error
		if want.Refused != "" {
			refused = &vmhost.ActionError{Code: vmhost.ActionCode(want.Refused)}
		}
		return want.Stdout, want.Stderr, wire.ExecResult{ExitCode: want.Exit, Signal: want.Signal, Ended: want.Ended}, refused
	}
	return r
}

// Run plays each case in a directory that is there, and removes all of them.
func TestRun(t *testing.T) {
	r := newAsWritten(t)
	column := Run(t, "fake", r)
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
		Run(t, "fake", r)
		return
	}
	c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestRunFails$", "-test.v")
	c.Env = append(os.Environ(), differs+"=1")
	said, err := c.CombinedOutput()
	if _, is := errors.AsType[*exec.ExitError](err); !is || strings.Count(string(said), "no reason is known") != 2 || !strings.Contains(strings.Join(strings.Fields(string(said)), " "), "all: FAILED 1 ") {
		t.Errorf("%v\n%s", err, said)
	}
}
