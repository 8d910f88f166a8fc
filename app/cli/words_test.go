package cli

import (
	"os"
	"strings"
	"testing"

	"piwork/app/cli/terminal"
	"piwork/app/cli/wording"
	"piwork/app/problem"
)

func init() {
	if _, script := os.LookupEnv("FAKE"); !script { // scripts have an environment of their own
		os.Setenv("LC_ALL", "C")
	}
}

// What a problem says, and what helps, is what app/words has, with commands to type.
func TestNextSteps(t *testing.T) {
	p := problem.Problem{Code: problem.CodeAccelUnavailable, Cause: "kvm-held", Params: map[string]any{"holder": "virtualbox", "slowMs": 1234.0, "blocked": "/etc/modprobe.d/x.conf"},
		Fix: []problem.Fix{{Code: problem.FixSlowMode}, {Code: problem.FixLoadKVM, Command: "sudo modprobe kvm_amd"}, {Code: problem.FixShowDetails}, {Code: problem.FixMachines}}}
	if what, _ := wording.Told(p); !strings.Contains(what, "VirtualBox") {
		t.Errorf("%q", what)
	}
	terminal.Texts().Problem(&p)
	steps := wording.NextSteps(p)
	if len(steps) != 3 || !strings.HasSuffix(steps[0], "in 1.2 s): --accel tcg") || !strings.Contains(steps[1], "x.conf") || !strings.HasSuffix(steps[1], "\nsudo modprobe kvm_amd") || !strings.HasSuffix(steps[2], "get: piwork settings") {
		t.Errorf("%q", steps)
	}
}

// What starts a task again is named with its id, and where there is no task, with no command.
func TestStartAgainNamesTheTask(t *testing.T) {
	for id, want := range map[string]string{"0195": "Start again: piwork task again 0195", "": "Start again"} {
		p := problem.New(problem.CodeNotResumable)
		if id != "" {
			p = p.With("task", id)
		}
		terminal.Texts().Problem(p)
		if steps := wording.NextSteps(*p); len(steps) != 1 || steps[0] != want {
			t.Errorf("%q: %q", id, steps)
		}
	}
}

// Changes are to be reviewed only where there is a task that may have made some.
func TestChangesToReviewAreOfATask(t *testing.T) {
	for id, want := range map[string]bool{"0195": true, "": false} {
		p := problem.New(problem.CodeCancelled)
		if id != "" {
			p = p.With("task", id)
		}
		terminal.Texts().Problem(p)
		if said := strings.Contains(strings.Join(wording.NextSteps(*p), "\n"), "piwork task changes"); said != want {
			t.Errorf("%q: %q", id, wording.NextSteps(*p))
		}
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
