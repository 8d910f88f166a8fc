package runtimes

import (
	"context"

	"piwork/app/problem"
	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// SmallTask makes a place, proves and closes it: a program there works in what is served to it,
// since all tasks have folders, or can be given some.
func SmallTask(ctx context.Context, make func() (vmhost.Runtime, error)) error {
	rt, err := make()
	if err != nil {
		return err
	}
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
