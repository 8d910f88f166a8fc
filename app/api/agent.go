package api

import (
	"context"
	"encoding/json"

	"github.com/danielgtaylor/huma/v2"

	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
)

// agentService has what AI tasks are told and say.
type agentService interface {
	Say(ctx context.Context, id string, r tasks.SayRequest) (task.Task, error)
	TakeBack(ctx context.Context, id, message string) (task.Task, error)
	SetTaskModel(ctx context.Context, id string, r tasks.TaskModelRequest) (task.Task, error)
	CompactTask(ctx context.Context, id string, detached bool) (task.Task, error)
	ResumeTask(ctx context.Context, id string) (task.Task, error)
	Interrupt(ctx context.Context, id string) (task.Task, error)
	AgentLine(ctx context.Context, id string, n int64) (json.RawMessage, error)
	AgentEvents(ctx context.Context, id string, after int64, fn func(line int64, event json.RawMessage) error) error
}

// goOnRequest is about a task that may go on because of it.
type goOnRequest struct {
	TaskRef
	Detached bool `query:"detached" doc:"it does not end with the caller"`
}

var agentOperations = []operation{
	{"say", "POST /v1/tasks/{id}/messages", "Give an AI task a message",
		"While it works, the message is told at once (steer) or when it is done (followUp). A task that is over goes on with it; unless it is detached it must be held then: GET /v1/events?task=ID&hold=true.",
		call(Service.Say, func(a *API, ctx context.Context, in *taskInput[tasks.SayRequest]) (task.Task, error) {
			return a.beginning(ctx, in.Body.Detached, func(life context.Context) (task.Task, error) { return a.service.Say(life, in.ID, in.Body) })
		}).upTo(maxStartBody).needing(needAgain).failing(ofChanges...).failing(problem.CodeMachineSettings, problem.CodeNotResumable, problem.CodeTokenFolder)},
	{"takeBack", "DELETE /v1/tasks/{id}/messages/{message}", "Take back a message that was not heard yet", "",
		call(Service.TakeBack, func(a *API, ctx context.Context, in *struct {
			TaskRef
			Message string `path:"message" doc:"id of the message, as in the task's ai.pending" minLength:"1" maxLength:"64" pattern:"^[0-9A-Za-z-]+$"`
		}) (task.Task, error) {
			return a.service.TakeBack(ctx, in.ID, in.Message)
		}).failing(ofRecord...).failing(problem.CodeAgentFailed, problem.CodeMessageHeard, problem.CodeNotResumable, problem.CodeTaskRunning)},
	{"setTaskModel", "PUT /v1/tasks/{id}/model", "Change the model of an AI task, or how long it thinks",
		"At once where it is at work, and for whenever it goes on. What is left out stays as it is. While it is at work, only models of the same provider can be chosen; by a program with a token, that is so of each task that it did not start.",
		call(Service.SetTaskModel, func(a *API, ctx context.Context, in *taskInput[tasks.TaskModelRequest]) (task.Task, error) {
			if err := ownProvider(ctx, a.service, in.ID, in.Body.Model); err != nil {
				return task.Task{}, err
			}
			return a.service.SetTaskModel(ctx, in.ID, in.Body)
		}).failing(ofRecord...).failing(problem.CodeAgentFailed, problem.CodeAgentModel, problem.CodeKeysLocked, problem.CodeModelFailed, problem.CodeNoModel, problem.CodeNotResumable, problem.CodeTaskRunning, problem.CodeUnknownModel)},
	{"compactTask", "POST /v1/tasks/{id}/compact", "Have the older messages of an AI task summarised",
		"For a task that is over: it goes on only for that and is then as it was. Its timeline says what came of it. Unless it is detached it must be held: GET /v1/events?task=ID&hold=true.",
		call(Service.CompactTask, func(a *API, ctx context.Context, in *goOnRequest) (task.Task, error) {
			return a.beginning(ctx, in.Detached, func(life context.Context) (task.Task, error) {
				return a.service.CompactTask(life, in.ID, in.Detached)
			})
		}).needing(needAgain).failing(ofChanges...).failing(problem.CodeMachineSettings, problem.CodeNotResumable, problem.CodeTokenFolder)},
	{"resumeTask", "POST /v1/tasks/{id}/resume", "Go on with a task that was interrupted, stopped or failed", "",
		call(Service.ResumeTask, func(a *API, ctx context.Context, in *goOnRequest) (task.Task, error) {
			return a.beginning(ctx, in.Detached, func(life context.Context) (task.Task, error) { return a.service.ResumeTask(life, in.ID) })
		}).needing(needAgain).failing(ofChanges...).failing(problem.CodeMachineSettings, problem.CodeNotResumable, problem.CodeTokenFolder, problem.CodeUnknownChore)},
	{"interrupt", "POST /v1/tasks/{id}/interrupt", "End what the agent does at the moment", "", ofTask(Service.Interrupt).failing(ofRecord...).failing(problem.CodeAgentFailed, problem.CodeNotResumable)},
	{"getAgentLine", "GET /v1/tasks/{id}/agent/{line}", "One event of the agent, untouched", "",
		call(Service.AgentLine, func(a *API, ctx context.Context, in *struct {
			TaskRef
			Line int64 `path:"line" minimum:"1" doc:"as raw of the timeline's events"`
		}) (json.RawMessage, error) {
			return a.service.AgentLine(ctx, in.ID, in.Line)
		}).failing(ofRecord...)},
	{"streamAgentEvents", "GET /v1/tasks/{id}/agent", "The agent's own events, untouched, as they come",
		"Server-sent events from this moment on: agent.event with one line of the agent (pi --mode rpc) as data, unchanged, " +
			"also the parts of messages, which no record keeps; agent.over when the task does not run any more. Comments are heartbeats. " +
			"Nobody waits for the reader: a stream that ends without agent.over was too slow. What is kept is at /v1/tasks/{id}/agent/{line}, whose number is the id; a part of a message has that of the line before it: " +
			"who comes back with Last-Event-ID gets what was kept since, and misses parts of messages alone.",
		do(Service.AgentEvents, (*API).streamAgentEvents).
			streaming("Messages until the task is over", &huma.Schema{Description: "What the agent said; its shape is the agent's"}).failing(problem.CodeNotFound)},
}

// Names of the messages of GET /v1/tasks/{id}/agent.
const (
	AgentEvent = "agent.event" // the data is one event of the agent, as it said it
	AgentOver  = "agent.over"  // no data: the task does not run any more
)

func (a *API) streamAgentEvents(ctx context.Context, in *struct {
	TaskRef
	LastEventID string `header:"Last-Event-ID" doc:"of a client that comes back: the lines behind this one that were kept come first; 0 is all of them"`
}) (*huma.StreamResponse, error) {
	after, err := lastSeen(in.LastEventID, task.OnlyNew)
	if err != nil {
		return nil, err
	}
	if _, err := a.service.Task(ctx, in.ID); err != nil {
		return nil, err
	}
	return streamLines(ctx, a, AgentEvent, AgentOver, func(ctx context.Context, say func(int64, json.RawMessage) error) error {
		return a.service.AgentEvents(ctx, in.ID, after, say)
	}), nil
}
