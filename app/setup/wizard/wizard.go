// Package wizard is the way from the first start to the first finished chore, as
// data: its steps, what each waits for, and what a person may do about it.
//
// # Nothing is remembered that can be seen
//
// Whether the computer can work is in the report of app/setup, and whether a chore
// was done in the tasks. [Memory] holds only what nobody can see: that the welcome
// was read, that a warning was set aside, when all of it was over. So leaving,
// coming back, a restart of the program or of the computer (into the settings of
// its firmware, too) and whatever breaks or mends itself in between lead to the
// step that is really next: [Look] computes it anew each time.
//
// # Where there can be no workroom
//
// A person may allow a weaker kind of place instead (app/runtimes). Then the steps that only a
// machine needs are skipped, as long as that is allowed.
//
// # What breaks later
//
// A wizard that was over and whose computer cannot work any more is not done; its
// welcome and its first chore stay behind it ([Wizard].Again), so that the person
// sees what has to be mended and then goes on where they were.
package wizard

import (
	"errors"
	"slices"
	"strings"
	"time"

	"piwork/app/problem"
	"piwork/app/setup"
)

// ID names a step.
type ID string

// Steps, in their order.
const (
	Welcome ID = "welcome" // what piwork does, and that it may get ready
	Check   ID = "check"   // what stands in the way on this computer
	Runtime ID = "runtime" // the runtime is here, and is what was signed
	First   ID = "first"   // a chore, on sample files or on a folder of the person
)

// IDs are all steps in their order.
func IDs() []ID { return []ID{Welcome, Check, Runtime, First} }

// State is how a step stands.
type State string

// States. One step at most is now: the first that is neither done nor skipped.
const (
	Open    State = "open" // comes later
	Now     State = "now"
	Done    State = "done"
	Skipped State = "skipped"
)

// Act is what a person does about a step.
type Act string

// Acts.
const (
	ActDone  Act = "done"
	ActSkip  Act = "skip"
	ActReset Act = "reset" // from this step on, all of it once more
)

// Step is one step.
type Step struct {
	ID    ID    `json:"id"`
	State State `json:"state"`
	Acts  []Act `json:"acts"` // that are possible now

	// Problems are the places of this step's problems in the report, the first to
	// solve first.
	Problems []int `json:"problems"`
	// Command does what an administrator has to do for this step, all of it in one
	// line to be asked for one password; "" when none is needed or known.
	Command string `json:"command,omitempty"`
	// Admin says that an administrator has to agree to a fix of this step.
	Admin bool `json:"admin,omitempty"`
}

// Wizard is how all of it stands.
type Wizard struct {
	Steps []Step `json:"steps"`
	Done  bool   `json:"done"`
	Again bool   `json:"again,omitempty"` // it was done once, and something broke since

	Instead string `json:"instead,omitempty" doc:"the kind of place in which tasks work because there can be no workroom"`
}

// Now is the step that is next, "" when there is none.
func (w Wizard) Now() ID {
	for _, s := range w.Steps {
		if s.State == Now {
			return s.ID
		}
	}
	return ""
}

// Memory is what has to be remembered, in the settings. The zero value is that of a
// program that never ran.
type Memory struct {
	Welcomed time.Time `json:"welcomed,omitzero"` // when the welcome was answered
	Unproven bool      `json:"unproven,omitempty"`
	// First is Done or Skipped where a person said so.
	First    State     `json:"first,omitempty"`
	Finished time.Time `json:"finished,omitzero"` // when it was over for the first time
}

// IsZero reports whether nothing is remembered.
func (m Memory) IsZero() bool { return m == Memory{} }

// Facts are what can be seen.
type Facts struct {
	Report *setup.Report // nil before the first look
	Worked time.Time     // when a task was done last; the zero value: never

	// Instead is the kind of place that a person allows where there can be no machine, ""
	// without one.
	Instead string
}

// instead reports whether tasks work in another kind of place: the runtime is here, and it is
// the machine that there cannot be.
func (f Facts) instead() bool {
	r := f.Report
	return f.Instead != "" && r != nil && !r.Ready && r.Pack.Installed && r.Pack.Verified &&
		!slices.ContainsFunc(r.Problems, func(p problem.Problem) bool {
			return stops(p, r) && p.Code != problem.CodeAccelUnavailable && p.Code != problem.CodeBootFailed
		})
}

// Errors of [Do].
var (
	ErrUnknown  = errors.New("no step of the wizard")
	ErrNotNow   = errors.New("not possible at this step now")
	ErrNotAsked = errors.New("no act of the wizard")
)

// Look says how all steps stand.
func Look(m Memory, f Facts) Wizard {
	over := !m.Finished.IsZero()
	welcomed := over || !m.Welcomed.IsZero()
	steps := []Step{
		{ID: Welcome, State: when(welcomed)},
		lookAt(Check, f.Report),
		lookAt(Runtime, f.Report),
		{ID: First, State: when(over && m.First != Skipped || m.First == Done || welcomed && f.Worked.After(m.Welcomed))},
	}
	if m.Unproven && foreseen(f.Report) && steps[1].State != Done {
		steps[1].State = Skipped
	}
	if f.instead() {
		for i := range steps[1:3] {
			if steps[1+i].State != Done {
				steps[1+i].State = Skipped
			}
		}
	}
	if m.First == Skipped && steps[3].State != Done {
		steps[3].State = Skipped
	}
	w := Wizard{Steps: steps, Done: true}
	if f.instead() {
		w.Instead = f.Instead
	}
	for i := range steps {
		s := &steps[i]
		if s.State == Open && w.Done {
			s.State, w.Done = Now, false
		}
		s.Acts = acts(s, f)
		if s.Problems == nil {
			s.Problems = []int{}
		}
	}
	w.Again = over && !w.Done
	return w
}

func when(done bool) State {
	if done {
		return Done
	}
	return Open
}

// acts are what is possible at a step. What can be seen is not for a person to say.
func acts(s *Step, f Facts) []Act {
	can := []Act{}
	if s.State == Now {
		switch {
		case s.ID == Welcome:
			can = append(can, ActDone)
		case s.ID == Check && foreseen(f.Report):
			can = append(can, ActSkip)
		case s.ID == First:
			can = append(can, ActDone, ActSkip)
		}
	}
	if s.State == Done && (s.ID == Welcome || s.ID == First) || s.State == Skipped && !(f.instead() && (s.ID == Check || s.ID == Runtime)) {
		can = append(can, ActReset)
	}
	return can
}

// lookAt is a step that the report answers.
func lookAt(id ID, r *setup.Report) Step {
	s := Step{ID: id, State: Open}
	if r == nil {
		return s
	}
	var commands []string
	for i, p := range r.Problems {
		if !stops(p, r) || belongs(p) != id {
			continue
		}
		s.Problems = append(s.Problems, i)
		for _, fix := range p.Fix {
			if !setup.NeedsAdmin(fix.Code) {
				continue
			}
			s.Admin = true
			if fix.Command != "" && !slices.Contains(commands, fix.Command) && fix.Code != problem.FixFirmware {
				commands = append(commands, fix.Command)
			}
		}
	}
	s.Command = strings.Join(commands, " && ")
	switch {
	case r.Ready:
		s.State = Done
	case id == Runtime:
		s.State = when(r.Pack.Installed && r.Pack.Verified && len(s.Problems) == 0)
	default:
		s.State = when(len(s.Problems) == 0)
	}
	return s
}

// stops reports whether a problem of a report is in the way of work.
func stops(p problem.Problem, r *setup.Report) bool {
	return !r.Ready && p.Severity == problem.Blocking
}

// belongs says at which step a problem is solved. What is about the boot itself is
// about the runtime where not even the slow mode works: then the computer is not to
// blame.
func belongs(p problem.Problem) ID {
	switch p.Code {
	case problem.CodeAccelUnavailable:
		if p.Cause == setup.CauseGuestArch {
			return Runtime
		}
		return Check
	case problem.CodeNotChecked:
		if p.Params["check"] == setup.CheckAccelBoot {
			return Check
		}
	}
	return Runtime
}

// foreseen reports whether what is in the way was only seen: without a runtime
// nothing was tried, and a person may go on and find out.
func foreseen(r *setup.Report) bool { return r != nil && !r.Ready && !r.Pack.Verified }

// Do is a person's act at a step. It returns what to remember then.
func Do(m Memory, f Facts, id ID, act Act, now time.Time) (Memory, error) {
	at := slices.Index(IDs(), id)
	if at < 0 {
		return m, ErrUnknown
	}
	if !slices.Contains([]Act{ActDone, ActSkip, ActReset}, act) {
		return m, ErrNotAsked
	}
	if !slices.Contains(Look(m, f).Steps[at].Acts, act) {
		return m, ErrNotNow
	}
	now = now.UTC()
	switch {
	case act == ActReset && id == Welcome:
		return Memory{Unproven: false, First: Open}, nil
	case act == ActReset && id == Check:
		m.Unproven = false
	case act == ActReset:
		m.First, m.Finished, m.Welcomed = Open, time.Time{}, now
	case id == Welcome:
		m.Welcomed = now
	case id == Check:
		m.Unproven = true
	default:
		m.First = map[Act]State{ActDone: Done, ActSkip: Skipped}[act]
	}
	return Note(m, f, now), nil
}

// Note returns what to remember of what was seen: that all of it is over. A
// program that has work behind it and remembers no wizard is from before there was
// one, and needs none.
func Note(m Memory, f Facts, now time.Time) Memory {
	if m.IsZero() && !f.Worked.IsZero() {
		m.Finished = now.UTC()
	}
	if m.Finished.IsZero() && Look(m, f).Done {
		m.Finished = now.UTC()
	}
	return m
}
