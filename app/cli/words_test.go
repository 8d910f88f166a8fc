package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"

	"piwork/app/problem"
	"piwork/app/runtimepack/updater"
	"piwork/app/setup"
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
		_, task := fixText[code]
		if _, ofSetup := setupFixText[code]; task == ofSetup {
			t.Errorf("the fix %s has words in %v lists", code, map[bool]int{true: 2}[task])
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
	for _, phase := range constants(t, "../runtimepack/updater/types.go", "Phase") {
		if phaseWords[updater.Phase(phase)] == "" {
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

// A computer that is not ready is told what is wrong and what to do, on every
// system and with whatever is known of it.
func TestSetupWords(t *testing.T) {
	full := map[string]any{"device": "/dev/kvm", "outer": setup.OuterVMware, "holder": "virtualbox", "confined": "snap", "group": "kvm", "build": 15063.0,
		"blocked": "/etc/modprobe.d/x.conf", "guest": "x86_64", "host": "arm64", "slowMs": 1234.0, "firmwareKey": "F2", "firmwarePath": "Advanced > SVM Mode"}
	fixes := constants(t, "../problem/codes.go", "Fix")
	for _, cause := range constants(t, "../setup/causes.go", "Cause") {
		seen := map[string]bool{}
		for _, accel := range []string{"kvm-", "whpx-", "hvf-"} {
			for _, params := range []map[string]any{nil, full} {
				p := *problem.New(problem.CodeAccelUnavailable)
				p.Cause, p.Params, p.Fix = accel+cause, params, problem.Fixes(fixes...)
				what, means := words(p)
				if general, _ := words(problem.Problem{Code: p.Code}); what == general && cause != setup.CauseGuestArch || strings.ContainsAny(what, "{}|") || means == "" {
					t.Errorf("%s with %v: %q", p.Cause, params, what)
				}
				seen[what] = true
				for _, step := range fixWords(p) {
					if strings.ContainsAny(step, "{}|") {
						t.Errorf("%q", step)
					}
				}
			}
		}
		if len(seen) > 4 {
			t.Errorf("%s: %v", cause, seen)
		}
	}
	p := problem.Problem{Code: problem.CodeAccelUnavailable, Cause: "kvm-held", Params: full, Fix: []problem.Fix{{Code: problem.FixSlowMode}, {Code: problem.FixLoadKVM, Command: "sudo modprobe kvm_amd"}}}
	if what, _ := words(p); !strings.Contains(what, "VirtualBox") {
		t.Errorf("%q", what)
	}
	if steps := fixWords(p); !strings.Contains(steps[0], "within 1.2 seconds") || !strings.Contains(steps[1], "x.conf") || !strings.HasSuffix(steps[1], "\nsudo modprobe kvm_amd") {
		t.Errorf("%q", steps)
	}
	for _, r := range constants(t, "../problem/problem.go", "Restart") {
		if restartWords[problem.Restart(r)] == "" {
			t.Errorf("no words for the restart of the %s", r)
		}
	}
	for _, product := range constants(t, "../setup/outer.go", "Outer") {
		if productWords[product] == "" {
			t.Errorf("no name for %s", product)
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
