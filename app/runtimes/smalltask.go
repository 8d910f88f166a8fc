package runtimes

import (
	"context"

	"piwork/app/problem"
	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// SmallTask proves a place, which it closes: a program there works in what is served to it, since
// all tasks have folders, or can be given some.
func SmallTask(ctx context.Context, rt vmhost.Runtime) error {
	defer rt.Close(context.WithoutCancel(ctx))
	if err := rt.Connect(ctx); err != nil {
		return err
	}
	obs, err := rt.Execute(ctx, vmhost.Action{Exec: &wire.ExecParams{ID: "proof", Argv: []string{"true"}, Cwd: wire.FoldersDir}})
	if err != nil {
		return err
	}
	if p := problem.FromEnd(*obs.Exec); p != nil {
		return p
	}
	return nil
}
