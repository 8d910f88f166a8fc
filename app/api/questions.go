package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"piwork/app/approval"
	"piwork/app/consent"
	"piwork/vmhost"
)

// QuestionRef names a question of a task.
type QuestionRef struct {
	TaskRef
	Question string `path:"question" doc:"id of the question" minLength:"1" maxLength:"64" pattern:"^[0-9A-Za-z-]+$"`
}

func (a *API) registerQuestions() {
	svc := a.opts.Service
	op := func(id, method, path, summary string) huma.Operation {
		return huma.Operation{OperationID: id, Method: method, Path: path, Summary: summary, Tags: []string{"questions"}}
	}

	handle(a, op("listQuestions", http.MethodGet, "/api/questions", "What waits for a person, the riskiest first"),
		func(ctx context.Context, in *struct {
			Task string `query:"task" doc:"only what is of this task" maxLength:"64" pattern:"^[0-9A-Za-z-]*$"`
		}) (*body[[]vmhost.Question], error) {
			return ok(svc.Questions(ctx, in.Task))
		})
	answer := op("answerQuestion", http.MethodPost, "/api/tasks/{id}/questions/{question}", "Decide a question")
	answer.Description = "Answers when the decision is recorded. A question that was answered, or that nobody waits for any more, is a conflict."
	handle(a, answer, func(ctx context.Context, in *struct {
		QuestionRef
		Body consent.AnswerRequest
	}) (*body[vmhost.Decision], error) {
		return ok(svc.Answer(ctx, in.ID, in.Question, in.Body))
	})
	handle(a, op("listRules", http.MethodGet, "/api/rules", "What was decided for longer than once"),
		func(ctx context.Context, _ *none) (*body[[]approval.Rule], error) {
			return ok(svc.Rules(ctx))
		})
	handle(a, op("removeRule", http.MethodDelete, "/api/rules/{rule}", "Take back what was decided"),
		func(ctx context.Context, in *struct {
			Rule string `path:"rule" doc:"id of the rule" minLength:"1" maxLength:"64" pattern:"^[0-9A-Za-z-]+$"`
		}) (*none, error) {
			return &none{}, svc.RemoveRule(ctx, in.Rule)
		})
}
