package aitask

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"go.opentelemetry.io/otel/trace"

	"piwork/app/agent"
	"piwork/app/agent/program"
	"piwork/app/aitask/agentlog"
	"piwork/app/gateway"
	"piwork/app/mcpservers"
	"piwork/app/models"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// StateDir is in a task's directory: what the guest sees as /state.
const StateDir = "state"

// goOnPrompt has the agent take up what it was interrupted in.
const goOnPrompt = "Go on where you stopped. What was in /work is gone."

// Run is the work of the AI program in one environment.
type Run struct {
	c        *Conversation
	b        Environment
	t        task.Task
	commands *aiCommands
	servers  *mcpservers.Use // of the person; nil without

	State  string           // directory that the guest is to see as /state
	Models *gateway.Session // the way to models
}

// Run makes what the AI program needs outside of b, which need not be ready yet.
func (c *Conversation) Run(b Environment, t task.Task) (*Run, error) {
	r := &Run{c: c, b: b, State: filepath.Join(c.o.Store.Dir(c.o.ID), StateDir)}
	if err := os.MkdirAll(filepath.Join(r.State, wire.StateUploads), 0o700); err != nil {
		return nil, fmt.Errorf("make the directory of the agent: %w", err)
	}
	c.agent.talk.Lock()
	defer c.agent.talk.Unlock()
	t.AI = c.o.Last().AI // it may have been given another model meanwhile
	r.t, r.commands, r.servers = t, c.aiCommands(b, c.asksCommands(t)), c.o.Servers.Use(c.o.Context, t, c.o.Gate)
	r.Models = c.o.Models.Gateway().Session(gateway.SessionOptions{
		Task: c.o.ID, Providers: []string{models.ProviderOf(t.AI.Model)}, Models: []string{t.AI.Model},
		Hosted: t.Network == task.NetworkOn, Budget: t.AI.Budget, Used: t.AI.Usage, Span: trace.SpanContextFromContext(c.o.Context),
		Tools: agentTools(r.commands, c.folderTool(), r.servers.Handler(), c.o.Gate.WebTools(t)),
		OnUsage: func(sum task.Usage, _ gateway.Used) {
			c.o.Later(func(t *task.Task) { t.AI.Usage = sum })
			c.o.Record(task.EventUsage, sum)
		},
		OnError: func(e *gateway.Error) { c.agent.failure.Store(e) },
		OnWait: func(provider string, _ time.Time) {
			c.o.Record(task.EventNotice, task.NoticeData{Code: "provider-waits", Params: map[string]any{"provider": provider}})
		},
	})
	c.agent.gate = r.Models
	return r, nil
}

// Do has the agent do what the person asked for, until it has nothing to do, and keeps its
// results: the environment is ready. whole is false when the person stopped it, or it had only
// its messages summarised.
func (r *Run) Do() (whole bool, err error) {
	r.commands.ready(r.b.InitData().Cwd)
	err = r.c.runAgent(r)
	if kept := r.c.keepAgentResults(r.State); err == nil {
		err = kept
	}
	return !r.c.agent.stopped && r.c.Before == nil, err
}

// Close ends the MCP servers that the AI called.
func (r *Run) Close() { r.servers.Close() }

// runAgent starts the AI program, gives it the messages that wait, and ends it when
// nothing is left to do.
func (c *Conversation) runAgent(r *Run) error {
	b, t := r.b, r.t
	launch, err := c.layAgent(r)
	if err != nil {
		return err
	}
	log, err := agentlog.Open(filepath.Join(c.o.Store.Dir(c.o.ID), agentlog.File))
	if err != nil {
		return err
	}
	defer log.Close(c.o.Log)
	known, tuned, err := c.known()
	if err == nil {
		err = c.o.Written()
	}
	if err != nil {
		return err
	}
	s := c.session(b, t, agent.Options{
		Task: c.o.ID, Emit: c.emit, Record: func(line []byte) int64 { n := log.Add(line); c.Lines.Add(n, line); return n }, Known: known.Of, Log: c.o.Log,
		Ask: c.o.Gate.AskAgent, Paused: c.o.Gate.Still, Hints: b.Hints,
	})
	ctx, cancel := context.WithCancel(c.o.Context)
	defer cancel()
	in, toAgent := io.Pipe()
	fromAgent, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		env := map[string]string{}
		for _, v := range launch.Env {
			name, value, _ := strings.Cut(v, "=")
			env[name] = value
		}
		obs, err := b.Execute(ctx, vmhost.Action{
			Exec: &wire.ExecParams{
				ID: c.o.ID + "-agent", Argv: launch.Argv, Env: env, Cwd: launch.Dir,
				Limits: wire.Limits{WallMS: wire.MaxWallMS, OutputBytes: wire.MaxOutput}, // a conversation may be long
			},
			Input: in,
			OnOutput: func(o wire.ExecOutput) {
				if o.Stream == wire.Stdout {
					_, _ = out.Write(o.Data) // a session that is over reads no more
					return
				}
				c.agent.tail.add(o.Data)
			},
		})
		if err == nil && obs.Exec.ExitCode != 0 {
			err = fmt.Errorf("it ended with status %d: %s", obs.Exec.ExitCode, c.agent.tail.String())
		}
		_ = out.Close()
		ended <- err
	}()
	err = c.converse(ctx, s, agent.Transport{In: toAgent, Out: fromAgent}, tuned)
	c.agent.close()
	end, stop := c.o.Grace()
	if cerr := s.Close(end); cerr != nil && err == nil {
		c.o.Log.Warn("the AI program does not end by itself", "error", cerr)
	}
	stop()
	cancel()
	_ = fromAgent.Close()
	why := <-ended
	switch {
	case c.o.Context.Err() != nil:
		return context.Cause(c.o.Context)
	case err == nil:
		return nil
	}
	p := agent.Problem(err)
	if p.Code == problem.CodeAgentFailed && why != nil && !errors.Is(why, context.Canceled) {
		p = p.Because(fmt.Errorf("%s: %w", p.Details, why))
	}
	return p
}

// layAgent puts down what the AI program is started with. Its model is decided
// with that; from then on the session is told of another.
func (c *Conversation) layAgent(r *Run) (agent.Launch, error) {
	b, t := r.b, r.t
	c.agent.talk.Lock()
	t.AI = c.o.Last().AI
	c.agent.laid = true
	c.agent.talk.Unlock()
	told := c.o.Models.Offered(c.o.Context, t.AI.Model)
	c.agent.models.Store(&told)
	by, models, err := c.modelsOf(t, told)
	if err != nil {
		return agent.Launch{}, fmt.Errorf("list the models for the agent: %w", err)
	}
	consent := agent.ConsentAsk
	if !c.asksCommands(t) {
		consent = agent.ConsentAuto
	}
	config := agent.Config{Task: c.o.ID, Init: b.InitData(), Model: t.AI.Model, Thinking: t.AI.Thinking, Models: models, Consent: consent}
	config.Servers = c.offered(r.servers.Tools())
	if by.Own() {
		config.Web, config.Folders = c.o.Gate.OfferedWeb(t), c.o.AddFolder != nil
	}
	launch, err := by.Command(program.Config{Config: limited(config, t), Secret: rand.Text()})
	if err != nil {
		return launch, fmt.Errorf("start the agent: %w", err)
	}
	root, err := os.OpenRoot(r.State)
	if err != nil {
		return launch, fmt.Errorf("open the directory of the agent: %w", err)
	}
	defer root.Close()
	if err := launch.Lay(root); err != nil {
		return launch, fmt.Errorf("put down what the agent is started with: %w", err)
	}
	return launch, nil
}

// converse gives the agent what waits for it, until it waits for a message and
// there is none. tuned is what the timeline says last of the model.
func (c *Conversation) converse(ctx context.Context, s program.Session, t agent.Transport, tuned map[string]any) error {
	resumed, err := c.begun(ctx, s, t, tuned)
	if err != nil {
		return problem.New(problem.CodeAgentFailed).Because(err)
	}
	c.o.Record(task.EventStep, task.StepData{Step: "run"})
	if err := c.o.Written(); err != nil {
		return err
	}
	if c.Before != nil {
		if more, err := c.compact(ctx, s); err != nil || !more {
			return err
		}
		c.Before = nil
	}
	if (resumed.Unfinished || c.ResumePrompt) && len(c.o.Last().AI.Pending) == 0 {
		if err := s.Prompt(ctx, goOnPrompt); err != nil {
			return err
		}
	}
	for {
		c.agent.open(s)
		if err := c.deliver(ctx, s); err != nil {
			return err
		}
		if _, err := s.Wait(ctx); err != nil {
			return err
		}
		if err := c.o.Written(); err != nil {
			return err
		}
		if out, over := c.finished(ctx, s); over {
			for _, p := range c.o.Last().AI.Pending { // that the agent has in other words
				c.o.Record(task.EventMessage, task.MessageData{ID: p.ID, Role: "user", Text: agent.Shown(p.Text), How: p.How, Images: p.Images, Pending: p.ID})
			}
			if _, err := c.o.Update(func(t *task.Task) { t.AI.Pending = nil }); err != nil { // it has them all
				return err
			}
			c.agent.stopped = out.Aborted
			return c.settled(out)
		}
	}
}

// finished says how the last run ended, and takes no more messages, unless one began another run
// meanwhile or still has to be sent.
func (c *Conversation) finished(ctx context.Context, s program.Session) (agent.Outcome, bool) {
	c.agent.talk.Lock() // the session has what is marked as sent
	defer c.agent.talk.Unlock()
	now, cancel := context.WithCancel(ctx)
	cancel()
	out, err := s.Wait(now)
	return out, err == nil && c.agent.finish(func() []task.Pending { return c.o.Last().AI.Pending })
}

// begun starts the session. Of the messages that wait, those that it has from
// before are no longer wanted.
func (c *Conversation) begun(ctx context.Context, s program.Session, t agent.Transport, tuned map[string]any) (agent.Resumed, error) {
	c.agent.talk.Lock()
	defer c.agent.talk.Unlock()
	now := c.o.Last().AI
	c.agent.all(now.Pending)
	resumed, err := s.Start(ctx, t)
	if err != nil {
		return resumed, err
	}
	c.agent.none()
	if other := otherThinking(now.Thinking, resumed.Thinking); other != nil && !maps.Equal(other, tuned) { // once is enough
		c.o.Record(task.EventNotice, TunedNotice(other))
	}
	return resumed, nil
}

// settled is what the end of the last run means for the task.
func (c *Conversation) settled(out agent.Outcome) error {
	if out.Failure == "" || out.Aborted {
		return nil
	}
	p := problem.New(problem.CodeModelFailed)
	if e := c.agent.failure.Load(); e != nil {
		p = problem.From(e)
	}
	p.Details = out.Failure
	return p
}

// deliver gives the agent the messages that it was not given yet.
func (c *Conversation) deliver(ctx context.Context, s program.Session) error {
	c.agent.talk.Lock()
	defer c.agent.talk.Unlock()
	return c.give(ctx, s)
}

// give is deliver for who holds talk.
func (c *Conversation) give(ctx context.Context, s program.Session) error {
	for _, p := range c.o.Last().AI.Pending {
		if !c.agent.take(p.ID) {
			continue
		}
		images, err := c.pictures(p.Images)
		switch {
		case err != nil:
		case p.How == "followUp":
			err = s.FollowUp(ctx, p.Text, images...)
		default:
			err = s.Steer(ctx, p.Text, images...) // begins a run where there is none
		}
		if err != nil {
			c.agent.putBack(p.ID)
			return err
		}
	}
	return nil
}

// compact has the session make the summary. What hinders it the session says in the
// timeline, and the task is as it was. It reports whether a message came meanwhile,
// for which the task goes on.
func (c *Conversation) compact(ctx context.Context, s program.Session) (more bool, err error) {
	before := c.o.Last().AI.Pending
	err = s.Compact(ctx)
	if refused, ok := errors.AsType[*agent.CommandError](err); ok {
		c.o.Log.Info("the messages of a task were not summarised", "error", refused.Text)
		err = nil
	}
	if err != nil {
		return false, err
	}
	r := &c.agent
	r.mu.Lock()
	defer r.mu.Unlock()
	if now := c.o.Last().AI.Pending; len(now) > 0 && (len(before) == 0 || now[len(now)-1].ID != before[len(before)-1].ID) {
		return true, nil
	}
	r.over = true
	return false, nil
}

// pictures reads what goes with a message.
func (c *Conversation) pictures(names []string) ([]agent.Image, error) {
	dir := filepath.Join(c.o.Store.Dir(c.o.ID), StateDir, wire.StateUploads)
	var out []agent.Image
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, fmt.Errorf("read a picture of a message: %w", err)
		}
		out = append(out, agent.Image{Name: task.GivenName(name), MediaType: http.DetectContentType(data), Data: data})
	}
	return out, nil
}
