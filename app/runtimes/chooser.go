package runtimes

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"piwork/app/policy"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/vmhost"
)

// lookTime bounds a look at one kind that was proven before, or cannot be there.
const lookTime = 2 * time.Minute

// proveTime bounds a proof, for which all of a runtime may first be unpacked and handed to an
// engine.
const proveTime = 10 * time.Minute

// meetTime bounds how long a yes to a kind waits to see what runs it.
const meetTime = 10 * time.Second

// Kind is one way to have a place for a task.
type Kind struct {
	Standing Standing // of one that works

	// Look is why the kind does not work on this computer, nil where it is proven that it
	// does. With afresh it is proven anew, whatever is known.
	Look func(ctx context.Context, afresh bool) error

	Time time.Duration // that a look may take; 0 is lookTime

	// Limits are those that it keeps as far as is known, for a kind that may find that out
	// only as it works; nil for what Standing says.
	Limits func() vmhost.LimitSupport

	// Isolation is how well it keeps a task apart as it is set up now; nil for what Standing
	// says.
	Isolation func() vmhost.Isolation

	By func() *vmhost.Engine // what runs it, as the last look found it; may be nil

	// Meet finds what runs it now, and what tells that from others; it proves nothing. It is nil
	// for a kind that no other program of this computer runs.
	Meet func(context.Context) (string, *vmhost.Engine, error)

	doubt func(context.Context) // has the next look prove it anew; may be nil
}

// on is the kind as it stands on this computer. One that hangs is bounded.
func (k Kind) on(ctx context.Context, afresh bool) Standing {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(k.Time, lookTime))
	defer cancel()
	err := k.Look(ctx, afresh)
	s := k.standing()
	if err != nil {
		s.Problem = problem.From(err)
	}
	s.engine = k.by()
	return s
}

// by is By, nil where nothing is known to run the kind.
func (k Kind) by() *vmhost.Engine {
	if k.By == nil {
		return nil
	}
	return k.By()
}

// standing is the kind as if it worked.
func (k Kind) standing() Standing {
	s := k.Standing
	if k.Limits != nil {
		s.Capabilities.Limits = k.Limits()
	}
	if by := k.by(); by != nil && by.Offline {
		s.Networks = []vmhost.NetworkPolicy{vmhost.NetworkDeny}
	}
	if k.Isolation != nil {
		s.Isolation = k.Isolation()
	}
	return s
}

// Status is a kind and how it stands here.
type Status struct {
	Kind      string                 `json:"kind"`
	Isolation vmhost.Isolation       `json:"isolation"`
	Domain    vmhost.Domain          `json:"domain"`
	Networks  []vmhost.NetworkPolicy `json:"networks"`
	Limits    vmhost.LimitSupport    `json:"limits"`
	Work      []task.Kind            `json:"work" doc:"kinds of tasks that it can do"`
	Folders   bool                   `json:"folders" doc:"it can be given folders whose changes can be taken back"`
	Works     bool                   `json:"works" doc:"a small task was done in it"`
	Problem   *problem.Problem       `json:"problem,omitempty" doc:"why it does not"`
	Allowance Allowance              `json:"allowance" doc:"what is said to a task that would work here because nothing stronger does"`
	ByName    bool                   `json:"byName,omitempty" doc:"it is used only when it is named, preferred or always allowed"`
	Engine    *vmhost.Engine         `json:"engine,omitempty" doc:"what runs it, where that is a program of this computer that was found"`
	Preferred int                    `json:"preferred,omitempty" doc:"its place among those that are preferred, from 1"`

	Title string `json:"title,omitempty" words:"shown"`
	Text  string `json:"text,omitempty" words:"shown"`
}

// Chooser has the kinds of this computer, the strongest first. It is safe for concurrent
// use.
type Chooser struct {
	fixed  []Kind
	more   func() []Kind // that come and go; the weakest
	choice Kept
	rules  func(Need, vmhost.Capabilities) policy.Decision // of no task yet; may be nil
}

// Kept is what a person chose, on the disk (settings.Value).
type Kept interface {
	Get() Settings
	// Set has ctx of who chose.
	Set(context.Context, Settings) error
}

// New makes a Chooser of kinds, the strongest first.
func New(choice Kept, kinds ...Kind) *Chooser {
	return &Chooser{fixed: kinds, choice: choice}
}

// With adds kinds that come and go, behind the others.
func (c *Chooser) With(more func() []Kind) *Chooser {
	c.more = more
	return c
}

// Ruled has the chooser ask the rules that are written about kinds where no task does.
func (c *Chooser) Ruled(rules func(Need, vmhost.Capabilities) policy.Decision) *Chooser {
	c.rules = rules
	return c
}

// kinds are all of now.
func (c *Chooser) kinds() []Kind {
	if c.more == nil {
		return c.fixed
	}
	return append(slices.Clip(c.fixed), c.more()...)
}

// Runtimes lists all kinds and how they stand.
func (c *Chooser) Runtimes(ctx context.Context) ([]Status, error) {
	all, err := c.look(ctx, func(Kind) bool { return true })
	if err != nil {
		return nil, err
	}
	out := make([]Status, len(all))
	for i, k := range all {
		out[i] = c.status(k)
		out[i].Works = out[i].Works && out[i].Allowance != AllowNever // that is not known
	}
	return out, nil
}

// look looks at the kinds that matter, but for those that are switched off.
func (c *Chooser) look(ctx context.Context, matters func(Kind) bool) ([]Standing, error) {
	kinds := c.kinds()
	all := make([]Standing, len(kinds))
	var work sync.WaitGroup
	kept := c.choice.Get()
	for i, k := range kinds {
		if c.allowance(k.Standing, kept) == AllowNever || !matters(k) {
			all[i] = k.standing() // nothing runs in it, not even a small task
			continue
		}
		work.Go(func() { all[i] = k.on(ctx, false) })
	}
	work.Wait()
	return all, context.Cause(ctx)
}

// TestRuntime has a kind do a small task now. One that is switched off does none, and one that keeps
// it not apart none for a client.
func (c *Chooser) TestRuntime(ctx context.Context, kind string) (Status, error) {
	kinds := c.kinds()
	i := find(kinds, kind)
	if i < 0 {
		return Status{}, c.unknown(kind)
	}
	if s := kinds[i].standing(); c.allowance(s, c.choice.Get()) == AllowNever {
		p := unfit(Verdict{Kind: kind, Reason: ReasonOff})
		return Status{}, ofNoTask(p)
	} else if err := task.MaySteer(ctx, s.Isolation); err != nil {
		return Status{}, err
	}
	s := kinds[i].on(ctx, true)
	return c.status(s), context.Cause(ctx)
}

// taskFixes are fixes that start a task again, of which a list of kinds has none.
var taskFixes = []string{problem.FixStartAgain, problem.FixElsewhere}

// ofNoTask is a problem without fixes that start a task again.
func ofNoTask(of *problem.Problem) *problem.Problem {
	p := *of
	p.Fix = slices.DeleteFunc(slices.Clone(p.Fix), func(f problem.Fix) bool { return slices.Contains(taskFixes, f.Code) })
	return &p
}

func (c *Chooser) status(k Standing) Status {
	s := c.choice.Get()
	if k.Problem != nil {
		k.Problem = ofNoTask(k.Problem)
	}
	preferred := slices.Index(s.Prefer, k.Name) + 1
	if s.exceeds(k) {
		preferred = 0
	}
	return Status{
		Kind: k.Name, Isolation: k.Isolation, Domain: k.Domain, Networks: k.Networks, Limits: k.Limits, Work: k.Work, Folders: k.Folders, ByName: k.ByName,
		Works: k.Problem == nil, Problem: k.Problem, Allowance: c.allowance(k, s), Engine: k.engine, Preferred: preferred,
	}
}

// allowance is that of a kind; what is strongest needs none.
func (c *Chooser) allowance(k Standing, s Settings) Allowance {
	if k.Name == c.fixed[0].Standing.Name {
		return AllowAlways
	}
	return s.allows(k)
}

// RuntimeSettings are what a person chose.
func (c *Chooser) RuntimeSettings(context.Context) (Settings, error) { return c.choice.Get(), nil }

// SetRuntimes saves what a person chose.
func (c *Chooser) SetRuntimes(ctx context.Context, s Settings) (Settings, error) {
	before := c.choice.Get()
	for field, kinds := range map[string][]string{"prefer": s.Prefer, "files": s.Files} {
		for i, kind := range kinds {
			// A computer that was removed may stay the only one where files change: without it they would change everywhere.
			if find(c.kinds(), kind) < 0 && !(field == "files" && slices.Contains(before.Files, kind)) {
				return Settings{}, c.unknown(kind)
			}
			if slices.Contains(kinds[:i], kind) {
				return Settings{}, problem.BadRequest(field, "%q is named twice", kind)
			}
		}
	}
	for kind, a := range s.Weaker {
		switch {
		case find(c.kinds(), kind) < 0:
			return Settings{}, c.unknown(kind)
		case kind == c.fixed[0].Standing.Name:
			return Settings{}, problem.New(problem.CodeBadRequest).With("field", "weaker").With("place", kind).By("always-allowed")
		case a != AllowAsk && a != AllowAlways && a != AllowNever:
			return Settings{}, problem.BadRequest("weaker", "%q is not a choice", a)
		}
	}
	s.Rootless = c.rootless(ctx, before, s)
	if err := c.choice.Set(ctx, s); err != nil {
		return Settings{}, problem.From(err)
	}
	return s, nil
}

// rootless are the kinds to which s says yes as what runs them has no administrator rights: a yes
// is to what there is as it is said, and to nothing with these rights where that cannot be seen.
func (c *Chooser) rootless(ctx context.Context, before, s Settings) (out []string) {
	for _, k := range c.kinds() {
		name := k.Standing.Name
		yes := func(s Settings) bool { return s.Weaker[name] == AllowAlways || slices.Contains(s.Prefer, name) }
		switch {
		case !yes(s):
		case slices.Contains(s.Rootless, name):
			out = append(out, name)
		case yes(before) && !slices.Contains(before.Rootless, name): // something else was said
		case k.Meet != nil && k.unprivileged(ctx):
			out = append(out, name)
		}
	}
	return out
}

// unprivileged reports whether nothing with administrator rights is seen to run the kind.
func (k Kind) unprivileged(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, meetTime)
	defer cancel()
	_, by, err := k.Meet(ctx)
	return err != nil || by != nil && by.Rootless
}

// ExplainRuntime says where a task would work, and why not elsewhere.
func (c *Chooser) ExplainRuntime(ctx context.Context, n Need) (Choice, error) {
	if err := c.CheckRuntime(n.Named); err != nil {
		return Choice{}, err
	}
	kept := c.choice.Get()
	all, err := c.look(ctx, func(k Kind) bool { // what nobody chose is not used, however it stands
		name := k.Standing.Name
		return !k.Standing.ByName || n.Named == name || slices.Contains(kept.Prefer, name) || kept.Weaker[name] == AllowAlways
	})
	if err != nil {
		return Choice{}, err
	}
	if of := n; n.Rules == nil && c.rules != nil {
		n.Rules = func(k vmhost.Capabilities) policy.Decision { return c.rules(of, k) }
	}
	return Choose(n, all, kept), nil
}

// CheckRuntime refuses a kind that is not there; "" is any.
func (c *Chooser) CheckRuntime(kind string) error {
	if kind != "" && find(c.kinds(), kind) < 0 {
		return c.unknown(kind)
	}
	return nil
}

// FirstPlace is where a task will work if all kinds do that it could work in. It looks at
// nothing.
func (c *Chooser) FirstPlace(n Need) Choice {
	return Choose(n, asIfAllWorked(c.kinds()), c.choice.Get())
}

func asIfAllWorked(kinds []Kind) []Standing {
	all := make([]Standing, len(kinds))
	for i, k := range kinds {
		all[i] = k.standing()
	}
	return all
}

// Place is where a task is to work: the answer of ExplainRuntime, for which only those
// kinds are looked at that it depends on. The strongest one is looked at by who asks: a
// task can have more of it than others.
func (c *Chooser) Place(ctx context.Context, n Need, strongest func(context.Context) error) (Choice, error) {
	if err := c.CheckRuntime(n.Named); err != nil {
		return Choice{}, err
	}
	kinds := c.kinds()
	all, looked := asIfAllWorked(kinds), make([]bool, len(kinds))
	for {
		chosen := Choose(n, all, c.choice.Get())
		i := find(kinds, chosen.Kind)
		switch {
		case i < 0 || looked[i]: // a look can find that limits are not kept, and who runs it
			return chosen, nil
		case i > 0:
			all[i] = kinds[i].on(ctx, false)
		default:
			if err := strongest(ctx); err != nil {
				all[i].Problem = problem.From(err)
			}
		}
		if err := context.Cause(ctx); err != nil {
			return Choice{}, err
		}
		looked[i] = true
	}
}

// Doubt hears of a kind that was to be taken and could give no place: whoever looks next proves it
// anew, and tasks go elsewhere where it does not work any more.
func (c *Chooser) Doubt(ctx context.Context, kind string) {
	kinds := c.kinds()
	if i := find(kinds, kind); i >= 0 && kinds[i].doubt != nil {
		kinds[i].doubt(ctx)
	}
}

// Instead is the first kind after the strongest that a person allows always, "" for none.
func (c *Chooser) Instead() string {
	s := c.choice.Get()
	for _, k := range c.kinds()[1:] {
		as := k.Standing
		as.engine = k.by()
		if s.allows(as) == AllowAlways {
			return k.Standing.Name
		}
	}
	return ""
}

// Here reports whether what works in a place of a kind uses this computer's processors.
func (c *Chooser) Here(kind string) bool {
	kinds := c.kinds()
	i := find(kinds, kind)
	return i >= 0 && kinds[i].Standing.Domain != vmhost.DomainRemote
}

// find is where a kind is, -1 for one that is not there.
func find(kinds []Kind, kind string) int {
	return slices.IndexFunc(kinds, func(k Kind) bool { return k.Standing.Name == kind })
}

func (c *Chooser) unknown(kind string) *problem.Problem {
	var names, remotes []string
	for _, k := range c.kinds() {
		names = append(names, k.Standing.Name)
		if _, name, is := strings.Cut(k.Standing.Name, ":"); is {
			remotes = append(remotes, name)
		}
	}
	family, name, _ := strings.Cut(kind, ":")
	if name != "" && (family == vmhost.KindRemote || family == vmhost.KindKubernetes) {
		return problem.UnknownRemote(name, remotes)
	}
	return problem.New(problem.CodeBadRequest).With("field", "runtime").With("place", kind).With("places", strings.Join(names, ", "))
}
