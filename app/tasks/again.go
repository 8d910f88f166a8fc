package tasks

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"piwork/app/aitask"
	"piwork/app/chore"
	"piwork/app/filename"
	"piwork/app/problem"
	"piwork/app/projectcache"
	"piwork/app/registry"
	"piwork/app/task"
	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

// What of a request is kept nowhere: task.Asked.Lost, and causes of
// problem.CodeNotRepeatable.
const (
	LostPassword = "password"
	lostFiles    = "files"
	LostInput    = "input"
	LostEnv      = "environment"
)

// asked is what the record of a task keeps of its request beside the rest.
func asked(t task.Task, r StartRequest) *task.Asked {
	a := task.Asked{
		Cwd: r.Cwd, Limits: r.Limits, MemoryMB: r.MemoryMB, CPUs: r.CPUs, Runtime: r.Runtime, Requires: r.Requires, Cache: r.Cache, PlanOnly: r.PlanOnly,
	}
	if r.Cache == projectcache.OfFolders {
		a.CacheOf = task.Paths(t.Shared())
	}
	if r.Tool != nil {
		a.Limits = r.operation(t.ID).Limits
	}
	if t.AI != nil {
		a.Prompt, a.Images = r.Prompt, slices.Clone(t.AI.Pending[0].Images)
	}
	switch {
	case r.upload != nil:
		a.Lost = lostFiles
	case len(r.Stdin) > 0 || r.Interactive || r.Terminal != nil:
		a.Lost = LostInput
	case len(r.Env) > 0:
		a.Lost = LostEnv
	case hasSecret(r):
		a.Lost = LostPassword
	}
	return &a
}

// hasSecret reports whether a request says what must not be written down.
func hasSecret(r StartRequest) bool {
	given := func(params map[string]any, name string) bool {
		v, ok := params[name]
		return ok && v != nil && v != ""
	}
	switch r.Kind {
	case task.KindChore:
		ch, ok := FindChore(r.Chore)
		return ok && slices.ContainsFunc(ch.Info().Params, func(p chore.ParamInfo) bool {
			return p.Type == chore.TypePassword && given(r.Params, p.Name)
		})
	case task.KindTool:
		op, ok := tools.Find(r.Tool.Op)
		return ok && slices.ContainsFunc(op.Secrets(), func(name string) bool { return given(r.Tool.Params, name) })
	}
	return false
}

// StartAgain starts a new task that asks for the same as another: kind,
// parameters, folders, network, model, budget and pictures. One that was asked for
// with something that is kept nowhere is a conflict.
func (c *Runner) StartAgain(ctx context.Context, id string, again AgainRequest) (task.Task, error) {
	t, err := c.o.Store.Get(id)
	if err != nil {
		return task.Task{}, registry.Problem(id, err)
	}
	r, err := c.SameRequest(t)
	if err != nil {
		return task.Task{}, problem.From(err)
	}
	r.ID, r.Accept, r.Detached = again.ID, again.Accept, again.Detached
	r.Runtime = cmp.Or(again.Runtime, r.Runtime)
	return c.startTask(ctx, r)
}

// SameRequest is the request that a task was made of.
func (c *Runner) SameRequest(t task.Task) (StartRequest, error) {
	a := t.Asked
	if a == nil { // of a record that is older than this member
		a = &task.Asked{}
	}
	if a.Lost != "" {
		p := problem.New(problem.CodeNotRepeatable).With("task", t.ID).By(a.Lost)
		return StartRequest{}, p
	}
	r := StartRequest{
		Kind: t.Kind, Network: t.Network, PolicyRequest: t.PolicyRequest, Chore: t.Chore, Params: t.Params, Argv: t.Argv, StreamsRequest: StreamsRequest{Open: t.Kind == task.KindExec && len(t.Argv) == 0},
		Cwd: a.Cwd, PlanOnly: a.PlanOnly,
	}
	if t.Titled {
		r.Title = t.Title
	}
	sameMachine(&r, t)
	for _, f := range t.Shared() {
		r.Folders = append(r.Folders, task.FolderRequest{Path: f.Path, Mode: f.Mode, Exact: true})
	}
	switch t.Kind {
	case task.KindTool:
		r.Params = nil
		p := wire.ToolParams{}
		data, err := json.Marshal(t.Params) // as toolRequest made them
		if err == nil {
			err = json.Unmarshal(data, &p)
		}
		if err != nil {
			return r, fmt.Errorf("read what the task was asked for: %w", err)
		}
		r.Tool = &p
	case task.KindAI:
		return r, c.sameMessage(&r, t, *a)
	}
	return r, nil
}

// sameMessage fills in what an AI task began with.
func (c *Runner) sameMessage(r *StartRequest, t task.Task, a task.Asked) error {
	if t.AI == nil {
		return problem.BadRequest("kind", "the record of task %s is no AI task's", t.ID)
	}
	r.Model, r.Program, r.Thinking, r.Budget = t.AI.Model, t.AI.Program, t.AI.Thinking, t.AI.Budget
	r.Prompt = a.Prompt
	if t.Asked == nil {
		first, err := c.firstMessage(t)
		if err != nil {
			return err
		}
		r.Prompt, a.Images = first.Text, first.Images
	}
	dir := filepath.Join(c.o.Store.Dir(t.ID), aitask.StateDir, wire.StateUploads)
	for _, name := range a.Images {
		data, err := os.ReadFile(filepath.Join(dir, filename.Plain(name, "picture")))
		if errors.Is(err, fs.ErrNotExist) {
			return problem.New(problem.CodeNotRepeatable).With("task", t.ID).Because(err).By(lostFiles)
		}
		if err != nil {
			return fmt.Errorf("read a picture of the task: %w", err)
		}
		r.Images = append(r.Images, ImageRequest{Name: task.GivenName(name), Data: data})
	}
	return nil
}

// firstMessage finds in the timeline what an older AI task began with.
func (c *Runner) firstMessage(t task.Task) (task.MessageData, error) {
	events, err := c.o.Store.Timeline(t.ID, 0)
	if err != nil {
		return task.MessageData{}, err
	}
	for _, e := range events {
		raw, ok := e.Data.(json.RawMessage)
		var m task.MessageData
		if ok && e.Kind == task.EventMessage && json.Unmarshal(raw, &m) == nil && m.Role == "user" {
			return m, nil
		}
	}
	if len(t.AI.Pending) > 0 { // it never began
		return task.MessageData{Text: t.AI.Pending[0].Text, Images: t.AI.Pending[0].Images}, nil
	}
	return task.MessageData{Text: t.Title}, nil
}
