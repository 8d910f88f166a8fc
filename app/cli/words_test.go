package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
	"testing"

	"piwork/app/problem"

	"piwork/app/cli/wording"
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

func init() { os.Setenv("LC_ALL", "C") }

// Every code has words.
func TestEveryCodeHasWords(t *testing.T) {
	for _, c := range constants(t, "../setup/setup.go", "Check") {
		if wording.CheckWords[c] == "" {
			t.Errorf("no words for the check %s", c)
		}
	}
}

// What a problem says, and what helps, is what app/words has, with commands to type.
func TestNextSteps(t *testing.T) {
	p := problem.Problem{Code: problem.CodeAccelUnavailable, Cause: "kvm-held", Params: map[string]any{"holder": "virtualbox", "slowMs": 1234.0, "blocked": "/etc/modprobe.d/x.conf"},
		Fix: []problem.Fix{{Code: problem.FixSlowMode}, {Code: problem.FixLoadKVM, Command: "sudo modprobe kvm_amd"}, {Code: problem.FixShowDetails}, {Code: problem.FixMachines}}}
	if what, _ := wording.Told(p); !strings.Contains(what, "VirtualBox") {
		t.Errorf("%q", what)
	}
	wording.Texts().Problem(&p)
	steps := wording.NextSteps(p)
	if len(steps) != 3 || !strings.HasSuffix(steps[0], "in 1.2 s): --accel tcg") || !strings.Contains(steps[1], "x.conf") || !strings.HasSuffix(steps[1], "\nsudo modprobe kvm_amd") || !strings.HasSuffix(steps[2], "get: piwork settings") {
		t.Errorf("%q", steps)
	}
}

// A file is named by its path in the task's folders.
func TestShown(t *testing.T) {
	for _, tt := range []struct {
		value any
		want  string
	}{
		{nil, ""}, {3.0, "3"}, {[]any{"p", "q"}, "p, q"}, {"/folders/Trip/b.jpg", "Trip/b.jpg"}, {"x\x1b]0;evil\a", `x\x1b]0;evil\a`},
	} {
		if got := wording.Shown(tt.value); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.value, got, tt.want)
		}
	}
	if what, _ := wording.Told(problem.Problem{Code: problem.CodeInputBroken, Params: map[string]any{"path": "/folders/Trip/b.jpg"}}); what != "“Trip/b.jpg” is damaged" {
		t.Errorf("%q", what)
	}
}
