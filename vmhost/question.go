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
)

// Text is a message as a code and its parameters; the words live in the
// catalogues of the window and the command line.
type Text struct {
	Code   string         `json:"code"`
	Params map[string]any `json:"params,omitempty"`
}

// Question is something only a person may decide. It is asked through an
// [AskFunc], so that those who ask know nothing of windows.
type Question struct {
	ID      string       `json:"id"`
	Task    string       `json:"task"`
	Kind    QuestionKind `json:"kind"`
	Text    Text         `json:"text"`
	Items   []string     `json:"items"`
	Expires *time.Time   `json:"expires,omitempty"`
}

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
	By     string    `json:"by"` // "person", "rule", "plan", "default"
	Time   time.Time `json:"time"`
}

// AskFunc waits for a decision. When ctx ends first, the answer is deny with
// its error.
type AskFunc func(ctx context.Context, q Question) (Decision, error)
