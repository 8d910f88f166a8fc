package api

import (
	"cmp"
	"context"
	"strings"

	"piwork/app/access"
	"piwork/app/api/paging"
	"piwork/app/approval"
	"piwork/app/consent"
	"piwork/app/problem"
	"piwork/vmhost"
)

// questionService has what only a person may decide. Questions and decisions are events
// of their tasks, too.
type questionService interface {
	Questions(ctx context.Context, task string) ([]vmhost.Question, error)
	Answer(ctx context.Context, task, question string, r consent.AnswerRequest) (vmhost.Decision, error)
	Rules(context.Context) ([]approval.Rule, error)
	Rule(ctx context.Context, id string) (approval.Rule, error)
	RemoveRule(ctx context.Context, id string) error
}

// RuleRef names a rule.
type RuleRef struct {
	Rule string `path:"rule" doc:"id of the rule" minLength:"1" maxLength:"64" pattern:"^[0-9A-Za-z-]+$"`
}

func (r RuleRef) id() string { return r.Rule }

var questionOperations = []operation{
	{"listQuestions", "GET /v1/questions", "What waits for a person, the riskiest first", "",
		pages(Service.Questions, func(a *API, ctx context.Context, in *struct {
			paging.Request
			Task string `query:"task" doc:"only what is of this task" maxLength:"64" pattern:"^[0-9A-Za-z-]*$"`
		}) ([]vmhost.Question, error) {
			all, err := a.service.Questions(ctx, in.Task)
			return onlySeen(ctx, a.service, all, func(q vmhost.Question) string { return q.Task }), err
		}, func(q vmhost.Question) string { return q.ID })},
	{"answerQuestion", "POST /v1/tasks/{id}/questions/{question}", "Decide a question",
		"Answers when the decision is recorded. A question that was answered, or that nobody waits for any more, is a conflict. A program with a token cannot allow a weaker place for a task that it did not start.",
		call(Service.Answer, func(a *API, ctx context.Context, in *struct {
			TaskRef
			Question string `path:"question" doc:"id of the question" minLength:"1" maxLength:"64" pattern:"^[0-9A-Za-z-]+$"`
			Body     consent.AnswerRequest
		}) (vmhost.Decision, error) {
			if err := ownAnswer(ctx, a.service, in.ID, &in.Body); err != nil {
				return vmhost.Decision{}, err
			}
			return a.service.Answer(ctx, in.ID, in.Question, in.Body)
		}).failing(ofRecord...).failing(ofFolder...).failing(problem.CodeFolderOverlap, problem.CodeQuestionOver)},
	{"listRules", "GET /v1/rules", "What was decided for longer than once", "", list(Service.Rules, func(r approval.Rule) string { return r.ID }).needing(needManage)},
	{"getRule", "GET /v1/rules/{rule}", "One decision for longer than once", "", of[RuleRef](Service.Rule).needing(needManage).failing(problem.CodeNotFound)},
	{"removeRule", "DELETE /v1/rules/{rule}", "Take back what was decided", "A program with a token cannot where it is about places, or denies something for longer than a task.",
		drop(Service.RemoveRule, func(a *API, ctx context.Context, in *RuleRef) error {
			if access.ClientOf(ctx) != nil {
				rule, err := a.service.Rule(ctx, in.Rule)
				place, denial := strings.HasPrefix(rule.Topic, consent.TopicRuntime), rule.Answer != vmhost.AnswerAllow && rule.Scope() != vmhost.ScopeTask
				if err := cmp.Or(err, personal(ctx, place || denial)); err != nil {
					return err
				}
			}
			return a.service.RemoveRule(ctx, in.Rule)
		}).needing(needManage).failing(problem.CodeNotFound)},
}
