package api

import (
	"context"

	"piwork/app/problem"
	"piwork/app/runtimes"
)

// runtimeService has the kinds of places where tasks work.
type runtimeService interface {
	Runtimes(context.Context) ([]runtimes.Status, error)
	TestRuntime(ctx context.Context, kind string) (runtimes.Status, error)
	ExplainRuntime(context.Context, runtimes.Need) (runtimes.Choice, error)
	RuntimeSettings(context.Context) (runtimes.Settings, error)
	SetRuntimes(context.Context, runtimes.Settings) (runtimes.Settings, error)
}

var runtimeOperations = []operation{
	{"listRuntimes", "GET /v1/runtimes", "Which kinds of places for tasks are there, and do they work here?",
		"The one that keeps a task apart best comes first. A kind that was not proven since this computer started does a small task for it.", get(Service.Runtimes)},
	{"testRuntime", "POST /v1/runtimes/{kind}/test", "Have a kind of place do a small task, now", "One that is switched off does none.",
		call(Service.TestRuntime, func(a *API, ctx context.Context, in *struct {
			Kind string `path:"kind" maxLength:"64" doc:"name of the kind"`
		}) (runtimes.Status, error) {
			return a.service.TestRuntime(ctx, in.Kind)
		}).failing(problem.CodeRuntimeUnfit)},
	{"explainRuntime", "POST /v1/runtimes/explain", "Where would a task work, and why not elsewhere?",
		"Nothing is started but what proves a kind. The kind is empty where none will do.", send(Service.ExplainRuntime)},
	{"getRuntimeSettings", "GET /v1/settings/runtimes", "Which kinds of places are preferred, and what is said to weaker ones?", "", get(Service.RuntimeSettings).needing(needManage)},
	{"setRuntimes", "POST /v1/settings/runtimes", "Choose which kinds of places are preferred, and what is said to weaker ones", "A program with a token cannot.", send(Service.SetRuntimes).needing(needPerson).failing(problem.CodeNotFound)},
}
