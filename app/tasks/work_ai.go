package tasks

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	"go.opentelemetry.io/otel/trace"

	"piwork/app/agent"
	"piwork/app/agent/program"
	"piwork/app/gateway"
	"piwork/app/models"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks/agentlog"
	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// StateDir is in a task's directory: what the guest sees as /state.
const StateDir = "state"

// goOnPrompt has the agent take up what it was interrupted in.
const goOnPrompt = "Go on where you stopped. What was in /work is gone."

// workAI has the agent do what the person asked for, until it has nothing to do.
func (l *conversation) workAI() error {
	t := *l.last.Load()
	if l.setupErr != nil {
		return l.setupErr
	}
	if err := l.c.o.Models.Reachable(l.ctx, t.AI.Model); err != nil {
		return err
	}
	if t.Chore != "" {
		if over, err := l.prepareAided(t); over || err != nil {
			return err
		}
		t = *l.last.Load()
	}
	return l.inEnvironment(t.Chore != "" && !aidedReview(t.Chore), func(b *environment) error {
		b.state = filepath.Join(l.c.o.Store.Dir(l.id), StateDir)
		if err := os.MkdirAll(filepath.Join(b.state, wire.StateUploads), 0o700); err != nil {
			return fmt.Errorf("make the directory of the agent: %w", err)
		}
		l.agent.talk.Lock()
		t.AI = l.last.Load().AI // it may have been given another model meanwhile
		commands := l.aiCommands(b, l.asksCommands(t))
		b.tools = l.c.o.Kinds.Servers.Use(t, l.gate)
		defer b.tools.Close()
		s := l.c.o.Models.Gateway().Session(gateway.SessionOptions{
			Task: l.id, Providers: []string{models.ProviderOf(t.AI.Model)}, Models: []string{t.AI.Model},
			Hosted: t.Network == task.NetworkOn, Budget: t.AI.Budget, Used: t.AI.Usage, Span: trace.SpanContextFromContext(l.ctx),
			Tools: agentTools(commands, l.folderTool(), b.tools.Handler(), l.gate.WebTools(t)),
			OnUsage: func(sum task.Usage, _ gateway.Used) {
				l.Later(func(t *task.Task) { t.AI.Usage = sum })
				l.Record(task.EventUsage, sum)
			},
			OnError: func(e *gateway.Error) { l.agent.failure.Store(e) },
			OnWait: func(provider string, _ time.Time) {
				l.Record(task.EventNotice, task.NoticeData{Code: "provider-waits", Params: map[string]any{"provider": provider}})
			},
		})
		l.agent.gate = s
		l.agent.talk.Unlock()
		b.models = s
		if err := b.open(l.ctx); err != nil {
			return err
		}
		if t.Chore == "" { // a chore's plan was made meanwhile
			l.begin(task.StateRunning)
		}
		l.step("agent-start")
		commands.ready(b.rt.InitData().Cwd)
		defer l.room.lend(b)()
		err := l.runAgent(b, t)
		if kept := l.keepAgentResults(b); err == nil {
			err = kept
		}
		if err == nil && !l.agent.stopped && l.before == nil {
			err = l.declared()
		}
		return err
	})
}

// runAgent starts the AI program, gives it the messages that wait, and ends it when
// nothing is left to do.
func (l *conversation) runAgent(b *environment, t task.Task) error {
	launch, err := l.layAgent(b, t)
	if err != nil {
		return err
	}
	log, err := agentlog.Open(filepath.Join(l.c.o.Store.Dir(l.id), agentlog.File))
	if err != nil {
		return err
	}
	defer log.Close(l.c.o.Log)
	known, tuned, err := l.known()
	if err == nil {
		err = l.written()
	}
	if err != nil {
		return err
	}
	s := l.session(b, t, agent.Options{
		Task: l.id, Emit: l.emit, Record: func(line []byte) int64 { l.lines.Add(line); return log.Add(line) }, Known: known.Of, Log: l.c.o.Log,
		Ask: l.AskAgent, Paused: l.gate.Still,
	})
	ctx, cancel := context.WithCancel(l.ctx)
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
		obs, err := b.execute(ctx, vmhost.Action{
			Exec: &wire.ExecParams{
				ID: l.id + "-agent", Argv: launch.Argv, Env: env, Cwd: launch.Dir,
				Limits: wire.Limits{WallMS: wire.MaxWallMS, OutputBytes: wire.MaxOutput}, // a conversation may be long
			},
			Input: in,
			OnOutput: func(o wire.ExecOutput) {
				if o.Stream == wire.Stdout {
					_, _ = out.Write(o.Data) // a session that is over reads no more
					return
				}
				l.agent.tail.add(o.Data)
			},
		})
		if err == nil && obs.Exec.ExitCode != 0 {
			err = fmt.Errorf("it ended with status %d: %s", obs.Exec.ExitCode, l.agent.tail.String())
		}
		_ = out.Close()
		ended <- err
	}()
	err = l.converse(ctx, s, agent.Transport{In: toAgent, Out: fromAgent}, tuned)
	l.agent.close()
	end, stop := l.c.graceful()
	if cerr := s.Close(end); cerr != nil && err == nil {
		l.c.o.Log.Warn("the AI program does not end by itself", "task", l.id, "error", cerr)
	}
	stop()
	cancel()
	_ = fromAgent.Close()
	why := <-ended
	switch {
	case l.ctx.Err() != nil:
		return context.Cause(l.ctx)
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
func (l *conversation) layAgent(b *environment, t task.Task) (agent.Launch, error) {
	l.agent.talk.Lock()
	t.AI = l.last.Load().AI
	l.agent.laid = true
	l.agent.talk.Unlock()
	told := l.c.o.Models.Offered(l.ctx, t.AI.Model)
	l.agent.models.Store(&told)
	by, models, err := l.modelsOf(t, told)
	if err != nil {
		return agent.Launch{}, fmt.Errorf("list the models for the agent: %w", err)
	}
	consent := agent.ConsentAsk
	if !l.asksCommands(t) {
		consent = agent.ConsentAuto
	}
	config := agent.Config{Task: l.id, Init: b.rt.InitData(), Model: t.AI.Model, Thinking: t.AI.Thinking, Models: models, Consent: consent}
	config.Servers = b.tools.Tools()
	if by.Own() {
		config.Web, config.Folders = l.gate.OfferedWeb(t), l.takesFolders() == nil
	}
	launch, err := by.Command(program.Config{Config: limited(config, t), Secret: rand.Text()})
	if err != nil {
		return launch, fmt.Errorf("start the agent: %w", err)
	}
	root, err := os.OpenRoot(b.state)
	if err != nil {
		return launch, fmt.Errorf("open the directory of the agent: %w", err)
	}
	defer root.Close()
	if err := launch.Lay(root); err != nil {
		return launch, fmt.Errorf("put down what the agent is started with: %w", err)
	}
	return launch, nil
}

// known is what the timeline has of messages and tools already, and what it says last
// of the model. Messages that it has wait no more.
func (l *conversation) known() (out agent.Presences, tuned map[string]any, err error) {
	l.notes.Wait()
	events, err := l.c.o.Store.Timeline(l.id, 0)
	if err != nil {
		return nil, nil, err
	}
	var heard []string
	out = agent.Presences{}
	volume := 0
	for _, e := range events {
		if raw, ok := e.Data.(json.RawMessage); ok {
			volume += len(raw)
		}
		switch e.Kind {
		case task.EventNotice:
			var n task.NoticeData
			if raw, ok := e.Data.(json.RawMessage); ok && json.Unmarshal(raw, &n) == nil && n.Code == agent.NoticeModel {
				tuned = n.Params
			}
		case task.EventMessage:
			if m := addKnown[task.MessageData](out, e); m.Pending != "" {
				heard = append(heard, m.Pending)
			}
		case task.EventTool:
			addKnown[task.ToolData](out, e)
		}
	}
	l.agent.volume.Store(int64(volume))
	l.Later(func(t *task.Task) { // a crash kept them there
		for _, id := range heard {
			without(t, id)
		}
	})
	return out, tuned, nil
}

// noticeForeign says that the session of the agent has a message in the person's name
// that the person did not write: a part of the AI program, or whoever else writes to the
// session in the machine, did.
const noticeForeign = "foreign-message"

// maxVolume bounds what the timeline has of an agent, in bytes: some hundred thousand messages.
const maxVolume = 64 << 20

// emit makes an event of what the agent did. A message of the person that the agent
// has is none that waits any more.
//
// The agent is not read while the disk is behind, and is ended when it said too much: a program
// in the machine may write in its place.
func (l *conversation) emit(e agent.Entry) {
	if !e.Stored {
		l.Tell(e.Kind, e.Data)
		return
	}
	if l.notes.Room(l.ctx) != nil {
		return
	}
	said, _ := json.Marshal(e.Data)
	if l.agent.volume.Add(int64(len(said))) > maxVolume {
		l.cancel(problem.New(problem.CodeAgentFailed).Because(errVolume))
		return
	}
	if n, ok := e.Data.(task.NoticeData); ok && n.Code == agent.NoticeResumed && l.compacts { // it does not go on
		return
	}
	m, _ := e.Data.(task.MessageData)
	if m.Role == "user" {
		if !l.waited(&m) && strings.TrimSpace(m.Text) != goOnPrompt {
			l.Record(task.EventNotice, task.NoticeData{Code: noticeForeign, Text: m.Text, Raw: m.Raw})
			return
		}
		e.Data = m
	}
	l.Record(e.Kind, e.Data)
	if m.Pending != "" { // after the timeline has it: a crash in between loses none
		l.Later(func(t *task.Task) { without(t, m.Pending) })
	}
	if m.Role == "user" && len(m.Images) > 0 && l.leavesPictures() {
		l.Record(task.EventNotice, task.NoticeData{Code: NoticePicturesLeft})
	}
}

// waited reports whether a message is one of those that wait, and says which and how it
// was meant: nothing else is the person's.
func (l *conversation) waited(m *task.MessageData) bool {
	var found *task.Pending
	for _, p := range l.last.Load().AI.Pending {
		if strings.TrimSpace(agent.Shown(p.Text)) == strings.TrimSpace(m.Text) && l.agent.hears(p.ID) {
			found = &p
			break
		}
	}
	if found == nil {
		return false
	}
	m.Pending, m.How = found.ID, cmp.Or(m.How, found.How)
	if len(m.Images) == 0 {
		m.Images = found.Images
	}
	return true
}

// converse gives the agent what waits for it, until it waits for a message and
// there is none. tuned is what the timeline says last of the model.
func (l *conversation) converse(ctx context.Context, s program.Session, t agent.Transport, tuned map[string]any) error {
	resumed, err := l.begun(ctx, s, t, tuned)
	if err != nil {
		return problem.New(problem.CodeAgentFailed).Because(err)
	}
	l.step("run")
	if err := l.written(); err != nil {
		return err
	}
	if l.before != nil {
		if more, err := l.compact(ctx, s); err != nil || !more {
			return err
		}
		l.before = nil
	}
	if (resumed.Unfinished || l.resumePrompt) && len(l.last.Load().AI.Pending) == 0 {
		if err := s.Prompt(ctx, goOnPrompt); err != nil {
			return err
		}
	}
	for {
		l.agent.open(s)
		if err := l.deliver(ctx, s); err != nil {
			return err
		}
		out, err := s.Wait(ctx)
		if err != nil {
			return err
		}
		if err := l.written(); err != nil {
			return err
		}
		if l.agent.finish(func() []task.Pending { return l.last.Load().AI.Pending }) {
			for _, p := range l.last.Load().AI.Pending { // that the agent has in other words
				l.Record(task.EventMessage, task.MessageData{ID: p.ID, Role: "user", Text: agent.Shown(p.Text), How: p.How, Images: p.Images, Pending: p.ID})
			}
			if _, err := l.update(func(t *task.Task) { t.AI.Pending = nil }); err != nil { // it has them all
				return err
			}
			l.agent.stopped = out.Aborted
			return l.settled(out)
		}
	}
}

// begun starts the session. Of the messages that wait, those that it has from
// before are no longer wanted.
func (l *conversation) begun(ctx context.Context, s program.Session, t agent.Transport, tuned map[string]any) (agent.Resumed, error) {
	l.agent.talk.Lock()
	defer l.agent.talk.Unlock()
	now := l.last.Load().AI
	l.agent.all(now.Pending)
	resumed, err := s.Start(ctx, t)
	if err != nil {
		return resumed, err
	}
	l.agent.none()
	if other := otherThinking(now.Thinking, resumed.Thinking); other != nil && !maps.Equal(other, tuned) { // once is enough
		l.Record(task.EventNotice, tunedNotice(other))
	}
	return resumed, nil
}

// settled is what the end of the last run means for the task.
func (l *conversation) settled(out agent.Outcome) error {
	if out.Failure == "" || out.Aborted {
		return nil
	}
	p := problem.New(problem.CodeModelFailed)
	if e := l.agent.failure.Load(); e != nil {
		p = problem.From(e)
	}
	p.Details = out.Failure
	return p
}

// deliver gives the agent the messages that it was not given yet.
func (l *conversation) deliver(ctx context.Context, s program.Session) error {
	l.agent.talk.Lock()
	defer l.agent.talk.Unlock()
	return l.give(ctx, s)
}

// give is deliver for who holds talk.
func (l *conversation) give(ctx context.Context, s program.Session) error {
	for _, p := range l.last.Load().AI.Pending {
		if !l.agent.take(p.ID) {
			continue
		}
		images, err := l.pictures(p.Images)
		switch {
		case err != nil:
		case p.How == "followUp":
			err = s.FollowUp(ctx, p.Text, images...)
		default:
			err = s.Steer(ctx, p.Text, images...) // begins a run where there is none
		}
		if err != nil {
			l.agent.putBack(p.ID)
			return err
		}
	}
	return nil
}

// AskAgent puts a question of the agent to the person.
func (l *Live) AskAgent(ctx context.Context, q vmhost.Question) (vmhost.Decision, error) {
	return l.gate.AskAgent(ctx, q)
}

// addKnown adds what a stored event is about to what the timeline has, and returns it.
func addKnown[T task.MessageData | task.ToolData](known interface{ Add(any) }, e task.Event) (d T) {
	raw, ok := e.Data.(json.RawMessage)
	if ok && json.Unmarshal(raw, &d) == nil {
		known.Add(d)
	}
	return d
}
