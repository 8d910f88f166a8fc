package app

import (
	"context"
	"log/slog"
	"maps"
	"strings"

	"piwork/app/consent"
	"piwork/app/problem"
	"piwork/app/rundir"
	"piwork/app/runtimes"
	"piwork/app/settings"
	"piwork/app/setup"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/vmhost"
	"piwork/vmhost/container"
	"piwork/vmhost/host"
	"piwork/vmhost/sandbox"
	"piwork/vmhost/vm"
)

// placeSeam is a kind of place that is no machine.
type placeSeam struct {
	name string
	kind func(placeBase) runtimes.Kind
	make tasks.PlaceMaker
}

// absentPlace is a kind that this system cannot have, and why.
func absentPlace(caps vmhost.Capabilities, why error) placeSeam {
	return placeSeam{
		name: caps.Name,
		kind: func(placeBase) runtimes.Kind {
			return runtimes.Kind{Standing: runtimes.Standing{Capabilities: caps, Work: runtimes.HostedWork(true)}, Look: func(context.Context, bool) error { return why }}
		},
		make: func(context.Context, tasks.PlaceConfig) (vmhost.Runtime, error) { return nil, why },
	}
}

// absentPlaces are those of a system whose programs are not those of the runtime pack.
func absentPlaces() []placeSeam {
	return []placeSeam{absentPlace(sandbox.Capabilities(nil), sandbox.ErrSystem), absentPlace(container.Capabilities(), container.ErrSystem), absentPlace(host.Capabilities(), host.ErrSystem)}
}

// placeBase is what a kind is proven with.
type placeBase struct {
	files func(context.Context) (setup.Machine, error) // the runtime pack; nothing of it was checked
	runs  *rundir.Dirs
	log   *slog.Logger
}

// newChooser knows the kinds of places that this program has, the strongest first.
func (c *Controller) newChooser() *runtimes.Chooser {
	kinds := []runtimes.Kind{c.machineKind()}
	for _, p := range c.s.places {
		kinds = append(kinds, p.kind(placeBase{c.Files, c.runs, c.log}))
	}
	kept := settings.Of(c.config, func(all *choices) *runtimes.Settings { return &all.Runtimes })
	return runtimes.New(kindChoices{kept, c.Consent}, kinds...).With(c.remoteKinds)
}

// kindChoices are what a person said about kinds: the settings, and the rules of questions
// that were answered for always. What was said last counts: a rule over an older ask, and a
// setting takes a rule back that says something else.
type kindChoices struct {
	settings.Value[runtimes.Settings]
	consent *consent.Consent
}

// Get returns the settings with what the rules allow.
func (k kindChoices) Get() runtimes.Settings {
	s := k.Value.Get()
	s.Weaker = maps.Clone(s.Weaker)
	for kind := range k.allowed() {
		if s.Weaker == nil {
			s.Weaker = map[string]runtimes.Allowance{}
		}
		if s.Weaker[kind] != runtimes.AllowNever {
			s.Weaker[kind] = runtimes.AllowAlways
		}
	}
	return s
}

// Set saves settings. What only a rule allows stays with the rule, to be taken back there.
func (k kindChoices) Set(ctx context.Context, s runtimes.Settings) error {
	s.Weaker = maps.Clone(s.Weaker)
	before := k.Value.Get().Weaker
	for kind, rule := range k.allowed() {
		switch was, ok := before[kind]; {
		case s.Weaker[kind] != runtimes.AllowAlways:
			if err := k.consent.RemoveRule(ctx, rule); err != nil && problem.From(err).Code != problem.CodeNotFound { // else it is gone already
				return err
			}
		case ok:
			s.Weaker[kind] = was
		default:
			delete(s.Weaker, kind)
		}
	}
	return k.Value.Set(s)
}

// allowed are the kinds that rules allow, and the ids of these rules.
func (k kindChoices) allowed() map[string]string {
	out := map[string]string{}
	all, _ := k.consent.Rules(context.Background())
	for _, r := range all {
		if kind, ok := strings.CutPrefix(r.Topic, consent.TopicRuntime); ok && r.Task == "" && r.Answer == vmhost.AnswerAllow {
			out[kind] = r.ID
		}
	}
	return out
}

// machineKind is the virtual machine, which is proven by a proof boot.
func (c *Controller) machineKind() runtimes.Kind {
	return runtimes.Kind{
		Standing: runtimes.Standing{
			Capabilities: vm.Capabilities(), Folders: true, AddOns: true, Work: []task.Kind{task.KindChore, task.KindExec, task.KindTool, task.KindAI},
		},
		Look: func(ctx context.Context, afresh bool) error {
			rep, err := c.Status(ctx, afresh)
			if err != nil {
				return err
			}
			return rep.Err()
		},
		Isolation: func() vmhost.Isolation { return vm.Isolation(c.Accel()) },
	}
}

// placeMakers make places that are no machine, by their kinds.
func (c *Controller) placeMakers() map[string]tasks.PlaceMaker {
	out := map[string]tasks.PlaceMaker{vmhost.KindRemote: c.makeRemote, vmhost.KindKubernetes: c.makeRemote}
	for _, p := range c.s.places {
		out[p.name] = p.make
	}
	return out
}
