package app

import (
	"context"

	"piwork/app/remotes"
	"piwork/app/runtimes"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/vmhost"
	"piwork/vmhost/kubernetes"
	"piwork/vmhost/remote"
)

// realRemote makes places on other computers and in clusters with the agent of the runtime pack.
func realRemote(o Options, proofs runtimes.Proofs) remoteSeam {
	return remoteSeam{proofs: proofs, make: func(ctx context.Context, c tasks.PlaceConfig, r remotes.Remote) (vmhost.Runtime, error) {
		m := treeMaker{o: o, kind: r.Kind(), dir: treesDir, name: func(image string) string { return image }}
		if r.Cluster != nil {
			agent, err := m.agent(ctx, c)
			if err != nil {
				return nil, err
			}
			return kubernetes.New(kubernetes.Config{
				Name: r.Name, Cluster: r.Reaches(), MemoryMB: c.Size.MemoryMB, CPUs: c.Size.CPUs, Agent: agent, AppVersion: o.Version, PackVersion: c.Pack.State.Version, Env: c.Env,
				Folders: c.Folders, Copy: c.Copy, Dir: c.Dir, OnStatus: c.OnStatus, Log: c.Log,
			})
		}
		to, err := r.Reach()
		if err != nil {
			return nil, err
		}
		m.build = func(o Options, c tasks.PlaceConfig, root, agent string) (vmhost.Runtime, error) {
			return remote.New(remote.Config{
				Name: r.Name, Computer: to, Agent: agent, AppVersion: o.Version, PackVersion: c.Pack.State.Version, Env: c.Env,
				Root: root, Digest: c.Pack.Image.ID, OnSend: c.OnSend,
				Folders: c.Folders, ServeFUSE: c.ServeFUSE, State: c.State, OnStatus: c.OnStatus, Log: c.Log,
			})
		}
		if c.Work == task.KindChore || c.Work == task.KindTool {
			return m.make(ctx, c)
		}
		agent, err := m.agent(ctx, c)
		if err != nil {
			return nil, err
		}
		return m.build(o, c, "", agent)
	}}
}
