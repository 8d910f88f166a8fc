package app

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"piwork/app/folders"
	"piwork/app/problem"
	"piwork/app/remotes"
	"piwork/app/runtimes"
	"piwork/app/settings"
	"piwork/app/tasks"
	"piwork/vmhost"
)

// remoteProof is how long a proof of another computer holds: it is switched off and reached by
// other ways without a word to this one.
const remoteProof = time.Hour

// remoteSeam makes places on other computers and in clusters.
type remoteSeam struct {
	make   func(context.Context, tasks.PlaceConfig, remotes.Remote) (vmhost.Runtime, error) // nil where this system cannot
	proofs runtimes.Proofs
}

// keptRemotes are the other computers, in the document of choices.
type keptRemotes struct{ file *settings.File[choices] }

func (k keptRemotes) Get() []remotes.Remote { return k.file.Get().Remotes }

// Set saves them. What was chosen about the kind of one that is no more goes with it.
func (k keptRemotes) Set(all []remotes.Remote) error {
	return k.file.Update(func(c *choices) error {
		gone := func(kind string) bool {
			family, _, _ := strings.Cut(kind, ":")
			return (family == vmhost.KindRemote || family == vmhost.KindKubernetes) && family != kind && !slices.ContainsFunc(all, func(r remotes.Remote) bool { return r.Kind() == kind })
		}
		c.Remotes = all
		c.Runtimes = c.Runtimes.Without(gone)
		return nil
	})
}

// remoteKinds are the other computers as kinds of places: each is used only when it is named,
// preferred or always allowed.
func (c *Controller) remoteKinds(kinds *runtimes.Shared) []runtimes.Kind {
	if c.s.remote.make == nil {
		return nil
	}
	all := c.config.Get().Remotes
	ids := make([]string, len(all))
	for i, r := range all {
		id, _ := json.Marshal(r) // all of it, since the kind holds it
		ids[i] = string(id)
	}
	return kinds.Kinds(ids, func(i int) runtimes.Kind {
		r := all[i]
		p := &runtimes.Proven{
			Standing: runtimes.Standing{
				Capabilities: r.Capabilities(), Folders: true, ByName: true, Work: r.Work(runtimes.HostedWork(true)),
			},
			Proofs: c.s.remote.proofs, Log: c.log,
			Key: func(ctx context.Context) (string, *vmhost.Engine, error) {
				m, err := c.Files(ctx)
				if err != nil {
					return "", nil, err
				}
				key := fmt.Sprintf("%s %s %s %q %d", m.Pack.Image.ID, runtimes.SmallTaskVersion, r.Address, r.HostKeys, c.now().Unix()/int64(remoteProof/time.Second))
				if r.Cluster != nil {
					key += fmt.Sprintf(" %q", *r.Cluster)
				}
				return key, nil, nil
			},
			Prove: func(ctx context.Context) error {
				m, err := c.Files(ctx)
				if err != nil {
					return err
				}
				none := folders.None(r.Kind(), c.log)
				p := tasks.PlaceConfig{Kind: r.Kind(), Pack: m.Pack, Env: vmhost.ExecutionEnv{OS: "linux", Sandbox: r.Kind()}, ServeFUSE: none.ServeFUSE, Copy: none.Copy, Log: c.log}
				return runtimes.SmallTask(ctx, func() (vmhost.Runtime, error) { return c.s.remote.make(ctx, p, r) })
			},
		}
		return p.Kind()
	})
}

// makeRemote makes a place on another computer or in a cluster.
func (c *Controller) makeRemote(ctx context.Context, p tasks.PlaceConfig) (vmhost.Runtime, error) {
	r, ok := c.FindRemote(p.Kind)
	if !ok || c.s.remote.make == nil { // it was removed meanwhile
		return nil, problem.New(problem.CodeRuntimeUnfit).With("runtime", p.Kind).By(string(runtimes.ReasonUnnamed))
	}
	return c.s.remote.make(ctx, p, r)
}
