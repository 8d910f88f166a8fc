package acp

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"piwork/app/capacity"
	"piwork/app/gateway"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/vmhost"
)

// How long is waited for a task that is to stop.
const (
	interruptWithin = 15 * time.Second
	cancelWithin    = 10 * time.Second
	lastWords       = time.Second // for events of a task that stopped
)

// enter waits until no other prompt is at work. With a context that has ended it never succeeds.
func (s *session) enter(ctx context.Context) error {
	select {
	case s.turn <- struct{}{}:
		if ctx.Err() == nil {
			return nil
		}
		s.leave() // select had both to choose from
	case <-ctx.Done():
	}
	return context.Cause(ctx)
}

func (s *session) leave() { <-s.turn }

// stop ends the prompt that is at work.
func (s *session) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cancel != nil {
		s.cancel()
	}
}

// addClosing counts n more requests to close the session. While there is one, a prompt that waited
// for its turn leaves instead of beginning.
func (s *session) addClosing(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closing += n
}

// begin makes a prompt the one at work, which cancel ends. It reports false where the session is
// being closed.
func (s *session) begin(cancel context.CancelFunc) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing > 0 {
		return false
	}
	s.cancel = cancel
	return true
}

// Cancel ends the prompt that is at work; its answer says so.
func (d *Door) Cancel(_ context.Context, r sdk.CancelNotification) error {
	s, err := d.session(r.SessionId)
	if err == nil {
		s.stop()
	}
	return err
}

// turn is one prompt and what comes of it.
type turn struct {
	d       *Door
	s       *session
	ctx     context.Context // ends when the prompt is cancelled, or the door closed
	id      string          // of the task
	began   time.Time       // events before it are of an earlier turn
	folders []folder
	sent    string // the person's message
	own     bool   // it ends with the door
	over    bool
	aborted bool
	told    told
	asked   map[string]*asking
	asks    sync.WaitGroup
	news    chan func() // what asking found out, for follow
}

// turnOf makes the turn of a session.
func (d *Door) turnOf(ctx context.Context, s *session) *turn {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &turn{
		d: d, s: s, ctx: ctx, folders: slices.Clone(s.folders), told: told{done: map[string]bool{}, tools: map[string]bool{}},
		asked: map[string]*asking{}, news: make(chan func(), 64),
	}
}

// Prompt starts the task of a session, or has it go on, and answers when that is done. Another
// prompt in the same session ends the one before, as the SDK has it.
func (d *Door) Prompt(ctx context.Context, r sdk.PromptRequest) (out sdk.PromptResponse, err error) {
	s, err := d.session(r.SessionId)
	if err != nil {
		return out, err
	}
	d.mu.Lock()
	if d.life.Err() != nil {
		d.mu.Unlock()
		return out, d.said(problem.New(problem.CodeShuttingDown))
	}
	d.work.Add(1)
	d.mu.Unlock()
	defer d.work.Done()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(d.life, cancel)()
	out.StopReason = sdk.StopReasonCancelled
	if s.enter(ctx) != nil {
		return out, nil
	}
	defer s.leave()
	if !s.begin(cancel) {
		return out, nil
	}
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.cancel = nil
	}()
	u := d.turnOf(ctx, s)
	p, err := d.read(r.Prompt, u.folders)
	if err != nil {
		return out, d.said(err)
	}
	u.sent = p.text
	out.StopReason, err = u.run(p)
	return out, d.said(err)
}

// run has the task work on a message, to its end.
func (u *turn) run(p prompt) (sdk.StopReason, error) {
	defer u.asks.Wait()
	events, stop, err := u.begin(p)
	if err != nil {
		return "", err
	}
	defer stop()
	defer u.endAsking()
	cancelled, err := u.follow(events)
	u.endTools()
	if err != nil {
		u.end() // nobody hears of it
		return "", err
	}
	ctx, done := context.WithTimeout(context.WithoutCancel(u.ctx), cancelWithin)
	defer done()
	t, err := u.d.service.Task(ctx, u.id)
	switch {
	case cancelled || t.State == task.StateCancelled || err == nil && u.aborted:
		u.remind(ctx, t)
		return sdk.StopReasonCancelled, nil
	case err != nil:
		return "", err
	case t.Error != nil:
		u.remind(ctx, t)
		if t.Error.Code == problem.CodeModelFailed && t.Error.Cause == string(gateway.CodeBudget) {
			u.note(message(u.d.said(t.Error)))
			return sdk.StopReasonMaxTokens, nil
		}
		return "", t.Error
	}
	return u.review(t, events)
}

// begin starts the task, or gives it the message. Its events are heard from before on.
func (u *turn) begin(p prompt) (events <-chan task.Event, stop func(), err error) {
	d, s := u.d, u.s
	s.mu.Lock()
	name, model := s.task, s.model
	s.mu.Unlock()
	u.began = time.Now()
	if name != "" {
		u.id = name
		t, err := d.service.Task(u.ctx, name)
		if err != nil {
			return nil, nil, err
		}
		u.own = t.State.Final()
		events, stop = d.service.Subscribe(task.EventFilter{Task: name})
		if _, err = d.service.Say(d.life, name, tasks.SayRequest{Text: p.text, Images: p.images, How: "followUp"}); err != nil {
			stop()
		}
		return events, stop, err
	}
	u.id, u.own = string(s.id), true
	if time.Since(task.IDTime(u.id)) > idFor {
		if u.id, err = task.NewID(); err != nil {
			return nil, nil, err
		}
	}
	r := tasks.StartRequest{ID: u.id, Kind: task.KindAI, Network: d.o.Network, MachineChoice: d.o.Machine}
	r.Prompt, r.Images, r.Model, r.Program, r.Budget = p.text, p.images, model, s.agent, d.o.Budget
	for _, f := range s.folders {
		r.Folders = append(r.Folders, task.FolderRequest{Path: f.Path, Mode: f.Mode, Exact: true})
	}
	events, stop = d.service.Subscribe(task.EventFilter{Task: u.id})
	t, err := d.service.StartTask(d.life, r)
	if err != nil {
		stop()
		return nil, nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.task = u.id
	for i, f := range t.Folders {
		if i < len(s.folders) {
			s.folders[i].Folder = f
		}
	}
	u.folders = slices.Clone(s.folders)
	return events, stop, nil
}

// errGone is that nothing is heard of a task any more.
var errGone = errors.New("piwork does not answer any more")

// follow hears of the task until it is over. A prompt that is cancelled ends what the AI does.
func (u *turn) follow(events <-chan task.Event) (cancelled bool, err error) {
	cancel, stopped := u.ctx.Done(), make(chan struct{})
	var late <-chan time.Time
	for !u.over {
		select {
		case <-cancel:
			cancel, cancelled = nil, true
			u.asks.Go(func() { defer close(stopped); u.end() })
		case <-stopped:
			stopped, late = nil, time.After(lastWords)
		case <-late:
			return true, nil
		case do := <-u.news:
			do()
		case e, open := <-events:
			if !open {
				return cancelled, errGone
			}
			if err := u.event(e); err != nil && !cancelled {
				return false, err
			}
		}
	}
	return cancelled, nil
}

// end has the task stop: what the AI does at the moment, or all of it where that does not end or
// the door is closed.
func (u *turn) end() {
	over := false
	if u.d.life.Err() == nil {
		ctx, done := context.WithTimeout(context.Background(), interruptWithin)
		t, err := u.d.service.Interrupt(ctx, u.id)
		done()
		over = err == nil && t.State.Final()
	}
	if !over && u.own {
		ctx, done := context.WithTimeout(context.Background(), cancelWithin)
		defer done()
		_, _ = u.d.service.CancelTask(ctx, u.id) // else it is over, or ends with the door
	}
}

func (u *turn) event(e task.Event) error {
	if e.Kind == task.EventReset {
		return u.look()
	}
	if e.Time.Before(u.began) {
		return nil
	}
	switch data := e.Data.(type) {
	case task.StateData:
		u.over = data.State.Final()
		if data.State == task.StateWaiting {
			return u.waiting()
		}
	case task.StepData:
		if capacity.Verdict(data.Step).Waits() {
			u.thought(u.d.o.Words.Name("step", data.Step) + "\n")
		}
	case task.DeltaData:
		u.delta(data)
	case task.MessageData:
		u.message(data)
	case task.ToolData:
		u.tool(data)
	case task.NoticeData:
		u.notice(data)
	case vmhost.Question:
		u.ask(data)
	case vmhost.Decision:
		u.decided(data.ID, data.Answer)
	}
	return nil
}

// look finds out what was missed.
func (u *turn) look() error {
	t, err := u.d.service.Task(u.ctx, u.id)
	if err != nil {
		return err
	}
	events, err := u.d.service.Timeline(u.ctx, u.id, 0)
	if err != nil {
		return err
	}
	for _, e := range events {
		switch e.Data = decoded(e); e.Data.(type) {
		case task.MessageData, task.ToolData, vmhost.Decision:
			_ = u.event(e) // it asks nothing
		}
	}
	u.over = t.State.Final()
	return u.waiting()
}

// waiting asks all that is open.
func (u *turn) waiting() error {
	all, err := u.d.service.Questions(u.ctx, u.id)
	for _, q := range all {
		u.ask(q)
	}
	return err
}
