package api

import (
	"context"

	"piwork/app/problem"
	"piwork/app/remotes"
)

// remoteService has the other computers on which tasks work.
type remoteService interface {
	Remotes(context.Context) ([]remotes.Remote, error)
	AddRemote(context.Context, remotes.RemoteAddition) (remotes.Remote, error)
	RemoveRemote(ctx context.Context, name string) error
	RemoteUsage(ctx context.Context, name string) (remotes.RemoteUsage, error)
	CleanRemote(ctx context.Context, name string) error
}

// RemoteRef names another computer.
type RemoteRef struct {
	Name string `path:"name" maxLength:"31" doc:"what it is called here"`
}

func (r RemoteRef) id() string { return r.Name }

var remoteOperations = []operation{
	{"listRemotes", "GET /v1/remotes", "Which other computers are there for tasks?", "Each is a kind of place: remote, a colon and its name.", list(Service.Remotes, func(r remotes.Remote) string { return r.Name })},
	{"addRemote", "POST /v1/remotes", "Add another computer",
		"It has to let the person in. Where its key is in nobody's known hosts, the problem (cause host-key-unknown) has the fingerprint: with that in confirm, the key is the computer's from then on. A program with a token cannot.",
		send(Service.AddRemote).needing(needPerson).failing(problem.CodeVMFailed)},
	{"removeRemote", "DELETE /v1/remotes/{name}", "Forget another computer", "What piwork keeps there stays: cleanRemote.", remove[RemoteRef](Service.RemoveRemote)},
	{"remoteUsage", "GET /v1/remotes/{name}/usage", "How much does piwork have on another computer?", "It is asked for now, over the network.", of[RemoteRef](Service.RemoteUsage).failing(problem.CodeVMFailed)},
	{"cleanRemote", "POST /v1/remotes/{name}/clean", "End what runs on another computer, and remove all that piwork keeps there", "Tasks that work there fail.", remove[RemoteRef](Service.CleanRemote).failing(problem.CodeVMFailed)},
}
