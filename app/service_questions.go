package app

import (
	"context"

	"piwork/app/approval"
	"piwork/vmhost"
)

// QuestionService is about what only a person may decide. Questions and decisions
// are events of their tasks, too.
type QuestionService interface {
	// Questions lists what waits for an answer, the riskiest first; with a task only
	// what is of it.
	Questions(ctx context.Context, task string) ([]vmhost.Question, error)

	// Answer decides a question of a task. When it returns, the decision is
	// recorded and the task goes on. A question that is not open is a conflict.
	Answer(ctx context.Context, task, question string, r AnswerRequest) (vmhost.Decision, error)

	// Rules lists what was decided for longer than once, oldest first: for tasks
	// that run, for folders, and everywhere.
	Rules(ctx context.Context) ([]approval.Rule, error)

	// RemoveRule takes a rule back. Tasks that run ask again from then on.
	RemoveRule(ctx context.Context, id string) error
}

// AnswerRequest is an answer to a question.
type AnswerRequest struct {
	Answer string `json:"answer" enum:"allow,deny"`
	// Scope says for how long: "once", "task", "folder" or "always". A yes reaches as far
	// as the question offers, and by default no further than once; a no to changes of
	// files is about the task by default, any other about this once.
	Scope string `json:"scope,omitempty" enum:"once,task,folder,always"`
	// Seen is how many of its items were shown: one that grew meanwhile is decided
	// as far as that. 0 is all of them.
	Seen int `json:"seen,omitempty" minimum:"0"`
	// Rest refuses everything else, too, that the task asks while it runs: only with
	// "deny".
	Rest bool `json:"rest,omitempty"`
	// Unattended says that nobody is there to be asked: only "deny".
	Unattended bool `json:"unattended,omitempty"`
	// Choice is the number of the choice that is taken, from 0, of a question that
	// has some; Text what is written, of one that asks for a text. Their scope is
	// "once".
	Choice *int   `json:"choice,omitempty" minimum:"0"`
	Text   string `json:"text,omitempty" maxLength:"65536"`
}
