package tasks

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"piwork/app/agent"
	"piwork/app/agent/program"
	"piwork/app/aitask"
	"piwork/app/aitask/agentlog"
	"piwork/app/consent"
	"piwork/app/durable"
	"piwork/app/filename"
	"piwork/app/problem"
	"piwork/app/registry"
	"piwork/app/task"
	"piwork/vmhost/wire"
)

// Bounds of a message.
const (
	MaxPrompt   = 1 << 20 // bytes
	MaxPictures = 16
)

// levels are how long a model can be told to think; "" is its own way.
var levels = []string{"", "off", "minimal", "low", "medium", "high"}

// aiRequest fills in the record of an AI task.
func aiRequest(t *task.Task, r StartRequest) error {
	by, known := program.Find(r.Program)
	switch {
	case !known:
		return problem.BadRequest("program", "%q is not a choice", r.Program)
	case r.Chore != "" && !by.Own():
		return problem.BadRequest("program", "a chore is done by %s", program.Pi)
	case r.Thinking != "" && !by.Thinks:
		return problem.BadRequest("thinking", "%s decides itself how long it thinks", by.Title)
	case !slices.Contains(levels, r.Thinking):
		return problem.BadRequest("thinking", "%q is not a choice", r.Thinking)
	case r.Budget < 0:
		return problem.BadRequest("budget", "%d is less than nothing", r.Budget)
	}
	p, err := pending("prompt", r.Prompt, "prompt", r.Images)
	if err != nil {
		return err
	}
	t.AI = &task.AI{Model: r.Model, Program: r.Program, Thinking: r.Thinking, Budget: r.Budget, Pending: []task.Pending{p}}
	return nil
}

// pending is a message that waits for the agent.
func pending(field, text, how string, images []ImageRequest) (task.Pending, error) {
	id, err := task.NewID()
	if err != nil {
		return task.Pending{}, err
	}
	p := task.Pending{ID: id, Text: text, How: how}
	switch {
	case strings.TrimSpace(text) == "":
		return p, problem.BadRequest(field, "is empty")
	case len(text) > MaxPrompt:
		return p, problem.BadRequest(field, "%d bytes, at most %d", len(text), MaxPrompt)
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return p, problem.BadRequest(field, "is not text")
	case len(images) > MaxPictures:
		return p, problem.BadRequest("images", "%d pictures, at most %d", len(images), MaxPictures)
	}
	total := 0
	for i, image := range images {
		kind := http.DetectContentType(image.Data)
		if !slices.Contains([]string{"image/png", "image/jpeg", "image/webp", "image/gif"}, kind) {
			return p, problem.BadRequest("images", "%q is no picture that a model can look at", image.Name)
		}
		if total += len(image.Data); total > agent.MaxImages {
			return p, problem.BadRequest("images", "they are over %d bytes together", agent.MaxImages)
		}
		p.Images = append(p.Images, id[len(id)-8:]+"-"+strconv.Itoa(i+1)+"-"+filename.Plain(filepath.Base(image.Name), "picture"))
	}
	return p, nil
}

// layPictures writes the pictures of a message to where the agent finds them.
func (c *Runner) layPictures(id string, p task.Pending, images []ImageRequest) error {
	if len(images) == 0 {
		return nil
	}
	dir := filepath.Join(c.o.Store.Dir(id), aitask.StateDir, wire.StateUploads)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("keep the pictures of a message: %w", err)
	}
	for i, image := range images {
		if err := durable.WriteFile(filepath.Join(dir, p.Images[i]), image.Data); err != nil {
			return fmt.Errorf("keep the pictures of a message: %w", err)
		}
	}
	return nil
}

// Say gives a task a message: while it runs now (steer) or when it is done with
// what it does (followUp), and a task that is over goes on with it. When it
// returns, the message is durable.
func (c *conversations) Say(ctx context.Context, id string, r SayRequest) (task.Task, error) {
	r.How = cmp.Or(r.How, "steer")
	if r.How != "steer" && r.How != "followUp" {
		return task.Task{}, problem.BadRequest("how", "%q is not a choice", r.How)
	}
	p, err := pending("text", r.Text, r.How, r.Images)
	if err != nil {
		return task.Task{}, problem.From(err)
	}
	return c.reach(ctx, id,
		func(l *Live) (task.Task, <-chan struct{}, error) {
			err := c.r.layPictures(id, p, r.Images)
			if err == nil && task.ClientOf(ctx) != "" && !l.Ending() {
				_, err = l.Update(func(t *task.Task) { requireApart(ctx, t) })
			}
			if err != nil {
				return task.Task{}, nil, err
			}
			return l.ai.Hear(p)
		},
		func() (task.Task, error) { return c.sayAgain(ctx, id, p, r) })
}

// sayAgain has a task that is over go on with a message.
func (c *conversations) sayAgain(ctx context.Context, id string, p task.Pending, r SayRequest) (task.Task, error) {
	p.How = "prompt"
	return c.goOn(ctx, id, goingOn{
		detached: r.Detached,
		ready:    func(t task.Task) error { return c.r.layPictures(t.ID, p, r.Images) },
		edit:     func(t *task.Task) { t.AI.Pending = append(slices.Clone(t.AI.Pending), p) },
	})
}

// TakeBack takes back a message that the agent has not heard yet, by its id
// (task.Pending). One that it has, or that the task began with, is a conflict.
func (c *conversations) TakeBack(ctx context.Context, id, message string) (task.Task, error) {
	return c.reach(ctx, id,
		func(l *Live) (task.Task, <-chan struct{}, error) { return l.ai.TakeBack(message) },
		func() (task.Task, error) { return c.takeBackOver(ctx, id, message) })
}

// takeBackOver takes a message back that a task which is over did not get to.
func (c *conversations) takeBackOver(ctx context.Context, id, message string) (task.Task, error) {
	return c.editOver(ctx, id, func(t *task.Task) error { return aitask.Withdraw(t, message) }, nil)
}

// ResumeTask has a task that was interrupted, stopped or failed go on where it
// stood. One that has nothing left to do is a conflict.
func (c *Runner) ResumeTask(ctx context.Context, id string) (task.Task, error) {
	t, err := c.o.Store.Get(id)
	if err != nil {
		return task.Task{}, registry.Problem(id, err)
	}
	if t.Kind != task.KindAI {
		return c.resumeChore(ctx, id)
	}
	return c.goOn(ctx, id, goingOn{ready: func(t task.Task) error {
		if t.State == task.StateDone && len(t.AI.Pending) == 0 {
			return notResumable(id, ResumeOver)
		}
		return nil
	}})
}

// goingOn says how an AI task that is over goes on.
type goingOn struct {
	detached bool
	ready    func(task.Task) error // what is against it; may be nil
	edit     func(*task.Task)      // its record; may be nil
	compact  bool                  // only to have its older messages summarised
}

// goOn has an AI task that is over go on.
func (c *conversations) goOn(ctx context.Context, id string, g goingOn) (task.Task, error) {
	t, release, err := c.o.Registry.HoldTask(ctx, id)
	if err != nil {
		return task.Task{}, err
	}
	defer release()
	if t.Kind != task.KindAI || t.AI == nil || !t.State.Final() {
		return task.Task{}, notResumable(id, ResumeOver)
	}
	if g.ready != nil {
		if err := g.ready(t); err != nil {
			return task.Task{}, problem.From(err)
		}
	}
	r := StartRequest{
		Kind: t.Kind, Title: t.Title, Network: t.Network, Chore: t.Chore, Params: t.Params, AIRequest: AIRequest{Model: t.AI.Model, Program: t.AI.Program, Thinking: t.AI.Thinking, Budget: t.AI.Budget},
		Detached: g.detached,
	}
	sameMachine(&r, t)
	r.ask(ctx)
	if r.Folders, err = c.r.sameFolders(t); err != nil {
		return task.Task{}, problem.From(err)
	}
	size, err := c.o.Fleet.SizeFor(ctx, r.size())
	if err != nil {
		return task.Task{}, problem.From(err)
	}
	l := NewLive(c.r, t, r)
	l.size, l.round = size, t.AI.Resumes+1
	notices := []task.NoticeData{{Code: resumedNotice}}
	switch {
	case g.compact:
		l.ai.Compacts, l.ai.Before = true, &aitask.Resting{State: t.State, Why: t.Error}
		notices = []task.NoticeData{{Code: compactingNotice}}
	case t.State != task.StateDone: // what it was working on there is gone
		l.ai.ResumePrompt = true
		notices = append(notices, task.NoticeData{Code: "lost-work"})
	}
	return c.r.relive(ctx, l, func(t *task.Task) {
		t.AI.Resumes++
		t.AI.Servers = c.o.Kinds.Servers.Lends(*t, r.by.Client)
		if g.edit != nil {
			g.edit(t)
		}
	}, notices...)
}

// compactingNotice is the NoticeData.Code of a task whose older messages are
// replaced by a summary because the person wants it.
const compactingNotice = "compacting"

// CompactTask has a task that is over replace its older messages by a summary,
// which the model writes; it goes on for that, and is then as it was. Where there
// is nothing to summarise, its timeline says so. One that is at work is a conflict:
// it does so by itself when its conversation gets too long. Detached, it does not
// end with the caller.
// pi would break off what it does for it, so it is for tasks that are over.
func (c *conversations) CompactTask(ctx context.Context, id string, detached bool) (task.Task, error) {
	return c.goOn(ctx, id, goingOn{detached: detached, compact: true})
}

// Interrupt ends what the agent does at the moment and what waits for it; the
// task is done then, and can be given another message.
func (c *conversations) Interrupt(ctx context.Context, id string) (task.Task, error) {
	l := c.r.Live(id)
	if l == nil {
		return c.r.Task(ctx, id)
	}
	if l.req.Kind != task.KindAI {
		return task.Task{}, notResumable(id, ResumeOver)
	}
	s := l.ai.Session()
	if s == nil { // it has not begun
		return c.r.CancelTask(ctx, id)
	}
	// Who stops it says no to what it asks; while a question is open, its machine may
	// stand still.
	if err := c.o.Consent.Refuse(id, consent.WhoOf(ctx)); err != nil {
		return task.Task{}, err
	}
	_, err := l.Update(func(t *task.Task) { t.AI.Pending = nil }) // what waits is no longer wanted
	if err == nil {
		_, err = s.Abort(ctx)
	}
	if err != nil && !errors.Is(err, agent.ErrEnded) {
		return task.Task{}, agent.Problem(err)
	}
	select {
	case <-l.done:
	case <-ctx.Done():
		return task.Task{}, problem.From(context.Cause(ctx))
	}
	return c.r.Task(ctx, id)
}

// AgentLine returns one event of the agent, untouched; n is MessageData.Raw.
func (c *conversations) AgentLine(_ context.Context, id string, n int64) (json.RawMessage, error) {
	if _, err := c.o.Store.Get(id); err != nil {
		return nil, registry.Problem(id, err)
	}
	line, err := agentlog.Line(filepath.Join(c.o.Store.Dir(id), agentlog.File), n)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, problem.New(problem.CodeNotFound).With("task", id).With("line", n)
	}
	if err != nil {
		return nil, problem.From(err)
	}
	return line, nil
}

// AgentEvents calls fn with the agent's events that are kept behind the number after, none behind
// [task.OnlyNew], and with every one from now on, as it said it, with the parts of messages
// (which no record keeps, and have the number of the line before them, 0 where none is known), until the task does not run any more (nil; also when
// it does not now), ctx ends or fn returns an error. Who is too slow gets an error: the agent does
// not wait.
func (c *conversations) AgentEvents(ctx context.Context, id string, after int64, fn func(int64, json.RawMessage) error) error {
	kept := filepath.Join(c.o.Store.Dir(id), agentlog.File)
	l := c.r.Live(id)
	if l == nil {
		if _, err := c.o.Store.Get(id); err != nil {
			return registry.Problem(id, err)
		}
		return agentlog.After(kept, after, fn)
	}
	err := l.ai.Lines.Follow(ctx, kept, after, fn)
	if errors.Is(err, agentlog.ErrBehind) {
		return problem.From(err)
	}
	return err
}
