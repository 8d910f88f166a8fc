package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"piwork/app"
	"piwork/app/api"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/app/toolcall"
)

const (
	healthAsked = 200                   // times in a run
	healthEvery = 20 * time.Millisecond // from one to the next
	healthTasks = 3                     // operations at a time, each in a machine of its own
)

// health is how long the local API takes to say that it is well while operations
// run, beside the same while nothing runs: the 99th percentile.
func (t *toolRoom) health() {
	dir := filepath.Join(t.dir, "controller")
	c := must(app.Open(t.ctx, app.Options{
		DataDir: filepath.Join(dir, "data"), CacheDir: filepath.Join(dir, "cache"), PackDir: t.m.dir, Version: t.version, Developer: true,
	}))
	defer t.end(func() error { return c.Close(context.WithoutCancel(t.ctx)) })
	must(c.PrepareMachines(t.ctx))
	a := api.New(api.Options{Service: c, Developer: true})
	defer a.Close()
	ln := must(api.ListenSocket(c.Socket()))
	serving, stop := context.WithCancel(t.ctx)
	served := make(chan error, 1)
	go func() { served <- api.Serve(serving, ln, a.Handler()) }()
	defer t.end(func() error { stop(); return <-served })

	var dialer net.Dialer
	client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, "unix", c.Socket())
		},
	}}
	defer client.CloseIdleConnections()
	idle := func() time.Duration { return t.asked(client) }
	busy := func() time.Duration {
		work, end := context.WithCancel(t.ctx)
		var group sync.WaitGroup
		failed := make(chan error, healthTasks)
		for range healthTasks {
			group.Go(func() {
				if err := t.resizes(work, c); err != nil && work.Err() == nil {
					failed <- err
				}
			})
		}
		var p99 time.Duration
		err := try(func() { p99 = t.asked(client) })
		end()
		group.Wait()
		close(failed)
		check(errors.Join(err, <-failed))
		return p99
	}
	t.compare("tools/health/p99", fmt.Sprintf("the same while nothing runs; 99th percentile of %d, over the socket", healthAsked), busy, idle)
}

// asked asks for the health, and returns the 99th percentile of the answers.
func (b *B) asked(client *http.Client) time.Duration {
	var all []time.Duration
	tick := time.NewTicker(healthEvery)
	defer tick.Stop()
	for range healthAsked {
		<-tick.C
		all = append(all, timed(func() {
			res, err := client.Do(must(http.NewRequestWithContext(b.ctx, http.MethodGet, "http://piwork/_health", http.NoBody)))
			check(err)
			_, err = io.Copy(io.Discard, res.Body)
			check(errors.Join(err, res.Body.Close()))
			if res.StatusCode != http.StatusOK {
				failf("the health is %s", res.Status)
			}
		}))
	}
	slices.Sort(all)
	return all[len(all)*99/100]
}

// resizes makes pictures smaller, one task after the other, until ctx ends.
func (t *toolRoom) resizes(ctx context.Context, c *app.Controller) error {
	return try(func() {
		for ctx.Err() == nil {
			t.resize(ctx, c)
		}
	})
}

func (t *toolRoom) resize(ctx context.Context, c *app.Controller) {
	events, cancel := c.Subscribe(task.EventFilter{})
	defer cancel()
	made := must(c.StartTask(ctx, must(tasks.ToolCall{Call: toolcall.Call{Op: resizing.op, In: []string{filepath.Join(t.folder, photo)}, Params: resizing.params}}.Request())))
	for ctx.Err() == nil {
		if now := must(c.Task(ctx, made.ID)); now.State.Final() {
			if now.Error != nil {
				check(now.Error)
			}
			return
		}
		select {
		case <-events:
		case <-ctx.Done():
		}
	}
}
