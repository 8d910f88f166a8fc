package mcp

import (
	"context"
	"slices"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"piwork/app/chore"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/app/words"
)

// Longest and usual wait of wait_for_task.
const (
	usualWait = 50 * time.Second
	maxWait   = time.Hour
)

// None is for tools without parameters.
type None struct{}

// Setting is a parameter of a chore.
type Setting struct {
	Name    string   `json:"name"`
	Type    string   `json:"type"`
	About   string   `json:"about,omitempty"`
	Default any      `json:"default,omitempty"`
	Choices []string `json:"choices,omitempty"`
}

// Chore is a ready-made chore.
type Chore struct {
	Name     string    `json:"name"`
	About    string    `json:"about"`
	Settings []Setting `json:"settings"`
}

// ChoreList are all of them.
type ChoreList struct {
	Chores []Chore `json:"chores"`
}

// ChoreInput says which chore is to be done.
type ChoreInput struct {
	Chore   string         `json:"chore" jsonschema:"name, as list_chores has it"`
	Folders []string       `json:"folders,omitempty" jsonschema:"on which, such as /folders/NAME; all where none is named"`
	Set     map[string]any `json:"set,omitempty" jsonschema:"settings that are not to be as usual"`
}

// AskInput is what an AI task is to do.
type AskInput struct {
	Text    string   `json:"text" jsonschema:"what is to be done, in plain words"`
	Folders []string `json:"folders,omitempty" jsonschema:"on which, such as /folders/NAME; all where none is named"`
	Model   string   `json:"model,omitempty" jsonschema:"provider/model; the person's choice where it is not said"`
}

// TaskInput names a task.
type TaskInput struct {
	Task string `json:"task" jsonschema:"id of a task that was started here"`
}

// WaitInput says how long to wait for a task.
type WaitInput struct {
	TaskInput
	Seconds int `json:"seconds,omitempty" jsonschema:"at most; 50 where it is not said"`
}

// TaskList are tasks.
type TaskList struct {
	Tasks []Outcome `json:"tasks"`
}

// listed are chores in words.
func listed(w *words.Catalogue, all []chore.Info) ChoreList {
	out := ChoreList{Chores: []Chore{}}
	for _, i := range all {
		w.Chore(&i)
		c := Chore{Name: i.Name, About: i.About, Settings: []Setting{}}
		for _, p := range i.Params {
			if p.Type != chore.TypePassword { // a secret is not for a model
				c.Settings = append(c.Settings, Setting{Name: p.Name, Type: p.Type, About: p.Words.Label, Default: p.Default, Choices: p.Choices})
			}
		}
		out.Chores = append(out.Chores, c)
	}
	return out
}

// offered are the ready-made chores; those with a part for the AI only where AI tasks are let.
func (d *Door) offered(ctx context.Context) ([]chore.Info, error) {
	all, err := d.service.Chores(ctx)
	return slices.DeleteFunc(all, func(i chore.Info) bool { return i.AI != nil && !d.o.AI }), err
}

// chore is the request for a chore that is offered: with its part for the AI, where it has one.
func (d *Door) chore(ctx context.Context, in ChoreInput) (r tasks.StartRequest, err error) {
	r = tasks.StartRequest{Kind: task.KindChore, Chore: in.Chore, Params: in.Set}
	if r.Folders, err = d.some(in.Folders); err != nil {
		return r, err
	}
	all, err := d.offered(ctx)
	i := slices.IndexFunc(all, func(i chore.Info) bool { return i.Name == in.Chore })
	switch {
	case err != nil:
	case i < 0:
		err = problem.New(problem.CodeUnknownChore).With("chore", in.Chore)
	case all[i].AI != nil:
		r.Kind = task.KindAI
	}
	return r, err
}

// some are the folders of these names, with all that they may be changed; all of them where
// none is named.
func (d *Door) some(names []string) ([]task.FolderRequest, error) {
	if len(names) == 0 {
		return d.shared(true), nil
	}
	out := []task.FolderRequest{}
	for _, n := range names {
		here, err := d.here(n)
		if err != nil {
			return nil, err
		}
		for _, f := range d.folders {
			if f.Path == here {
				out = append(out, task.FolderRequest{Path: f.Path, Mode: f.Mode, Exact: true})
			}
		}
	}
	if len(out) != len(names) {
		return nil, missingFolder(names)
	}
	return out, nil
}

// addTasks adds chores, AI tasks where those are let, and how tasks go on.
func (d *Door) addTasks(s *sdk.Server) {
	yes, no := true, false
	addTool(d, s, &sdk.Tool{
		Name: "list_chores", Title: "List chores", Description: "Lists the ready-made chores, with their settings.",
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: &no},
	}, func(ctx context.Context, _ *call, _ None) (*sdk.CallToolResult, ChoreList, error) {
		all, err := d.offered(ctx)
		return nil, listed(d.o.Words, all), err
	})
	addTool(d, s, &sdk.Tool{
		Name: "run_chore", Title: "Do a chore", Description: "Does a ready-made chore on folders. The person sees its plan first and accepts it or not.",
		Annotations: &sdk.ToolAnnotations{DestructiveHint: &yes, OpenWorldHint: &no},
	}, func(ctx context.Context, c *call, in ChoreInput) (*sdk.CallToolResult, Outcome, error) {
		r, err := d.chore(ctx, in)
		if err != nil {
			return nil, Outcome{}, err
		}
		return d.started(ctx, c, r)
	})
	if d.o.AI {
		d.addAI(s)
	}
	addTool(d, s, &sdk.Tool{
		Name: "list_tasks", Title: "List tasks", Description: "Lists the tasks that were started here.",
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: &no},
	}, func(ctx context.Context, _ *call, _ None) (*sdk.CallToolResult, TaskList, error) {
		out := TaskList{Tasks: []Outcome{}}
		all := d.tasks()
		for _, id := range all[max(0, len(all)-maxListed):] { // the newest
			t, err := d.service.Task(ctx, id)
			if missing(err) {
				continue // the person deleted it
			}
			if err != nil {
				return nil, out, err
			}
			t.Info, t.Results, t.Problems = nil, nil, nil // wait_for_task has them
			out.Tasks = append(out.Tasks, d.outcome(t))
		}
		return nil, out, nil
	})
	addTool(d, s, &sdk.Tool{
		Name: "wait_for_task", Title: "Wait for a task", Description: "Says how a task stands, as soon as it is over or waits for the person, or when the time is up. The task goes on.",
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: &no},
	}, func(ctx context.Context, c *call, in WaitInput) (*sdk.CallToolResult, Outcome, error) {
		out, err := d.wait(ctx, c, in)
		return result(out), out, err
	})
	addTool(d, s, &sdk.Tool{
		Name: "cancel_task", Title: "Stop a task", Description: "Stops a task. What it changed stays, and can be undone.",
		Annotations: &sdk.ToolAnnotations{DestructiveHint: &no, IdempotentHint: true, OpenWorldHint: &no},
	}, func(ctx context.Context, _ *call, in TaskInput) (*sdk.CallToolResult, Outcome, error) {
		if err := d.mine(in.Task); err != nil {
			return nil, Outcome{}, err
		}
		t, err := d.service.CancelTask(ctx, in.Task)
		return nil, d.outcome(t), err
	})
}

// addAI adds the tool that starts AI tasks.
func (d *Door) addAI(s *sdk.Server) {
	yes := true
	addTool(d, s, &sdk.Tool{
		Name: "ask_ai", Title: "Start an AI task", Description: "Has piwork's own AI do something with folders, by the model that the person set up.",
		Annotations: &sdk.ToolAnnotations{DestructiveHint: &yes, OpenWorldHint: &yes},
	}, func(ctx context.Context, c *call, in AskInput) (*sdk.CallToolResult, Outcome, error) {
		folders, err := d.some(in.Folders)
		if err != nil {
			return nil, Outcome{}, err
		}
		r := tasks.StartRequest{Kind: task.KindAI, Folders: folders, Network: d.o.Network}
		r.Prompt, r.Model = in.Text, in.Model
		return d.started(ctx, c, r)
	})
}

// started begins a task and follows it to the answer of a tool.
func (d *Door) started(ctx context.Context, c *call, r tasks.StartRequest) (*sdk.CallToolResult, Outcome, error) {
	out, err := d.begin(ctx, c, r)
	return result(out), out, err
}

// wait follows a task for a while.
func (d *Door) wait(ctx context.Context, c *call, in WaitInput) (Outcome, error) {
	if err := d.mine(in.Task); err != nil {
		return Outcome{}, err
	}
	long := usualWait
	if in.Seconds > 0 {
		long = min(time.Duration(in.Seconds)*time.Second, maxWait)
	}
	events, stop := d.service.Subscribe(task.EventFilter{Task: in.Task, After: task.OnlyNew}) // what was asked before may be answered
	defer stop()
	f := d.following(c, in.Task)
	within, done := context.WithTimeout(ctx, long)
	defer done()
	err := f.recall(within)
	if err == nil {
		err = f.look(within)
	}
	if err == nil {
		err = f.until(within, events)
	}
	if err != nil && within.Err() == nil || ctx.Err() != nil {
		return Outcome{}, err
	}
	return f.stands(ctx)
}
