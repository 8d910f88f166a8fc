package tasks

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"piwork/app/agent"
	"piwork/app/agent/acpagent"
	"piwork/app/agent/program"
	"piwork/app/durable"
	"piwork/app/gateway/provider"
	"piwork/app/models"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/pack/guest/agentkit"
	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// agentSessionFile keeps, beside what the machine can write, which session an AI program other
// than pi has: that is for the program to say, and its own id.
const agentSessionFile = "agent.session"

// maxAgentSession is how long that is, in bytes.
const maxAgentSession = 1 << 10

// usable is the problem of a model that an AI program cannot use.
func usable(ctx context.Context, access *models.Access, name, model string) error {
	by, ok := program.Find(name)
	if !ok || by.Own() || model == "" { // what is no program the request says
		return nil
	}
	plain, err := access.Plain(ctx, models.ProviderOf(model))
	if err == nil && !plain {
		err = problem.New(problem.CodeAgentModel).With("agent", by.Title).With("model", model)
	}
	if err != nil {
		return problem.From(err)
	}
	return nil
}

// modelsOf is the AI program of the task, and the description of models that it is started with.
func (l *conversation) modelsOf(t task.Task, told []provider.Model) (program.Program, []byte, error) {
	by, ok := program.Find(t.AI.Program)
	if !ok {
		return by, nil, problem.BadRequest("program", "%q is not a choice", t.AI.Program)
	}
	if by.Own() {
		list, err := l.c.o.Models.Gateway().PiModels(l.ctx, wire.GatewayAddr, told...)
		return by, list, err
	}
	list, err := l.c.o.Models.Gateway().OtherModels(l.ctx, wire.GatewayAddr, agentkit.OpenCodeProvider, told...)
	return by, list, err
}

// session makes the session with the AI program of the task.
func (l *conversation) session(b *environment, t task.Task, o agent.Options) program.Session {
	by, _ := program.Find(t.AI.Program) // what it is started with was made of it
	kept := filepath.Join(l.c.o.Store.Dir(l.id), agentSessionFile)
	before, err := os.ReadFile(kept)
	if err != nil && !errors.Is(err, fs.ErrNotExist) || len(before) > maxAgentSession {
		l.c.o.Log.Warn("which session the AI program has is not known", "task", l.id, "error", err)
		before = nil
	}
	return by.Session(acpagent.Options{
		Options: o, Dir: b.rt.InitData().Cwd, Model: t.AI.Model, Session: string(before), Asks: l.asksCommands(t),
		Opened:  func(id string) error { return durable.WriteFile(kept, []byte(id)) },
		Folders: func() []vmhost.FolderInView { return b.inView() }, Files: agentFiles{b},
	})
}

// agentFiles are the files of a machine for an AI program that has the host read and write them:
// as every program of the machine it goes through the share.
type agentFiles struct{ b *environment }

// ReadFile implements acpagent.Files.
func (f agentFiles) ReadFile(ctx context.Context, path string) ([]byte, error) {
	obs, err := f.b.execute(ctx, vmhost.Action{File: &wire.FileParams{Op: wire.FileRead, Path: path, Length: wire.MaxFileData, Roots: []string{wire.FoldersDir}}})
	if err != nil {
		return nil, err
	}
	if obs.File.Info != nil && obs.File.Info.Size > int64(len(obs.File.Data)) {
		return nil, fmt.Errorf("%w: a file of %d bytes", agent.ErrTooLong, obs.File.Info.Size)
	}
	return obs.File.Data, nil
}

// WriteFile implements acpagent.Files.
func (f agentFiles) WriteFile(ctx context.Context, path string, data []byte) error {
	_, err := f.b.execute(ctx, vmhost.Action{
		File: &wire.FileParams{Op: wire.FileWrite, Path: path, Parents: true, Roots: []string{wire.FoldersDir}}, Data: data, Rule: f.b.l.c.o.Kinds.Chooser.FileRule(),
	})
	return err
}
