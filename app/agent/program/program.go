package program

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"piwork/app/agent"
	"piwork/app/agent/acpagent"
	"piwork/app/task"
)

// Names of the programs.
const (
	Pi       = "pi"
	OpenCode = "opencode"
)

// Session is one conversation with a program. [agent.Session] is that with pi.
type Session interface {
	Start(ctx context.Context, t agent.Transport) (agent.Resumed, error)
	Wait(ctx context.Context) (agent.Outcome, error)
	Close(ctx context.Context) error

	Prompt(ctx context.Context, text string, images ...agent.Image) error
	Steer(ctx context.Context, text string, images ...agent.Image) error
	FollowUp(ctx context.Context, text string, images ...agent.Image) error
	Unqueue(ctx context.Context) (steering, followUp int, err error)
	Abort(ctx context.Context) (task.QueueData, error)

	SetModel(ctx context.Context, model string) error
	SetThinking(ctx context.Context, level string) error
	Compact(ctx context.Context) error
	State(ctx context.Context) (agent.State, error)
}

var (
	_ Session = (*agent.Session)(nil)
	_ Session = (*acpagent.Session)(nil)
)

// Program is an AI program.
type Program struct {
	Name  string // as requests name it
	Title string // as its makers write it
	AddOn string // that has it; "" is the runtime itself

	// Thinks reports that one can say how long its models think.
	Thinks bool

	command func(Config) (agent.Launch, error)
	named   func(model string) string // what it calls a model; nil where it speaks pi's protocol
}

// Config is what a program is started with.
type Config struct {
	agent.Config        // Models is what the gateway makes for the program
	Secret       string // of the run, for what only the program itself is to reach
}

// programs in the order in which they are shown.
var programs = []Program{
	{Name: Pi, Title: "pi", Thinks: true, command: func(c Config) (agent.Launch, error) { return agent.Command(c.Config) }},
	{Name: OpenCode, Title: "opencode", AddOn: "opencode", command: openCode, named: openCodeModel},
}

// Find is the program of a name; "" is pi.
func Find(name string) (Program, bool) {
	name = cmp.Or(name, Pi)
	i := slices.IndexFunc(programs, func(p Program) bool { return p.Name == name })
	if i < 0 {
		return Program{}, false
	}
	return programs[i], true
}

// AddOns are those without which a program cannot run.
func AddOns(name string) []string {
	if p, ok := Find(name); ok && p.AddOn != "" {
		return []string{p.AddOn}
	}
	return nil
}

// Own reports whether the program is pi, for which the gateway describes its own models.
func (p Program) Own() bool { return p.named == nil }

// Command says how the program is started. It is pure.
func (p Program) Command(c Config) (agent.Launch, error) {
	l, err := p.command(c)
	if err != nil {
		return l, fmt.Errorf("start %s: %w", p.Name, err)
	}
	return l, nil
}

// Session makes a session with the program. What only a session of pi, or only one of another
// program uses of the options is left out.
func (p Program) Session(o acpagent.Options) Session {
	if p.Own() {
		return agent.New(o.Options)
	}
	o.Named = p.named
	return acpagent.New(o)
}
