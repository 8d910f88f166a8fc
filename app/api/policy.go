package api

import (
	"context"

	"piwork/app/approval"
	"piwork/app/consent"
	"piwork/app/policy"
	"piwork/app/problem"
)

// policyService has the rules that are written, and when decisions end.
type policyService interface {
	Policy(context.Context) (consent.Policy, error)
	SetPolicy(context.Context, consent.PolicyText) (consent.Policy, error)
	CheckPolicy(context.Context, consent.PolicyText) (consent.PolicyCheck, error)
	ExplainPolicy(context.Context, consent.ExplainRequest) (consent.Explanation, error)
	Proposals(context.Context) ([]policy.Proposal, error)
	AcceptProposal(ctx context.Context, id string, a consent.Acceptance) (consent.Policy, error)
	DropProposal(ctx context.Context, id string) error
	Exceptions(context.Context) ([]policy.RuleException, error)
	RemoveException(ctx context.Context, id string) error
	SetRuleEnd(ctx context.Context, id string, r consent.RuleEnd) (approval.Rule, error)
	NarrowRule(ctx context.Context, id string, r consent.RuleScope) (approval.Rule, error)
}

// ProposalRef names a proposal.
type ProposalRef struct {
	Proposal string `path:"proposal" doc:"id of the proposal" minLength:"1" maxLength:"64" pattern:"^[0-9A-Za-z-]+$"`
}

func (r ProposalRef) id() string { return r.Proposal }

// ExceptionRef names an exception.
type ExceptionRef struct {
	Exception string `path:"exception" doc:"id of the exception" minLength:"1" maxLength:"64" pattern:"^[0-9a-f]+$"`
}

func (r ExceptionRef) id() string { return r.Exception }

var policyOperations = []operation{
	{"getPolicy", "GET /v1/policy", "Which written rules are there, and what do they say?",
		"Those of an administrator come first, then yours, then what piwork does anyway. A file with a fault refuses everything until it is mended.", get(Service.Policy)},
	{"setPolicy", "PUT /v1/policy", "Replace your file of rules",
		"A text with a fault is refused. Tasks that run follow it at once. A program with a token cannot.", send(Service.SetPolicy).needing(needPerson).failing(problem.CodePolicyChanged, problem.CodePolicyFault)},
	{"checkPolicy", "POST /v1/policy/check", "What is wrong with a text of rules, and what does it say?", "Nothing is written.", send(Service.CheckPolicy)},
	{"explainPolicy", "POST /v1/policy/explain", "What do the rules say to something, and which of them?",
		"Nothing is done. What was decided as an answer to a question is not part of it: see listRules.", send(Service.ExplainPolicy)},
	{"listProposals", "GET /v1/policy/proposals", "What was refused to AIs, and which change of your rules would allow it?",
		"Each would allow exactly what was refused, to its AI program, and nothing else. What an administrator refuses is proposed to nobody. A program with a token cannot.", list(Service.Proposals, func(p policy.Proposal) string { return p.ID }).needing(needPerson)},
	{"acceptProposal", "POST /v1/policy/proposals/{proposal}/accept", "Change your rules as proposed", "The rule gets an exception, which holds as long as you say and stands in its text. When the rules have changed so that it would not do what it says, nothing is written and it is gone. A program with a token cannot.",
		call(Service.AcceptProposal, func(a *API, ctx context.Context, in *struct {
			ProposalRef
			Body *consent.Acceptance
		}) (consent.Policy, error) {
			return a.service.AcceptProposal(ctx, in.Proposal, orZero(in.Body))
		}).needing(needPerson).failing(problem.CodeNotFound, problem.CodePolicyChanged, problem.CodePolicyFault)},
	{"dropProposal", "DELETE /v1/policy/proposals/{proposal}", "Refuse a proposal", "It is not made again. A program with a token cannot.", remove[ProposalRef](Service.DropProposal).needing(needPerson).failing(problem.CodeNotFound)},
	{"listExceptions", "GET /v1/policy/exceptions", "Which exceptions do your rules have?",
		"Those of proposals that you accepted, and those in your file that are written like them. One that has ended goes from the file within seconds, unless it was changed by hand. A program with a token cannot.", list(Service.Exceptions, func(x policy.RuleException) string { return x.ID }).needing(needPerson)},
	{"removeException", "DELETE /v1/policy/exceptions/{exception}", "Take an exception back", "The text of the rule is then what it was without it. One that was changed by hand stays (exception-changed). A program with a token cannot.", remove[ExceptionRef](Service.RemoveException).needing(needPerson).failing(problem.CodeExceptionChanged, problem.CodePolicyChanged, problem.CodePolicyFault)},
	{"setRuleEnd", "PUT /v1/rules/{rule}/end", "Say when a decision ends", "A program with a token cannot.",
		call(Service.SetRuleEnd, func(a *API, ctx context.Context, in *struct {
			RuleRef
			Body consent.RuleEnd
		}) (approval.Rule, error) {
			return a.service.SetRuleEnd(ctx, in.Rule, in.Body)
		}).needing(needPerson).failing(problem.CodeNotFound)},
	{"narrowRule", "PUT /v1/rules/{rule}/scope", "Have a decision hold for less", "For one task, one folder or one address of those that it is about. It is never widened; of two requests at the same moment one is done, and the other answered by 412 (changed). A program with a token cannot.",
		call(Service.NarrowRule, func(a *API, ctx context.Context, in *struct {
			RuleRef
			Body consent.RuleScope
		}) (approval.Rule, error) {
			return a.service.NarrowRule(ctx, in.Rule, in.Body)
		}).needing(needPerson).failing(ofRecord...)},
}
