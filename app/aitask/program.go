package aitask

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

// aidedTools are those that the agent of a chore has.
var aidedTools = []string{"read", "bash", "write", "grep", "find", "ls"}

// limited restricts the agent of a chore.
func limited(c agent.Config, t task.Task) agent.Config {
	if t.Chore != "" {
		c.Tools, c.Consent = aidedTools, agent.ConsentAuto
	}
	return c
}

// modelsOf is the AI program of the task, and the description of models that it is started with.
func (c *Conversation) modelsOf(t task.Task, told []provider.Model) (program.Program, []byte, error) {
	by, ok := program.Find(t.AI.Program)
	if !ok {
		return by, nil, problem.BadRequest("program", "%q is not a choice", t.AI.Program)
	}
	if by.Own() {
		list, err := c.o.Models.Gateway().PiModels(c.o.Context, wire.GatewayAddr, told...)
		return by, list, err
	}
	list, err := c.o.Models.Gateway().OtherModels(c.o.Context, wire.GatewayAddr, agentkit.OpenCodeProvider, told...)
	return by, list, err
}

// session makes the session with the AI program of the task.
func (c *Conversation) session(b Environment, t task.Task, o agent.Options) program.Session {
	by, _ := program.Find(t.AI.Program) // what it is started with was made of it
	kept := filepath.Join(c.o.Store.Dir(c.o.ID), agentSessionFile)
	before, err := os.ReadFile(kept)
	if err != nil && !errors.Is(err, fs.ErrNotExist) || len(before) > maxAgentSession {
		c.o.Log.Warn("which session the AI program has is not known", "error", err)
		before = nil
	}
	return by.Session(acpagent.Options{
		Options: o, Dir: b.InitData().Cwd, Model: t.AI.Model, Session: string(before), Asks: c.asksCommands(t),
		Opened:  func(id string) error { return durable.WriteFile(kept, []byte(id)) },
		Folders: func() []vmhost.FolderInView { return b.InView() }, Files: agentFiles{b, c.o.FileRule},
	})
}

// agentFiles are the files of a machine for an AI program that has the host read and write them:
// as every program of the machine it goes through the share.
type agentFiles struct {
	b    Environment
	rule func() vmhost.Requirement
}

// ReadFile implements acpagent.Files.
func (f agentFiles) ReadFile(ctx context.Context, path string) ([]byte, error) {
	obs, err := f.b.Execute(ctx, vmhost.Action{File: &wire.FileParams{Op: wire.FileRead, Path: path, Length: wire.MaxFileData, Roots: []string{wire.FoldersDir}}})
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
	_, err := f.b.Execute(ctx, vmhost.Action{
		File: &wire.FileParams{Op: wire.FileWrite, Path: path, Parents: true, Roots: []string{wire.FoldersDir}}, Data: data, Rule: f.rule(),
	})
	return err
}
