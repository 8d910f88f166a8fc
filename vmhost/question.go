package vmhost

import (
	"context"
	"time"
)

// QuestionKind says what a person is asked about.
type QuestionKind string

// Kinds of questions.
const (
	AskDelete     QuestionKind = "delete"
	AskOverwrite  QuestionKind = "overwrite"
	AskMassChange QuestionKind = "mass-change"
	AskNetwork    QuestionKind = "network"
	AskCommand    QuestionKind = "command"
	AskApply      QuestionKind = "apply"
	AskUndoSpace  QuestionKind = "undo-space"
	AskUnpack     QuestionKind = "unpack"
	AskRuntime    QuestionKind = "runtime" // a place that keeps the task less apart
	AskFolder     QuestionKind = "folder"  // a yes is the path of a folder of this computer
	AskServer     QuestionKind = "server"  // a call of a tool of one of the person's MCP servers
	AskRule       QuestionKind = "rule"    // a written rule has the person asked
)

// Text is a message as a code and its parameters; its words are in app/words.
type Text struct {
	Code   string         `json:"code"`
	Params map[string]any `json:"params,omitempty"`
}

// Question is something only a person may decide. It is asked through an
// [AskFunc], so that those who ask know nothing of windows. Its answer is yes or
// no; with Choices a yes is one of them, with Input a yes is a text. Risk is how
// careful to be with a yes, and Scopes are how far one may reach; both are said when a
// person is asked, not by those who ask.
type Question struct {
	ID      string       `json:"id"`
	Task    string       `json:"task"`
	Kind    QuestionKind `json:"kind"`
	Text    Text         `json:"text"`
	Items   []string     `json:"items"`
	Expires *time.Time   `json:"expires,omitempty"`
	Choices []Choice     `json:"choices,omitempty"`
	Input   bool         `json:"input,omitempty"`
	Rule    string       `json:"rule,omitempty" doc:"the rule that has it asked: managed, yours or default, and its id"`
	Risk    string       `json:"risk,omitempty" enum:"none,low,high" doc:"how careful to be with a yes; where it is not said, as with high"`
	Scopes  []string     `json:"scopes,omitempty" enum:"once,task,folder,always" doc:"how far a yes may reach, the nearest first"`

	// Words, written where a question is shown, and never stored.
	Title   string         `json:"title,omitempty" words:"shown"`   // what is asked
	Detail  string         `json:"detail,omitempty" words:"shown"`  // what a yes, or waiting, means
	Quotes  []string       `json:"quotes,omitempty" words:"shown"`  // what the machine says in its own words, to be set apart
	Notes   []string       `json:"notes,omitempty" words:"shown"`   // what else to know, such as what a yes for longer covers
	Caution string         `json:"caution,omitempty" words:"shown"` // Risk, and what to do when unsure
	More    string         `json:"more,omitempty" words:"shown"`    // how many files there are beside Items
	Answers []AnswerOption `json:"answers,omitempty" words:"shown"` // all that a person can answer, the safest first
}

// AnswerOption is one way to answer a question, as it is sent.
type AnswerOption struct {
	Answer string `json:"answer" enum:"allow,deny"`
	Scope  string `json:"scope,omitempty" enum:"once,task,folder,always" doc:"how far it reaches; as is usual for the question where it is not said"`
	Rest   bool   `json:"rest,omitempty" doc:"refuses everything else that the task asks, too"`
	Label  string `json:"label"`
}

// Choice is one of several answers.
type Choice struct {
	Label string `json:"label"`
}

// Open reports whether a yes alone does not answer the question: it is one of
// its choices, or a text. Such an answer reaches no further than once.
func (q Question) Open() bool { return len(q.Choices) > 0 || q.Input }

// Answers and how far they reach.
const (
	AnswerAllow = "allow"
	AnswerDeny  = "deny"

	ScopeOnce   = "once"
	ScopeTask   = "task"
	ScopeFolder = "folder"
	ScopeAlways = "always"
)

// Decision answers the question of the same id.
type Decision struct {
	ID     string    `json:"id"`
	Answer string    `json:"answer"`
	Scope  string    `json:"scope"`
	By     string    `json:"by"`               // "person", "program", "beforehand", "rule", "plan", "default"
	Client string    `json:"client,omitempty"` // the program with a token that decided
	Rule   string    `json:"rule,omitempty"`   // the written rule that decided; see package policy
	Time   time.Time `json:"time"`

	Choice *int   `json:"choice,omitempty"` // of the question's choices, from 0
	Text   string `json:"text,omitempty"`   // of a question for input
}

// AskFunc waits for a decision. When ctx ends first, the answer is deny with
// its error.
type AskFunc func(ctx context.Context, q Question) (Decision, error)
