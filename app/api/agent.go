package api

import (
	"context"
	"encoding/json"
	"net/http"
	"piwork/app/consent"
	"piwork/app/models"
	"piwork/app/tasks"

	"github.com/danielgtaylor/huma/v2"

	"piwork/app/approval"
	"piwork/app/task"
)

// maxSayBody bounds a message with its pictures.
const maxSayBody = 64 << 20

// ProviderRef names a provider of models.
type ProviderRef struct {
	Provider string `path:"provider" doc:"short name of the provider" minLength:"1" maxLength:"64" pattern:"^[a-z0-9][a-z0-9._-]*$"`
}

func (a *API) registerAgent() {
	svc := a.opts.Service
	op := func(id, method, path, tag, summary string) huma.Operation {
		return huma.Operation{OperationID: id, Method: method, Path: path, Summary: summary, Tags: []string{tag}}
	}

	say := op("say", http.MethodPost, "/api/tasks/{id}/messages", "tasks", "Give an AI task a message")
	say.Description = "While it works, the message is told at once (steer) or when it is done (followUp). A task that is over goes on with it; unless it is detached it must be held then: GET /api/events?task=ID&hold=true."
	say.MaxBodyBytes = maxSayBody
	handle(a, say, func(ctx context.Context, in *struct {
		TaskRef
		Body tasks.SayRequest
	}) (*body[task.Task], error) {
		return a.going(ctx, in.ID, in.Body.Detached, func(life context.Context) (task.Task, error) { return svc.Say(life, in.ID, in.Body) })
	})
	handle(a, op("takeBack", http.MethodDelete, "/api/tasks/{id}/messages/{message}", "tasks", "Take back a message that was not heard yet"),
		func(ctx context.Context, in *struct {
			TaskRef
			Message string `path:"message" doc:"id of the message, as in the task's ai.pending" minLength:"1" maxLength:"64" pattern:"^[0-9A-Za-z-]+$"`
		}) (*body[task.Task], error) {
			return ok(svc.TakeBack(ctx, in.ID, in.Message))
		})
	tune := op("setTaskModel", http.MethodPut, "/api/tasks/{id}/model", "tasks", "Change the model of an AI task, or how long it thinks")
	tune.Description = "At once where it is at work, and for whenever it goes on. What is left out stays as it is. While it is at work, only models of the same provider can be chosen."
	handle(a, tune, func(ctx context.Context, in *struct {
		TaskRef
		Body tasks.TaskModelRequest
	}) (*body[task.Task], error) {
		return ok(svc.SetTaskModel(ctx, in.ID, in.Body))
	})
	compact := op("compactTask", http.MethodPost, "/api/tasks/{id}/compact", "tasks", "Have the older messages of an AI task summarised")
	compact.Description = "For a task that is over: it goes on only for that and is then as it was. Its timeline says what came of it. Unless it is detached it must be held: GET /api/events?task=ID&hold=true."
	handle(a, compact, func(ctx context.Context, in *struct {
		TaskRef
		Detached bool `query:"detached" doc:"it does not end with the caller"`
	}) (*body[task.Task], error) {
		return a.going(ctx, in.ID, in.Detached, func(life context.Context) (task.Task, error) { return svc.CompactTask(life, in.ID, in.Detached) })
	})
	handle(a, op("resumeTask", http.MethodPost, "/api/tasks/{id}/resume", "tasks", "Go on with a task that was interrupted, stopped or failed"),
		func(ctx context.Context, in *struct {
			TaskRef
			Detached bool `query:"detached" doc:"it does not end with the caller"`
		}) (*body[task.Task], error) {
			return a.going(ctx, in.ID, in.Detached, func(life context.Context) (task.Task, error) { return svc.ResumeTask(life, in.ID) })
		})
	handle(a, op("interrupt", http.MethodPost, "/api/tasks/{id}/interrupt", "tasks", "End what the agent does at the moment"),
		func(ctx context.Context, in *TaskRef) (*body[task.Task], error) {
			return ok(svc.Interrupt(ctx, in.ID))
		})
	handle(a, op("getAgentLine", http.MethodGet, "/api/tasks/{id}/agent/{line}", "tasks", "One event of the agent, untouched"),
		func(ctx context.Context, in *struct {
			TaskRef
			Line int64 `path:"line" minimum:"1" doc:"as raw of the timeline's events"`
		}) (*body[json.RawMessage], error) {
			return ok(svc.AgentLine(ctx, in.ID, in.Line))
		})

	handle(a, op("listModels", http.MethodGet, "/api/models", "models", "What can do an AI task"),
		func(ctx context.Context, _ *none) (*body[models.Catalogue], error) { return ok(svc.Models(ctx)) })
	handle(a, op("setModel", http.MethodPut, "/api/models/default", "models", "Which model is taken when none is named"),
		func(ctx context.Context, in *input[models.ChoiceRequest]) (*body[models.Catalogue], error) {
			return ok(svc.SetModel(ctx, in.Body))
		})
	handle(a, op("sayOfModel", http.MethodPut, "/api/models/said", "models", "Say what a model of a service of one's own can do"),
		func(ctx context.Context, in *input[models.OverrideRequest]) (*body[models.Catalogue], error) {
			return ok(svc.OverrideModel(ctx, in.Body))
		})
	handle(a, op("listKeys", http.MethodGet, "/api/keys", "models", "Providers of models, and whether there is a key"),
		func(ctx context.Context, _ *none) (*body[[]models.KeyInfo], error) { return ok(svc.Keys(ctx)) })
	setKey := op("setKey", http.MethodPut, "/api/keys/{provider}", "models", "Keep a key in the keychain of this computer")
	setKey.Description = "It is never shown again."
	handle(a, setKey, func(ctx context.Context, in *struct {
		ProviderRef
		Body models.KeyRequest
	}) (*body[models.KeyInfo], error) {
		return ok(svc.SetKey(ctx, in.Provider, in.Body))
	})
	handle(a, op("removeKey", http.MethodDelete, "/api/keys/{provider}", "models", "Forget a key"),
		func(ctx context.Context, in *ProviderRef) (*none, error) {
			return &none{}, svc.RemoveKey(ctx, in.Provider)
		})
	handle(a, op("testKey", http.MethodPost, "/api/keys/{provider}/test", "models", "Ask the provider whether it takes the key"),
		func(ctx context.Context, in *ProviderRef) (*body[models.KeyTest], error) {
			return ok(svc.TestKey(ctx, in.Provider))
		})

	handle(a, op("listNetworkRules", http.MethodGet, "/api/network/rules", "network", "What tasks may reach"),
		func(ctx context.Context, _ *none) (*body[consent.NetworkRules], error) {
			return ok(svc.NetworkRules(ctx))
		})
	handle(a, op("addNetworkRule", http.MethodPost, "/api/network/rules", "network", "Allow or deny a name"),
		func(ctx context.Context, in *input[consent.NetworkRuleRequest]) (*body[approval.Rule], error) {
			return ok(svc.AddNetworkRule(ctx, in.Body))
		})
}

// going tells a task something that may have it go on. One that does, and is not
// detached, ends with who holds it, as one that starts.
func (a *API) going(ctx context.Context, id string, detached bool, f func(context.Context) (task.Task, error)) (*body[task.Task], error) {
	if detached {
		return ok(f(context.WithoutCancel(ctx)))
	}
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	t, err := f(life)
	if err != nil || t.State != task.StateQueued { // it runs in somebody else's hold
		cancel()
		return ok(t, err)
	}
	a.holds.drop(id)
	a.holds.add(id, cancel)
	return ok(t, nil)
}
