package app

import (
	"context"
	"encoding/json"
	"piwork/app/consent"
	"piwork/app/models"
	"piwork/app/tasks"

	"piwork/app/approval"
	"piwork/app/task"
)

// AgentService is about tasks that are asked for in a person's own words
// (task.KindAI), and about the models that do them.
type AgentService interface {
	// Say gives a task a message: while it runs now (steer) or when it is done with
	// what it does (followUp), and a task that is over goes on with it. When it
	// returns, the message is durable.
	Say(ctx context.Context, id string, r tasks.SayRequest) (task.Task, error)

	// TakeBack takes back a message that the agent has not heard yet, by its id
	// (task.Pending). One that it has, or that the task began with, is a conflict.
	TakeBack(ctx context.Context, id, message string) (task.Task, error)

	// SetTaskModel changes the model of a task and how long it thinks: at once where it
	// is at work, and for whenever it goes on. At work it cannot change to a model of
	// another provider, which is a conflict then. Its budget holds.
	SetTaskModel(ctx context.Context, id string, r tasks.TaskModelRequest) (task.Task, error)

	// CompactTask has a task that is over replace its older messages by a summary,
	// which the model writes; it goes on for that, and is then as it was. Where there
	// is nothing to summarise, its timeline says so. One that is at work is a conflict:
	// it does so by itself when its conversation gets too long. Detached, it does not
	// end with the caller.
	CompactTask(ctx context.Context, id string, detached bool) (task.Task, error)

	// ResumeTask has a task that was interrupted, stopped or failed go on where it
	// stood. One that has nothing left to do is a conflict.
	ResumeTask(ctx context.Context, id string) (task.Task, error)

	// Interrupt ends what the agent does at the moment and what waits for it; the
	// task is done then, and can be given another message.
	Interrupt(ctx context.Context, id string) (task.Task, error)

	// AgentLine returns one event of the agent, untouched; n is MessageData.Raw.
	AgentLine(ctx context.Context, id string, n int64) (json.RawMessage, error)

	// AgentEvents calls fn with every event of the agent from now on, as it said it,
	// with the parts of messages (which no record keeps), until the task does not run
	// any more (nil; also when it does not now), ctx ends or fn returns an error. Who
	// is too slow gets an error: the agent does not wait.
	AgentEvents(ctx context.Context, id string, fn func(json.RawMessage) error) error

	// Models lists the models that there is a key for, and which one is taken when
	// none is named.
	Models(ctx context.Context) (models.Catalogue, error)
	// SetModel chooses the model that is taken when none is named; "" has it chosen.
	SetModel(ctx context.Context, r models.ChoiceRequest) (models.Catalogue, error)

	// OverrideModel keeps what a person knows of a model of a service of their own. It goes
	// before what is known otherwise; what is absent is as it is known. It holds for
	// tasks that begin or go on.
	OverrideModel(ctx context.Context, r models.OverrideRequest) (models.Catalogue, error)

	// Keys lists the providers of models: those with a key, and those that could have
	// one.
	Keys(ctx context.Context) ([]models.KeyInfo, error)
	// SetKey keeps a key in the keychain of this computer. It is never shown again.
	SetKey(ctx context.Context, provider string, r models.KeyRequest) (models.KeyInfo, error)
	// RemoveKey forgets a key.
	RemoveKey(ctx context.Context, provider string) error
	// TestKey asks the provider whether it takes the key.
	TestKey(ctx context.Context, provider string) (models.KeyTest, error)
}

// NetworkService is about what tasks may reach.
type NetworkService interface {
	// consent.NetworkRules lists what is allowed and denied, and the presets.
	NetworkRules(ctx context.Context) (consent.NetworkRules, error)
	// AddNetworkRule allows or denies a name, for a task that runs or everywhere. It
	// holds at once, also for connections that are there.
	AddNetworkRule(ctx context.Context, r consent.NetworkRuleRequest) (approval.Rule, error)
}
