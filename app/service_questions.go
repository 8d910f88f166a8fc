package app

import (
	"context"

	"piwork/app/approval"
	"piwork/app/consent"
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
	Answer(ctx context.Context, task, question string, r consent.AnswerRequest) (vmhost.Decision, error)

	// Rules lists what was decided for longer than once, oldest first: for tasks
	// that run, for folders, and everywhere.
	Rules(ctx context.Context) ([]approval.Rule, error)

	// RemoveRule takes a rule back. Tasks that run ask again from then on.
	RemoveRule(ctx context.Context, id string) error
}
