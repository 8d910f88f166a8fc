package acpagent

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	sdk "github.com/coder/acp-go-sdk"

	"piwork/app/agent"
	"piwork/app/agent/transcript"
	"piwork/app/approval/command"
	"piwork/vmhost"
)

// Bounds of questions.
const (
	maxQuestions = 32 // open at once; more are answered with no
	maxOptions   = 32
	maxOptionID  = 256 // bytes
)

// permission answers a request of the program for a yes. Whatever is not a yes is a no, and a
// request that belongs to no turn is cancelled.
func (s *Session) permission(ctx context.Context, p sdk.RequestPermissionRequest) (sdk.RequestPermissionResponse, error) {
	cancelled := sdk.RequestPermissionResponse{Outcome: sdk.NewRequestPermissionOutcomeCancelled()}
	yes, no, ok := once(p.Options)
	if !ok || s.o.Ask == nil {
		return cancelled, nil
	}
	ctx, id, done := s.open.add(ctx) // before the turn is looked at: whoever ends it withdraws what was added
	if done == nil {
		return cancelled, nil
	}
	defer done()
	defer context.AfterFunc(s.ctx, done)()
	s.emitting.Lock()
	t := s.underWay(p.SessionId)
	if t == nil {
		s.emitting.Unlock()
		return cancelled, nil
	}
	s.hear(t)
	call, known := s.line.Running(p.ToolCall.ToolCallId)
	s.emitting.Unlock()
	about := asked(p.ToolCall, call)
	allowed, err := s.allows(ctx, id, about, known && about.Kind == call.Kind)
	switch {
	case err != nil || ctx.Err() != nil || s.underWay(p.SessionId) != t:
		return cancelled, nil
	case allowed:
		return sdk.RequestPermissionResponse{Outcome: sdk.NewRequestPermissionOutcomeSelected(yes)}, nil
	case no == "":
		return cancelled, nil
	}
	return sdk.RequestPermissionResponse{Outcome: sdk.NewRequestPermissionOutcomeSelected(no)}, nil
}

// once finds the options that hold for once. Those that hold for longer are not taken: what a
// person allows for longer is a rule of piwork.
func once(options []sdk.PermissionOption) (yes, no sdk.PermissionOptionId, ok bool) {
	for _, o := range options[:min(len(options), maxOptions)] {
		if o.OptionId == "" || len(o.OptionId) > maxOptionID {
			continue
		}
		switch {
		case o.Kind == sdk.PermissionOptionKindAllowOnce && yes == "":
			yes = o.OptionId
		case o.Kind == sdk.PermissionOptionKindRejectOnce && no == "":
			no = o.OptionId
		}
	}
	return yes, no, yes != "" && yes != no
}

// asked is what a request is about: what it says itself, and what was said of its tool before.
func asked(u sdk.ToolCallUpdate, known transcript.Call) transcript.Call {
	var kind sdk.ToolKind
	title := ""
	if u.Kind != nil {
		kind = *u.Kind
	}
	if u.Title != nil {
		title = *u.Title
	}
	c := transcript.CallOf(kind, title, u.RawInput, u.Locations)
	c.Command = cmp.Or(c.Command, known.Command)
	c.Kind = cmp.Or(c.Kind, known.Kind)
	c.Title = cmp.Or(c.Title, known.Title)
	if len(c.Paths) == 0 {
		c.Paths = known.Paths
	}
	c.Dir = cmp.Or(c.Dir, known.Dir)
	return c
}

// files are the kinds of tools that read and write files, or nothing at all.
var files = []sdk.ToolKind{sdk.ToolKindRead, sdk.ToolKindEdit, sdk.ToolKindDelete, sdk.ToolKindMove, sdk.ToolKindSearch, sdk.ToolKindThink}

// allows decides about a call: by what its command does, where it is a tool for commands; by the
// rules where it is a tool for files, whose changes the share asks about; and otherwise by asking in
// the program's words. known says that the tool runs, and is of the kind that the call has: what
// another tool has as a command may be anything.
func (s *Session) allows(ctx context.Context, id string, c transcript.Call, known bool) (bool, error) {
	q := vmhost.Question{ID: id, Kind: vmhost.AskCommand, Items: []string{}}
	switch {
	case known && c.Kind == sdk.ToolKindExecute && c.Command != "":
		dir := s.o.Dir
		if c.Dir != "" && c.Dir != dir {
			dir = "" // relative names are of a directory that nobody knows
		}
		v := command.Classify(c.Command, dir)
		if v.Silent() || !s.o.Asks {
			return true, nil
		}
		if len(c.Command) > agent.MaxCommand {
			return false, nil
		}
		q = agent.CommandQuestion(id, c.Command, v.Effects, v.Targets)
		if q.Text.Params["command"] != c.Command {
			return false, nil // the person could not see all of it
		}
	case known && slices.Contains(files, c.Kind) && c.Command == "":
		q = agent.CommandQuestion(id, c.Title, []string{command.Write}, c.Paths) // for the rules
	default:
		about := c.Command
		if len(c.Paths) > 0 {
			about = strings.TrimSpace(about + " " + fmt.Sprint(c.Paths))
		}
		q.Text = vmhost.Text{Code: agent.AskConfirm, Params: map[string]any{"title": agent.OneLine(c.Title, agent.MaxTarget), "message": agent.OneLine(about, agent.MaxNotice)}}
	}
	q.Task = s.o.Task
	d, err := s.o.Ask(ctx, q)
	return err == nil && d.Answer == vmhost.AnswerAllow, err
}

// questions are those that are open.
type questions struct {
	prefix string

	mu   sync.Mutex
	next int64
	open map[int64]context.CancelFunc
}

// add notes a question. done is nil where there are too many.
func (o *questions) add(ctx context.Context) (_ context.Context, id string, done func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.open) >= maxQuestions {
		return ctx, "", nil
	}
	o.next++
	n := o.next
	ctx, cancel := context.WithCancel(ctx)
	if o.open == nil {
		o.open = map[int64]context.CancelFunc{}
	}
	o.open[n] = cancel
	return ctx, fmt.Sprintf("agent-%s-%d", o.prefix, n), func() {
		cancel()
		o.mu.Lock()
		defer o.mu.Unlock()
		delete(o.open, n)
	}
}

// withdrawAll takes back the open questions.
func (o *questions) withdrawAll() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, cancel := range o.open {
		cancel()
	}
}
