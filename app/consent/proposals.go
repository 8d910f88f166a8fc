package consent

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/google/uuid"

	"piwork/app/audit"
	"piwork/app/policy"
	"piwork/app/problem"
	"piwork/app/settings"
	"piwork/app/task"
)

// What a rule of the person refused to an AI is kept as a proposal, which they accept or
// refuse. An AI says nothing about it: it is made from what was refused.

// Bounds of proposals: an AI is refused as often as it likes.
const (
	maxProposals    = 100
	maxProposalsOne = 10  // of one task
	maxProposalsBy  = 30  // of the tasks of one program with a token, which starts as many as it likes
	maxTried        = 50  // things of one task for which one is tried
	maxDropped      = 500 // that are remembered, so that they do not come again
)

// proposalsName is their file, in the directory of settings.
const proposalsName = "proposals.json"

// proposed is the content of the file.
type proposed struct {
	V       int               `json:"v"`
	List    []policy.Proposal `json:"proposals"` // oldest first
	Dropped []string          `json:"dropped"`   // keys of those that the person refused, oldest first
}

// proposals are those that wait for the person. The zero value keeps none.
type proposals struct {
	mu   sync.Mutex // held while rules are changed by one, too
	file *settings.File[proposed]
}

// KeepProposals has what AIs are refused be proposed, in a file of a directory. changed is
// called after each change.
func (c *Consent) KeepProposals(dir string, changed func()) (err error) {
	c.Written.proposals.file, err = settings.Open(filepath.Join(dir, proposalsName), proposed{V: 1}, changed)
	return err
}

func (p *proposals) now() proposed {
	if p.file == nil {
		return proposed{}
	}
	return p.file.Get()
}

// set writes the list; mu is held.
func (p *proposals) set(list []policy.Proposal, dropped ...string) error {
	return p.file.Update(func(all *proposed) error {
		all.List = list
		all.Dropped = append(slices.Clone(all.Dropped), dropped...)
		all.Dropped = all.Dropped[max(0, len(all.Dropped)-maxDropped):]
		return nil
	})
}

// add keeps a proposal, unless it is there, was refused, or its task, or the program with a token
// that started that, has enough. The oldest of all makes room.
func (p *proposals) add(one policy.Proposal) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	now, key, mine, by := p.now(), one.Key(), 0, 0
	for _, o := range now.List {
		if o.Key() == key {
			return nil
		}
		if o.Task == one.Task {
			mine++
		}
		if o.About.Client == one.About.Client {
			by++
		}
	}
	if mine >= maxProposalsOne || one.About.Client != "" && by >= maxProposalsBy || slices.Contains(now.Dropped, key) {
		return nil
	}
	id, err := uuid.NewV7()
	if err != nil {
		return err
	}
	one.ID = id.String()
	list := append(slices.Clone(now.List), one)
	return p.set(list[max(0, len(list)-maxProposals):])
}

// toPropose reports whether a refusal is one that a proposal is tried for: of an AI, by a rule
// of the person, and for the first time in this task.
func (w *Ruling) toPropose(d policy.Decision, r policy.Request) bool {
	g := w.g
	if g.kind != task.KindAI || d.Layer != policy.Yours || g.c.Written.proposals.file == nil {
		return false
	}
	key := strings.Join(append([]string{d.Topic(), string(r.Action), r.Subject()}, r.Effects...), " ")
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.tried[key] || len(w.tried) >= maxTried {
		return false
	}
	if w.tried == nil {
		w.tried = map[string]bool{}
	}
	w.tried[key] = true
	return true
}

// propose keeps a proposal for what the rules refused to an AI. It writes to the disk.
func (w *Ruling) propose(d policy.Decision, r policy.Request) {
	if w.toPropose(d, r) {
		w.makeProposal(d, r)
	}
}

func (w *Ruling) makeProposal(d policy.Decision, r policy.Request) {
	g := w.g
	whole := slices.ContainsFunc(g.last().Shared(), func(f task.Folder) bool { return f.Path == r.Path })
	p, ok := g.c.written.Propose(d, r, whole)
	if !ok {
		return
	}
	if err := g.c.Written.proposals.add(p); err != nil {
		g.log().Warn("a proposal for a rule could not be kept", "error", err)
	}
}

// Proposals lists what AIs were refused, as changes of the person's rules.
func (w *Written) Proposals(context.Context) ([]policy.Proposal, error) {
	all := append([]policy.Proposal{}, w.proposals.now().List...)
	for i := range all {
		all[i].Careful = w.careful(all[i])
	}
	return all, nil
}

// careful is for how long a proposal holds where nobody says it: in its task, where that runs,
// and else for as short as another task can use it.
func (w *Written) careful(p policy.Proposal) policy.Hold {
	if l := w.c.o.Registry.Live(p.Task); l != nil && !l.Ending() {
		return policy.HoldTask
	}
	return policy.HoldHour
}

// Acceptance says for how long a proposal is accepted.
type Acceptance struct {
	Holds policy.Hold `json:"holds,omitempty" enum:"task,hour,day,week,always" doc:"for how long the exception holds; always: until you take it back. Without it as the proposal says (careful): in its task where that runs, else for an hour"`
}

// find is a proposal, and the list without it; mu is held.
func (p *proposals) find(id string) (one policy.Proposal, rest []policy.Proposal, err error) {
	rest = slices.Clone(p.now().List)
	i := slices.IndexFunc(rest, func(o policy.Proposal) bool { return o.ID == id })
	if i < 0 {
		return one, nil, problem.New(problem.CodeNotFound).With("proposal", id)
	}
	one = rest[i]
	return one, slices.Delete(rest, i, i+1), nil
}

// AcceptProposal writes a proposal into the person's rules. Others for rules that have another
// text then are made anew; one that would not do any more what it says is gone.
func (w *Written) AcceptProposal(ctx context.Context, id string, a Acceptance) (Policy, error) {
	_, done, err := w.c.o.Registry.Use(ctx)
	if err != nil {
		return Policy{}, err
	}
	defer done()
	w.proposals.mu.Lock()
	defer w.proposals.mu.Unlock()
	p, rest, err := w.proposals.find(id)
	if err != nil {
		return Policy{}, err
	}
	a.Holds = cmp.Or(a.Holds, w.careful(p))
	if err := w.c.o.Audit.Append(Record(WhoOf(ctx), p.Task, audit.Decision{Topic: "policy/proposal", Answer: "allow", Mode: string(a.Holds), Rule: "yours/" + p.Rule, Folder: w.c.o.Audit.Digest(p.Cedar)})); err != nil {
		return Policy{}, problem.NotRecorded(err)
	}
	err = w.Accept(p, a.Holds, w.gone)
	if err != nil && !errors.Is(err, policy.ErrChanged) {
		return Policy{}, unwritten(err)
	}
	if err == nil {
		rest = w.again(rest)
	}
	if err := w.proposals.set(rest); err != nil {
		return Policy{}, problem.From(err)
	}
	if err != nil {
		return Policy{}, unwritten(err)
	}
	return w.Policy(ctx)
}

// again are proposals, those for a rule that has another text by now made anew.
func (w *Written) again(list []policy.Proposal) (out []policy.Proposal) {
	rules := w.Engine.Rules().All()
	for _, o := range list {
		if !slices.ContainsFunc(rules, func(r policy.WrittenRule) bool {
			return r.Layer == policy.Yours && r.ID == o.Rule && r.Cedar == o.Was
		}) {
			now, ok := w.Again(o)
			if !ok {
				continue
			}
			o = now
		}
		out = append(out, o)
	}
	return out
}

// DropProposal refuses a proposal: it is not made again.
func (w *Written) DropProposal(_ context.Context, id string) error {
	w.proposals.mu.Lock()
	defer w.proposals.mu.Unlock()
	p, rest, err := w.proposals.find(id)
	if err != nil {
		return err
	}
	if err := w.proposals.set(rest, p.Key()); err != nil {
		return problem.From(err)
	}
	return nil
}
