package client_test

import (
	"errors"
	"testing"

	"piwork/app/api/apitest"
	"piwork/app/client"
	"piwork/app/machines"
	"piwork/app/problem"
	"piwork/app/task"
)

// How the computer is shared out travels whole, and choosing it is heard by
// everybody.
func TestMachines(t *testing.T) {
	f := apitest.New(apitest.Script{Has: []any{machines.WarmStart{
		State: machines.WarmFailed, Mode: machines.WarmSpare, Problem: problem.New(problem.CodeNoInstant),
	}}})
	each(t, f, func(t *testing.T, c *client.Client) {
		events, stop := c.Subscribe(task.EventFilter{})
		defer stop()
		want := machines.Settings{MemoryMB: 3000, CPUs: 2, TotalMB: 9000, AtOnce: 3, Instant: true}
		m, err := c.SetMachines(t.Context(), want)
		if err != nil || m.Settings != want || m.Size.MemoryMB != 3000 || m.TotalMB != 9000 || m.AtOnce != 3 {
			t.Errorf("%+v, %v", m, err)
		}
		for e := range events {
			if told, ok := e.Data.(machines.Machines); ok {
				if e.Kind != task.EventMachines || told.Settings != want {
					t.Errorf("%+v", e)
				}
				break
			}
		}
		if m, err := c.Machines(t.Context()); err != nil || m.Settings != want || m.Host.MemoryMB != 16<<10 {
			t.Errorf("%+v, %v", m, err)
		}
		if m, err := c.PrepareMachines(t.Context()); err != nil || m.Instant.State != machines.WarmReady || m.Instant.Bytes == 0 {
			t.Errorf("%+v, %v", m, err)
		}
	})
	f.Refuse = map[string]error{"SetMachines": problem.New(problem.CodeMachineSettings).With("max", 5)}
	each(t, f, func(t *testing.T, c *client.Client) {
		_, err := c.SetMachines(t.Context(), machines.Settings{})
		if p, is := errors.AsType[*problem.Problem](err); !is || p.Code != problem.CodeMachineSettings || p.Params["max"] != 5.0 {
			t.Errorf("%v", err)
		}
	})
}
