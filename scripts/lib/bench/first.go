package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"piwork/app/agent"
	"piwork/app/gateway"
	"piwork/app/gateway/gatewaytest"
	"piwork/app/gateway/provider"
	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// prompt is how long a person waits from what they asked for to the first word of
// the AI program that it has begun: a machine, the gateway, the program.
func (b *gatewayRoom) prompt(ctx context.Context, name string, runs int) (row, error) {
	b.model.Reply(func(gatewaytest.Question) gatewaytest.Turn { return gatewaytest.Paced(1, 0) })
	return compare(runs, name, "the same in a machine that was booted",
		func() (time.Duration, error) { return b.firstEvent(ctx, true) },
		func() (time.Duration, error) { return b.firstEvent(ctx, false) })
}

// firstEvent starts a machine and the AI program in it, and asks.
func (b *gatewayRoom) firstEvent(ctx context.Context, restored bool) (took time.Duration, err error) {
	began := time.Now()
	r, _, err := b.open(ctx, restored, b.gateway.Session(gateway.SessionOptions{Task: "bench"}).Serve)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, r.end(ctx)) }()
	launch, err := b.launch(ctx, r)
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	first := make(chan time.Duration, 1)
	s := agent.New(agent.Options{Task: benchTask, Emit: func(agent.Entry) {
		select {
		case first <- time.Since(began):
		default:
		}
	}})
	t, ended := runAgent(ctx, r, launch)
	if _, err := s.Start(ctx, t); err != nil {
		return 0, fmt.Errorf("start the AI program: %w", err)
	}
	if err := s.Prompt(ctx, "What is in this folder?"); err != nil {
		return 0, fmt.Errorf("ask the AI program: %w", err)
	}
	if _, err := s.Wait(ctx); err != nil {
		return 0, err
	}
	if err := errors.Join(s.Close(ctx), <-ended); err != nil {
		return 0, err
	}
	return <-first, nil
}

// benchTask is the id of every conversation.
const benchTask = "0190c0de-0000-7000-8000-000000000001"

// launch puts down what the program is started with.
func (b *gatewayRoom) launch(ctx context.Context, r *room) (agent.Launch, error) {
	models, err := b.gateway.PiModels(ctx, wire.GatewayAddr, provider.Model{ID: "scripted/" + gatewaytest.AnthropicModel})
	if err != nil {
		return agent.Launch{}, err
	}
	launch, err := agent.Command(agent.Config{
		Task: benchTask, Init: r.InitData(), Model: "scripted/" + gatewaytest.AnthropicModel, Models: models,
	})
	if err != nil {
		return launch, err
	}
	root, err := os.OpenRoot(r.state)
	if err != nil {
		return launch, err
	}
	defer root.Close()
	return launch, launch.Lay(root)
}

// runAgent runs the program in the machine; the channel says how it ended.
func runAgent(ctx context.Context, r *room, launch agent.Launch) (agent.Transport, <-chan error) {
	in, toAgent := io.Pipe()
	fromAgent, out := io.Pipe()
	ended := make(chan error, 1)
	env := map[string]string{}
	for _, v := range launch.Env {
		name, value, _ := strings.Cut(v, "=")
		env[name] = value
	}
	go func() {
		seen, err := r.Execute(ctx, vmhost.Action{
			Exec: &wire.ExecParams{ID: "agent", Argv: launch.Argv, Env: env, Cwd: launch.Dir}, Input: in,
			OnOutput: func(o wire.ExecOutput) {
				if o.Stream == wire.Stdout {
					_, _ = out.Write(o.Data) // a session that is over reads no more
				}
			},
		})
		if err == nil && seen.Exec.ExitCode != 0 {
			err = fmt.Errorf("the AI program ended with status %d", seen.Exec.ExitCode)
		}
		_ = out.Close()
		ended <- err
	}()
	return agent.Transport{In: toAgent, Out: fromAgent}, ended
}
