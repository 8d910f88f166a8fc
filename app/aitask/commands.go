package aitask

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"path"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/google/uuid"
	"mvdan.cc/sh/v3/syntax"

	"piwork/app/agent"
	"piwork/app/approval/command"
	"piwork/app/task"
	"piwork/pack/guest/agentkit"
	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// Bounds of commands of an AI.
const (
	maxCommandText     = 120 << 10      // bytes; Linux takes an argument of at most 128 KiB
	maxCommandRequest  = 6*120<<10 + 64 // bytes: JSON may write each as \u00XX
	maxCommandsAtOnce  = 16
	CommandInterpreter = "/bin/bash" // what app/approval/command reads
)

// aiCommands runs the commands of a task's AI in its machine. pi sends each here
// (pack/guest/agentkit), and has no part in what becomes of it: what was judged, and
// shown to the person, is what runs.
type aiCommands struct {
	c     *Conversation
	b     Environment
	asks  bool // the person is asked about those that do more than read
	turns chan struct{}
	dir   atomic.Pointer[string] // where they run; nil until the machine is ready
}

func (c *Conversation) aiCommands(b Environment, asks bool) *aiCommands {
	return &aiCommands{c: c, b: b, asks: asks, turns: make(chan struct{}, maxCommandsAtOnce)}
}

// ready has commands run in dir from now on.
func (s *aiCommands) ready(dir string) { s.dir.Store(&dir) }

// asksCommands reports whether the person is asked about commands that do more than
// read. A chore's yes is to its plan.
func (c *Conversation) asksCommands(t task.Task) bool { return !c.o.Accept && t.Chore == "" }

// agentTools serves what the agent of a task has the host do.
func agentTools(commands, folders, servers, web http.Handler) http.Handler {
	m := http.NewServeMux()
	m.Handle(agentkit.PathCommand, commands)
	if folders != nil {
		m.Handle(agentkit.PathFolder, folders)
	}
	if servers != nil {
		m.Handle(agentkit.PathServer, servers)
	}
	if web != nil {
		m.Handle("/", web)
	}
	return m
}

// Answers to a command that does not run, for the model.
const (
	CommandDenied   = "The person did not allow this command. Do not try the same another way; say what you wanted to do and ask."
	CommandTooLong  = "The command is too long to be shown to the person. Write its content to a file with the write tool, and use that."
	CommandUnseen   = "The command has control characters that the person could not see. Write them as escapes."
	commandBusy     = "Too many commands at once. Wait for one of them."
	commandNotRead  = "The request cannot be read."
	commandNotAsked = "The question about this command was withdrawn. It did not run."
)

// ServeHTTP implements http.Handler.
func (s *aiCommands) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	select {
	case s.turns <- struct{}{}:
		defer func() { <-s.turns }()
	default:
		refuseCommand(w, http.StatusServiceUnavailable, commandBusy)
		return
	}
	dir := s.dir.Load()
	if dir == nil {
		refuseCommand(w, http.StatusServiceUnavailable, commandBusy)
		return
	}
	asked, err := readCommand(http.MaxBytesReader(w, r.Body, maxCommandRequest))
	if err != nil || r.Method != http.MethodPost {
		refuseCommand(w, http.StatusBadRequest, commandNotRead)
		return
	}
	id, err := uuid.NewV7()
	if err != nil {
		refuseCommand(w, http.StatusInternalServerError, commandBusy)
		return
	}
	asked.Directory = cmp.Or(asked.Directory, *dir)
	judged, shown := asked.Directory, asked.Command
	if asked.Directory != *dir { // the person sees where, and a place in the machine may be a link
		where, err := syntax.Quote(asked.Directory, syntax.LangBash)
		if err != nil {
			refuseCommand(w, http.StatusBadRequest, commandNotRead)
			return
		}
		shown = "cd " + where + " && " + asked.Command
		if asked.Directory != wire.FoldersDir && !strings.HasPrefix(asked.Directory, wire.FoldersDir+"/") {
			judged = ""
		}
	}
	verdict := command.Classify(asked.Command, judged)
	asks := s.asks && !verdict.Silent()
	if !asks {
		d, said, err := s.c.o.Gate.Command(id.String(), verdict.Effects)
		if asks = !said; err != nil || said && d.Answer != vmhost.AnswerAllow {
			refuseCommand(w, http.StatusForbidden, CommandDenied)
			return
		}
	}
	if asks {
		switch message, err := s.ask(r.Context(), id.String(), shown, verdict); {
		case err != nil:
			refuseCommand(w, http.StatusForbidden, commandNotAsked)
			return
		case message != "":
			refuseCommand(w, http.StatusForbidden, message)
			return
		}
	}
	p := &wire.ExecParams{ID: id.String(), Argv: []string{CommandInterpreter, "-c", asked.Command}, Cwd: asked.Directory, Limits: commandLimits(asked.Timeout)}
	if verdict.Silent() { // known by its name: it is the system's, and not one that the task installed
		p.Env = maps.Clone(command.GitEnv)
		p.Env["PATH"] = wire.SystemPath
	}
	s.run(r.Context(), w, p)
}

// readCommand reads one request, and nothing after it.
func readCommand(r io.Reader) (asked agentkit.CommandRequest, err error) {
	d := json.NewDecoder(r)
	if err := d.Decode(&asked); err != nil {
		return asked, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return asked, errors.New("more than one request")
	}
	if len(asked.Command) > maxCommandText || asked.Timeout < 0 || asked.Directory != "" && (!path.IsAbs(asked.Directory) || path.Clean(asked.Directory) != asked.Directory) {
		return asked, errors.New("out of bounds")
	}
	return asked, nil
}

// ask has the person decide. It returns why the command does not run, "" when it may.
func (s *aiCommands) ask(ctx context.Context, id, text string, v command.Verdict) (string, error) {
	if len(text) > agent.MaxCommand {
		return CommandTooLong, nil
	}
	q := agent.CommandQuestion(id, text, v.Effects, v.Targets)
	if q.Text.Params["command"] != text {
		return CommandUnseen, nil
	}
	d, err := s.c.o.Gate.AskAgent(ctx, q)
	if err != nil {
		return "", err
	}
	if d.Answer != vmhost.AnswerAllow {
		return CommandDenied, nil
	}
	return "", nil
}

// commandLimits are those of a command that may take so many seconds, 0 for as many as
// it takes.
func commandLimits(seconds float64) wire.Limits {
	l := wire.Limits{WallMS: wire.MaxWallMS, OutputBytes: wire.MaxOutput}
	if seconds > 0 {
		l.WallMS = int64(math.Ceil(min(seconds*1000, float64(wire.MaxWallMS))))
	}
	return l
}

// run runs a command and answers with what it prints, as it does. When the guest
// does not read, the command waits; when it is gone, the command ends.
func (s *aiCommands) run(ctx context.Context, w http.ResponseWriter, p *wire.ExecParams) {
	var mu sync.Mutex // both streams come at once
	out := http.NewResponseController(w)
	say := func(a agentkit.CommandAnswer) {
		line, err := json.Marshal(a)
		if err != nil {
			return // it has no values that cannot be written
		}
		mu.Lock()
		defer mu.Unlock()
		if _, err := w.Write(append(line, '\n')); err == nil { // the guest may be gone: ctx says so
			_ = out.Flush()
		}
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	obs, err := s.b.Execute(ctx, vmhost.Action{Exec: p, OnOutput: func(o wire.ExecOutput) { say(agentkit.CommandAnswer{Data: o.Data}) }})
	switch {
	case ctx.Err() != nil:
	case err != nil:
		s.c.o.Log.Warn("a command of the AI could not be run", "error", err)
		say(agentkit.CommandAnswer{Error: &agentkit.CommandError{Message: fmt.Sprintf("The command could not be run: %v", err)}})
	default:
		say(agentkit.CommandAnswer{Exit: &obs.Exec.ExitCode, Ended: obs.Exec.Ended})
	}
}

func refuseCommand(w http.ResponseWriter, status int, message string) {
	line, err := json.Marshal(agentkit.CommandAnswer{Error: &agentkit.CommandError{Message: message}})
	if err != nil {
		return
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	w.WriteHeader(status)
	_, _ = w.Write(append(line, '\n')) // the guest may be gone
}
