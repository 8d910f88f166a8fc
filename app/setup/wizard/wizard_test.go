package wizard

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"piwork/app/problem"
	"piwork/app/settings"
	"piwork/app/setup"
	"piwork/app/task"
)

var (
	t0    = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	later = t0.Add(time.Hour)
)

// Reports of a computer on its way.
var (
	bare      = report(false, blocking(problem.CodePackMissing, ""))
	bareOff   = report(false, blocking(problem.CodePackMissing, ""), firmware)
	off       = report(true, firmware)
	damaged   = report(false, blocking(problem.CodePackCorrupt, "changed"))
	other     = report(true, blocking(problem.CodeAccelUnavailable, setup.CauseGuestArch))
	ready     = &setup.Report{Ready: true, Pack: setup.PackState{Installed: true, Verified: true}}
	slow      = &setup.Report{Ready: true, Pack: setup.PackState{Installed: true, Verified: true}, Problems: []problem.Problem{{Code: problem.CodeSlowMode, Severity: problem.Warning}}}
	noProof   = report(true, problem.Problem{Code: problem.CodeNotChecked, Severity: problem.Blocking, Params: map[string]any{"check": setup.CheckAccelBoot}})
	unread    = report(false, problem.Problem{Code: problem.CodeNotChecked, Severity: problem.Blocking})
	sick      = report(true, blocking(problem.CodeBootFailed, "tcg-broken"))
	groupless = report(true, problem.Problem{Code: problem.CodeAccelUnavailable, Severity: problem.Blocking, Cause: "kvm-permission",
		Fix: []problem.Fix{{Code: problem.FixKVMGroup, Command: "sudo usermod"}, {Code: problem.FixSlowMode}}})

	firmware = problem.Problem{Code: problem.CodeAccelUnavailable, Severity: problem.Blocking, Cause: "kvm-firmware",
		Fix: []problem.Fix{{Code: problem.FixFirmware, Command: "systemctl reboot --firmware-setup"}}}
)

func blocking(code, cause string) problem.Problem {
	return problem.Problem{Code: code, Cause: cause, Severity: problem.Blocking}
}

func report(pack bool, problems ...problem.Problem) *setup.Report {
	return &setup.Report{Problems: problems, Pack: setup.PackState{Installed: pack, Verified: pack}}
}

// line is all of a wizard in a few words: ! is the step that is now.
func line(w Wizard) string {
	var out []string
	for _, s := range w.Steps {
		out = append(out, string(s.ID)+map[State]string{Open: "", Now: "!", Done: "+", Skipped: "-"}[s.State])
	}
	if w.Done {
		out = append(out, "over")
	}
	if w.Again {
		out = append(out, "again")
	}
	return strings.Join(out, " ")
}

// Where a weaker place is allowed, what only a machine needs is skipped, and nothing else is.
func TestInstead(t *testing.T) {
	for name, row := range map[string]struct {
		see     *setup.Report
		instead string
		want    string
	}{
		"no acceleration":               {off, "sandbox", "welcome+ check- runtime+ first! sandbox"},
		"not even slowly":               {sick, "sandbox", "welcome+ check+ runtime- first! sandbox"},
		"no acceleration, none allowed": {off, "", "welcome+ check! runtime+ first"},
		"no runtime":                    {bareOff, "sandbox", "welcome+ check! runtime first"},
		"a runtime that is damaged":     {damaged, "sandbox", "welcome+ check+ runtime! first"},
		"all works":                     {ready, "sandbox", "welcome+ check+ runtime+ first!"},
		"nobody looked yet":             {nil, "sandbox", "welcome+ check! runtime first"},
	} {
		w := Look(Memory{Welcomed: t0}, Facts{Report: row.see, Instead: row.instead})
		if got := strings.TrimSpace(line(w) + " " + w.Instead); got != row.want {
			t.Errorf("%s: %s, not %s", name, got, row.want)
		}
		for _, step := range w.Steps[1:3] {
			if step.State == Skipped && len(step.Acts) > 0 {
				t.Errorf("%s: %+v", name, step)
			}
		}
	}
}

// One person after the other goes through it, in every order that can happen. What
// is remembered goes through JSON after every step: the program may end there.
func TestWays(t *testing.T) {
	type move struct {
		see    *setup.Report // what is seen from now on; nil leaves it
		worked bool          // a chore is done now
		do     string        // "step act"
		want   string
	}
	for name, moves := range map[string][]move{
		"three clicks": {
			{want: "welcome! check runtime first"},
			{see: bare, want: "welcome! check+ runtime first"},
			{do: "welcome done", want: "welcome+ check+ runtime! first"},
			{see: ready, want: "welcome+ check+ runtime+ first!"},
			{worked: true, want: "welcome+ check+ runtime+ first+ over"},
		},
		"the runtime was here already": {
			{see: ready, want: "welcome! check+ runtime+ first"},
			{do: "welcome done", want: "welcome+ check+ runtime+ first!"},
			{do: "first skip", want: "welcome+ check+ runtime+ first- over"},
		},
		"restart into the settings of the firmware": {
			{see: bareOff, do: "welcome done", want: "welcome+ check! runtime first"},
			{see: bare, want: "welcome+ check+ runtime! first"},
			{see: ready, want: "welcome+ check+ runtime+ first!"},
			{do: "first done", want: "welcome+ check+ runtime+ first+ over"},
		},
		"what was foreseen is set aside, and was right": {
			{see: bareOff, do: "welcome done", want: "welcome+ check! runtime first"},
			{do: "check skip", want: "welcome+ check- runtime! first"},
			{see: off, want: "welcome+ check! runtime+ first"},
			{see: slow, want: "welcome+ check+ runtime+ first!"},
		},
		"what was foreseen is set aside, and taken up again": {
			{see: bareOff, do: "welcome done", want: "welcome+ check! runtime first"},
			{do: "check skip", want: "welcome+ check- runtime! first"},
			{do: "check reset", want: "welcome+ check! runtime first"},
		},
		"it breaks after the end and is mended": {
			{see: ready, do: "welcome done", want: "welcome+ check+ runtime+ first!"},
			{do: "first done", want: "welcome+ check+ runtime+ first+ over"},
			{see: damaged, want: "welcome+ check+ runtime! first+ again"},
			{see: off, want: "welcome+ check! runtime+ first+ again"},
			{see: sick, want: "welcome+ check+ runtime! first+ again"},
			{see: bare, want: "welcome+ check+ runtime! first+ again"},
			{see: ready, want: "welcome+ check+ runtime+ first+ over"},
		},
		"it breaks before the first chore": {
			{see: ready, do: "welcome done", want: "welcome+ check+ runtime+ first!"},
			{see: groupless, want: "welcome+ check! runtime+ first"},
			{see: ready, want: "welcome+ check+ runtime+ first!"},
		},
		"from before there was a wizard": {
			{see: ready, worked: true, want: "welcome+ check+ runtime+ first+ over"},
			{see: bare, want: "welcome+ check+ runtime! first+ again"},
		},
		"all of it once more": {
			{see: ready, worked: true, want: "welcome+ check+ runtime+ first+ over"},
			{do: "welcome reset", want: "welcome! check+ runtime+ first"},
			{do: "welcome done", want: "welcome+ check+ runtime+ first!"},
			{do: "first skip", want: "welcome+ check+ runtime+ first- over"},
			{do: "first reset", want: "welcome+ check+ runtime+ first!"},
			{worked: true, want: "welcome+ check+ runtime+ first+ over"},
		},
		"what cannot be found out": {
			{see: unread, do: "welcome done", want: "welcome+ check+ runtime! first"},
			{see: noProof, want: "welcome+ check! runtime+ first"},
			{see: other, want: "welcome+ check+ runtime! first"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var m Memory
			var f Facts
			for i, step := range moves {
				now := t0.Add(time.Duration(i) * time.Minute)
				if step.see != nil {
					f.Report = step.see
				}
				if step.worked {
					f.Worked = now
				}
				if id, act, _ := strings.Cut(step.do, " "); step.do != "" {
					var err error
					if m, err = Do(m, f, ID(id), Act(act), now); err != nil {
						t.Fatalf("%d, %s: %v", i, step.do, err)
					}
				}
				m = again(t, Note(m, f, now))
				if got := line(Look(m, f)); got != step.want {
					t.Fatalf("%d: %s, want %s", i, got, step.want)
				}
			}
		})
	}
}

// again is a memory after a restart of the program.
func again(t *testing.T, m Memory) (out Memory) {
	t.Helper()
	data, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// In whatever order things are done and seen, at most one step is now, all before it
// are behind, what is possible is what Do takes, and it is done when no step is left.
func TestEveryOrder(t *testing.T) {
	reports := []*setup.Report{nil, bare, bareOff, off, damaged, ready, noProof, sick, groupless}
	acts := []Act{ActDone, ActSkip, ActReset}
	seen := map[string]bool{}
	var walk func(m Memory, worked time.Time, depth int)
	walk = func(m Memory, worked time.Time, depth int) {
		key := fmt.Sprint(m, worked, depth)
		if seen[key] {
			return
		}
		seen[key] = true
		for i, r := range reports {
			f := Facts{Report: r, Worked: worked}
			w := Look(m, f)
			hold(t, w, i)
			if depth == 0 {
				continue
			}
			for at, id := range IDs() {
				for _, act := range acts {
					next, err := Do(m, f, id, act, t0)
					if can := slices.Contains(w.Steps[at].Acts, act); can != (err == nil) {
						t.Fatalf("%s: %s %s is possible: %v, and answers %v", line(w), id, act, can, err)
					}
					if err == nil {
						walk(next, worked, depth-1)
					} else if next != m {
						t.Fatalf("%s: a refused %s %s is remembered", line(w), id, act)
					}
				}
			}
			walk(Note(m, f, t0), later, depth-1)
		}
	}
	walk(Memory{}, time.Time{}, 4)
	if len(seen) < 20 {
		t.Errorf("only %d states were seen", len(seen))
	}
}

func hold(t *testing.T, w Wizard, report int) {
	t.Helper()
	now, open := 0, false
	for i, s := range w.Steps {
		if s.ID != IDs()[i] || s.Acts == nil || s.Problems == nil {
			t.Fatalf("%s: %+v", line(w), s)
		}
		switch s.State {
		case Now:
			now++
			if open {
				t.Fatalf("report %d, %s: a step before the one that is now is open", report, line(w))
			}
			open = true
		case Open:
			open = true
		}
	}
	if (now == 0) != w.Done || now > 1 || w.Done && open || w.Done && w.Again {
		t.Fatalf("report %d: %s", report, line(w))
	}
}

// A step says which problems are its own, and what to ask an administrator for.
func TestProblemsOfSteps(t *testing.T) {
	m := Memory{Welcomed: t0}
	w := Look(m, Facts{Report: bareOff})
	if !slices.Equal(w.Steps[1].Problems, []int{1}) || !slices.Equal(w.Steps[2].Problems, []int{0}) {
		t.Errorf("%+v", w.Steps)
	}
	if w.Steps[1].Admin {
		t.Error("the settings of the firmware need no administrator of the system")
	}
	w = Look(m, Facts{Report: groupless})
	if s := w.Steps[1]; !s.Admin || s.Command != "sudo usermod" || len(s.Acts) != 0 {
		t.Errorf("%+v", s)
	}
	if got := Look(m, Facts{Report: slow}).Now(); got != First {
		t.Errorf("slow mode by choice: %s", got)
	}
}

func TestRefusals(t *testing.T) {
	for _, tt := range []struct {
		id   ID
		act  Act
		want error
	}{{"nobody", ActDone, ErrUnknown}, {Welcome, "dance", ErrNotAsked}, {Runtime, ActDone, ErrNotNow}, {First, ActDone, ErrNotNow}} {
		if _, err := Do(Memory{}, Facts{Report: bare}, tt.id, tt.act, t0); !errors.Is(err, tt.want) {
			t.Errorf("%s %s: %v", tt.id, tt.act, err)
		}
	}
}

// Where the settings can't be written the wizard says how things stand all the same.
func TestWizardAnswersWithoutADisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "config")
	kept, err := settings.Open(filepath.Join(dir, "config.json"), Memory{}, nil)
	if err == nil {
		err = os.WriteFile(dir, nil, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	done := task.Task{}
	done.State, done.Ended = task.StateDone, &t0
	worked := func() ([]task.Task, error) { return []task.Task{done}, nil }
	g := NewGuide(settings.Of(kept, func(m *Memory) *Memory { return m }), func() *setup.Report { return ready }, worked, func() time.Time { return later })
	if w, err := g.Wizard(t.Context()); err != nil || !w.Done {
		t.Errorf("%+v, %v", w, err)
	}
}
