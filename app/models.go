package app

import (
	"context"
	"encoding/json"

	"piwork/app/problem"
	"piwork/app/task"
)

func noModels() error { return problem.New(problem.CodeUnsupported).With("what", "models") }

func (c *Controller) Say(context.Context, string, SayRequest) (task.Task, error) {
	return task.Task{}, noModels()
}

func (c *Controller) ResumeTask(ctx context.Context, id string) (task.Task, error) {
	return c.resumeChore(ctx, id) // of chores
}

func (c *Controller) Interrupt(context.Context, string) (task.Task, error) {
	return task.Task{}, noModels()
}

func (c *Controller) AgentLine(context.Context, string, int64) (json.RawMessage, error) {
	return nil, noModels()
}
func (c *Controller) Models(context.Context) (Models, error) { return Models{}, noModels() }
func (c *Controller) SetModel(context.Context, ModelChoice) (Models, error) {
	return Models{}, noModels()
}
func (c *Controller) Keys(context.Context) ([]KeyInfo, error) { return nil, noModels() }
func (c *Controller) SetKey(context.Context, string, KeyRequest) (KeyInfo, error) {
	return KeyInfo{}, noModels()
}
func (c *Controller) RemoveKey(context.Context, string) error { return noModels() }
func (c *Controller) TestKey(context.Context, string) (KeyTest, error) {
	return KeyTest{}, noModels()
}
