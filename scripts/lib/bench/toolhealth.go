package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"piwork/app/tasks"
	"slices"
	"sync"
	"time"

	"piwork/app"
	"piwork/app/api"
)

const (
	healthAsked = 200                   // times in a run
	healthEvery = 20 * time.Millisecond // from one to the next
	healthTasks = 3                     // operations at a time, each in a machine of its own
)

// health is how long the local API takes to say that it is well while operations
// run, beside the same while nothing runs: the 99th percentile.
func (b *toolRoom) health(ctx context.Context, name string, runs int) (rows []row, err error) {
	dir := filepath.Join(filepath.Dir(b.folder), "controller")
	c, err := app.Open(ctx, app.Options{
		DataDir: filepath.Join(dir, "data"), CacheDir: filepath.Join(dir, "cache"), PackDir: b.pack, Version: b.version, Developer: true,
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.Close(context.WithoutCancel(ctx))) }()
	if _, err := c.PrepareMachines(ctx); err != nil {
		return nil, err
	}
	a := api.New(api.Options{Service: c, Developer: true})
	defer a.Close()
	ln, err := api.ListenSocket(c.Socket())
	if err != nil {
		return nil, err
	}
	serving, stop := context.WithCancel(ctx)
	served := make(chan error, 1)
	go func() { served <- api.Serve(serving, ln, a.Handler()) }()
	defer func() { stop(); err = errors.Join(err, <-served) }()

	var dialer net.Dialer
	client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, "unix", c.Socket())
		},
	}}
	defer client.CloseIdleConnections()
	busy := func() (time.Duration, error) {
		work, end := context.WithCancel(ctx)
		var group sync.WaitGroup
		failed := make(chan error, healthTasks)
		for range healthTasks {
			group.Go(func() {
				if err := b.resizes(work, c); err != nil && work.Err() == nil {
					failed <- err
				}
			})
		}
		p99, err := asked(ctx, client)
		end()
		group.Wait()
		close(failed)
		return p99, errors.Join(err, <-failed)
	}
	idle := func() (time.Duration, error) { return asked(ctx, client) }
	r, err := compare(runs, name, fmt.Sprintf("the same while nothing runs; 99th percentile of %d, over the socket", healthAsked), busy, idle)
	return []row{r}, err
}

// asked asks for the health, and returns the 99th percentile of the answers.
func asked(ctx context.Context, client *http.Client) (time.Duration, error) {
	var all []time.Duration
	tick := time.NewTicker(healthEvery)
	defer tick.Stop()
	for range healthAsked {
		<-tick.C
		began := time.Now()
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://piwork/_health", http.NoBody)
		if err != nil {
			return 0, err
		}
		res, err := client.Do(req)
		if err != nil {
			return 0, err
		}
		_, err = io.Copy(io.Discard, res.Body)
		if err = errors.Join(err, res.Body.Close()); err != nil {
			return 0, err
		}
		if res.StatusCode != http.StatusOK {
			return 0, fmt.Errorf("the health is %s", res.Status)
		}
		all = append(all, time.Since(began))
	}
	slices.Sort(all)
	return all[len(all)*99/100], nil
}

// resizes makes pictures smaller, one task after the other, until ctx ends.
func (b *toolRoom) resizes(ctx context.Context, c *app.Controller) error {
	for ctx.Err() == nil {
		req, err := tasks.ToolCall{Op: resizing.op, In: []string{filepath.Join(b.folder, photo)}, Params: resizing.params}.Request()
		if err != nil {
			return err
		}
		events, cancel := c.Subscribe(0)
		t, err := c.StartTask(ctx, req)
		for err == nil && ctx.Err() == nil {
			now, terr := c.Task(ctx, t.ID)
			if err = terr; err != nil || now.State.Final() {
				if err == nil && now.Error != nil {
					err = now.Error
				}
				break
			}
			select {
			case <-events:
			case <-ctx.Done():
			}
		}
		cancel()
		if err != nil {
			return err
		}
	}
	return nil
}
