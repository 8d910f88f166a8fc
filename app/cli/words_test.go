package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"

	"piwork/app"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/pack/trust/channel"
	"piwork/pack/update"
)

// constants returns the values of the string constants of a file whose names
// begin with a prefix.
func constants(t *testing.T, file, prefix string) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || !strings.HasPrefix(spec.Names[0].Name, prefix) || len(spec.Values) == 0 {
			return true
		}
		if lit, ok := spec.Values[0].(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if s, err := strconv.Unquote(lit.Value); err == nil {
				out = append(out, s)
			}
		}
		return true
	})
	if len(out) == 0 {
		t.Fatalf("no %s constants in %s", prefix, file)
	}
	return out
}

// Every code has words, and they are no jargon.
func TestEveryCodeHasWords(t *testing.T) {
	for _, code := range constants(t, "../problem/codes.go", "Code") {
		w, ok := problemWords[code]
		if !ok {
			t.Errorf("no words for the problem %s", code)
			continue
		}
		what, _ := words(problem.Problem{Code: code})
		if what == "" || strings.ContainsAny(what, "{}|") {
			t.Errorf("%s without parameters: %q", code, what)
		}
		for _, jargon := range []string{"VM", "RPC", "mount", "container", "exit status", "invalid", "error"} {
			if strings.Contains(w.what+w.means, jargon) {
				t.Errorf("%s says %q", code, jargon)
			}
		}
	}
	for _, code := range constants(t, "../problem/codes.go", "Fix") {
		if _, ok := fixText[code]; !ok {
			t.Errorf("no words for the fix %s", code)
		}
	}
	for _, kind := range constants(t, "../../pack/errors.go", "Kind") {
		if causeWords[problem.CodePackInvalid][kind] == "" {
			t.Errorf("no words for the pack's fault %s", kind)
		}
	}
	for _, kind := range constants(t, "../../pack/trust/channel/error.go", "Kind") {
		p := problem.From(&channel.Error{Kind: channel.Kind(kind)})
		if channelWords[kind] == "" && transferWords[kind] == "" && p.Code != problem.CodeUpdateNotOffered && p.Code != problem.CodePackTooNew {
			t.Errorf("no words for the channel's fault %s", kind)
		}
	}
	for _, code := range constants(t, "../../pack/update/errors.go", "Code") {
		p := problem.From(&update.Error{Code: update.Code(code)})
		general, _ := words(problem.Problem{Code: p.Code})
		switch what, _ := words(*p); {
		case what == "" || strings.ContainsAny(what, "{}|"):
			t.Errorf("the transfer's fault %s without parameters: %q", code, what)
		case what == general && !slices.Contains([]string{"disk-full", "wrong-content"}, code): // their code says it all
			t.Errorf("no words for the transfer's fault %s", code)
		}
	}
	for _, s := range constants(t, "../task/record.go", "State") {
		if stateWords[task.State(s)] == "" {
			t.Errorf("no words for the state %s", s)
		}
	}
	for _, phase := range constants(t, "../service_update.go", "Update") {
		if phaseWords[app.UpdatePhase(phase)] == "" {
			t.Errorf("no words for the phase %s", phase)
		}
	}
	for _, c := range constants(t, "../setup/setup.go", "Check") {
		if checkWords[c] == "" {
			t.Errorf("no words for the check %s", c)
		}
	}
}

func TestPhrase(t *testing.T) {
	for _, tt := range []struct {
		text   string
		params map[string]any
		want   string
	}{
		{"Nothing.", nil, "Nothing."},
		{"{a} is {b}. | {a} is. | None.", map[string]any{"a": "x", "b": 3.0}, "x is 3."},
		{"{a} is {b}. | {a} is. | None.", map[string]any{"a": "x"}, "x is."},
		{"{a} is {b}. | {a} is. | None.", map[string]any{"a": ""}, "None."},
		{"{a}", nil, ""},
		{"in {a}", map[string]any{"a": []any{"p", "q"}}, "in p, q"},
		{"{a}", map[string]any{"a": "/folders/Trip/b.jpg"}, "Trip/b.jpg"},
		{"{a}", map[string]any{"a": "{b}", "b": "no"}, "{b}"},
		{"{a}", map[string]any{"a": "x\x1b]0;evil\a"}, `x\x1b]0;evil\a`},
	} {
		if got := phrase(tt.text, tt.params); got != tt.want {
			t.Errorf("%q %v: %q, want %q", tt.text, tt.params, got, tt.want)
		}
	}
}

// The cause says more than the code, for what is installed too.
func TestCauses(t *testing.T) {
	p := problem.Problem{Code: problem.CodeAccelUnavailable, Cause: "hvf-permission", Params: map[string]any{"device": "x"}}
	if what, _ := words(p); !strings.Contains(what, "may not use") {
		t.Errorf("%q", what)
	}
	p = problem.Problem{Code: problem.CodePackCorrupt, Cause: "missing-file", Params: map[string]any{"file": "guest/vmlinux"}}
	if what, means := words(p); !strings.Contains(what, "installed") || !strings.Contains(means, "guest/vmlinux") {
		t.Errorf("%q %q", what, means)
	}
}
