package apitest

import (
	"context"

	"piwork/app/problem"
	"piwork/app/remotes"
)

func (f computer) Remotes(context.Context) ([]remotes.Remote, error) {
	return value[[]remotes.Remote](f.core), f.refused("Remotes")
}

func (f computer) AddRemote(_ context.Context, a remotes.RemoteAddition) (remotes.Remote, error) {
	return answered[remotes.Remote](f.core, "AddRemote", a)
}

func (f computer) RemoveRemote(_ context.Context, name string) error {
	if !dropped(f.core, func(c remotes.Remote) bool { return c.Name == name }) {
		return problem.New(problem.CodeNotFound)
	}
	return f.refused("RemoveRemote")
}

func (f computer) CleanRemote(_ context.Context, name string) error {
	return f.asked("CleanRemote", name)
}

func (f computer) RemoteUsage(_ context.Context, name string) (remotes.RemoteUsage, error) {
	return answered[remotes.RemoteUsage](f.core, "RemoteUsage", name)
}
