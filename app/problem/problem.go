// Package problem is the one form in which a failure reaches a person: a code
// with parameters, never a sentence; package words has the sentences. It is also the one
// place that turns typed errors of the rooms below into such a value, so that a cause is
// never guessed: an error that it does not know becomes [CodeUnknown], with its text as
// evidence.
package problem

// Severity says how much a problem stops.
type Severity string

// Severities.
const (
	Blocking Severity = "blocking" // no task can start
	Failed   Severity = "error"    // this task or item failed
	Warning  Severity = "warning"  // done, but not as one would expect
)

// FixKind says how a person follows a fix.
type FixKind string

// Kinds of fixes.
const (
	FixAction  FixKind = "action"  // a button of piwork does it
	FixLink    FixKind = "link"    // a page explains it
	FixCommand FixKind = "command" // a command line does it
)

// Restart says what has to start anew before a fix has an effect.
type Restart string

// Restarts, each includes those before it. "" is none.
const (
	RestartProgram  Restart = "program"  // piwork
	RestartSession  Restart = "session"  // the person's log-in
	RestartComputer Restart = "computer" // all of it
)

// Fix is one next step, best first in its list.
type Fix struct {
	Kind    FixKind `json:"kind"`
	Code    string  `json:"code"`
	Command string  `json:"command,omitempty"` // to type, for this computer; it is only shown
	// The words, which app/words writes where the problem is shown; never stored.
	Title string   `json:"title,omitempty" words:"shown"` // of its button, or the line that says what to do
	Lead  string   `json:"lead,omitempty" words:"shown"`  // stands over Command
	Steps []string `json:"steps,omitempty" words:"shown"` // what to do, in several lines
	// Runs is what piwork has the system run, when the person presses a button and an
	// administrator agrees; "" where it cannot.
	Runs string `json:"runs,omitempty"`
}

// Problem is what a person sees: cause, consequence and next steps by code.
type Problem struct {
	Code     string         `json:"code"`
	Params   map[string]any `json:"params,omitempty"`
	Severity Severity       `json:"severity"`
	Cause    string         `json:"cause"` // code of the cause, "" when it is not known
	Fix      []Fix          `json:"fix"`
	Restart  Restart        `json:"restart,omitempty"` // what the fixes need then
	// The words, which app/words writes where the problem is shown; never stored.
	Title  string `json:"title,omitempty" words:"shown"`  // what happened
	Detail string `json:"detail,omitempty" words:"shown"` // what it means, and what to do
	Reason string `json:"reason,omitempty" words:"shown"` // in a few words, behind the name of a file
	Then   string `json:"then,omitempty" words:"shown"`   // what has to start anew after the fixes

	Details string `json:"details,omitempty"` // evidence: the failing step and its error, in English
}

// Error makes a Problem an error, so that it can travel as one.
func (p *Problem) Error() string {
	if p.Details != "" {
		return p.Code + ": " + p.Details
	}
	return p.Code
}
