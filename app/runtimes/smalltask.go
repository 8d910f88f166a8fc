package runtimes

import (
	"context"

	"piwork/app/problem"
	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// SmallTask proves a place, which it closes.
func SmallTask(ctx context.Context, rt vmhost.Runtime) error {
	defer rt.Close(context.WithoutCancel(ctx))
	if err := rt.Connect(ctx); err != nil {
		return err
	}
	obs, err := rt.Execute(ctx, vmhost.Action{Exec: &wire.ExecParams{ID: "proof", Argv: []string{"true"}}})
	if err != nil {
		return err
	}
	if p := problem.FromEnd(*obs.Exec); p != nil {
		return p
	}
	return nil
}
