package steps

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"syscall"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal/internal/ledger"
)

// Run makes steps for an owner.
type Run struct {
	Owner    Owner
	Hook     func(step string) // hears of what was done, so that tests stop the program there
	SyncEach bool              // directories are durable before Owner.Done
	Tries    int               // how often a step was tried, for tests

	// Round is called before all steps that wait are tried again; nil does nothing. When no step got
	// further, stuck is true, and Round reports whether another try may help.
	Round func(stuck bool) bool

	late []*Step // directories that get modes and times in the end
}

// Do makes steps in whatever order they allow. When ctx ends it stops between two; what
// it stops before is not refused. Its error is one of Owner.Refused.
func (x *Run) Do(ctx context.Context, list []*Step) error {
	sort(list)
	err := x.rounds(ctx, list)
	slices.SortStableFunc(x.late, func(a, b *Step) int { return cmp.Compare(depth(b.Change), depth(a.Change)) })
	for _, s := range x.late {
		s.Late, s.Do = true, Dress
		if derr := x.one(context.WithoutCancel(ctx), s); derr != nil {
			_, derr = x.Owner.Refused(s, derr)
			err = errors.Join(err, derr)
		}
	}
	return err
}

func depth(c ledger.Change) int { return strings.Count(c.Path, "/") }

// sort puts steps in an order in which few wait: what others wait for and what is deleted
// first, then what is made and moved from the top down, then the directories that go.
func sort(list []*Step) {
	rank := func(s *Step) int {
		dir := s.Kind == at.Directory
		switch e := s.Change.Effect; {
		case s.Early:
			return 0
		case e == ledger.EffectDelete && !dir:
			return 1
		case e == ledger.EffectChange && !dir:
			return 2
		case e == ledger.EffectCreate, e == ledger.EffectMove:
			return 3
		case e == ledger.EffectDelete:
			return 4
		}
		return 5
	}
	slices.SortStableFunc(list, func(a, b *Step) int {
		if rank(a) == 4 && rank(b) == 4 {
			a, b = b, a
		}
		return cmp.Or(cmp.Compare(rank(a), rank(b)), ledger.ByPath(a.Change, b.Change))
	})
}

// rounds tries all steps, again and again, until none gets further.
func (x *Run) rounds(ctx context.Context, todo []*Step) error {
	for len(todo) > 0 {
		r := round{run: x, over: map[*Step]bool{}, blocked: map[string]*Step{}}
		for _, s := range todo {
			if err := r.chain(ctx, s); err != nil {
				return err
			}
		}
		if len(r.over) == 0 && ctx.Err() == nil {
			if x.Round != nil && x.Round(true) {
				continue
			}
			lifted, err := r.lift(ctx, todo)
			if err != nil {
				return err
			}
			if !lifted {
				if todo, err = x.giveUp(todo); err != nil {
					return err
				}
				continue
			}
		}
		if ctx.Err() != nil {
			return nil
		}
		if todo = slices.DeleteFunc(todo, func(s *Step) bool { return r.over[s] }); x.Round != nil && len(todo) > 0 {
			x.Round(false)
		}
	}
	return nil
}

// round is one try of all steps that are left.
type round struct {
	run     *Run
	over    map[*Step]bool
	blocked map[string]*Step // by the place that is taken
}

// chain tries a step and then what waits for the place that it freed: a chain of moves goes back from
// its end.
func (r *round) chain(ctx context.Context, s *Step) error {
	for s != nil && !r.over[s] && ctx.Err() == nil {
		waits, err := r.run.try(ctx, s)
		if err != nil {
			return err
		}
		if waits {
			if errors.Is(s.waits, fs.ErrExist) {
				r.blocked[s.key(s.At)] = s
			}
			return nil
		}
		r.over[s] = true
		s = r.blocked[s.key(cmp.Or(s.From, s.At))]
	}
	return nil
}

// giveUp refuses a step whose place is taken and about which a person said something, which
// may make room, else all whose places are, for what waits for these is tried once more, else
// all that wait. It returns those that are left.
func (x *Run) giveUp(wait []*Step) (left []*Step, err error) {
	waits := func(s *Step) bool { return errors.Is(s.waits, ErrWait) }
	list := slices.DeleteFunc(slices.Clone(wait), waits)
	if i := slices.IndexFunc(list, func(s *Step) bool { return s.Answered }); i >= 0 {
		list = list[i : i+1]
		list[0].Answered = false
	} else if len(list) == 0 {
		list = wait
	}
	left = slices.DeleteFunc(slices.Clone(wait), func(s *Step) bool { return slices.Contains(list, s) })
	for _, s := range list {
		again, err := x.Owner.Refused(s, s.waits)
		if err != nil {
			return nil, err
		}
		if again {
			left = append(left, s)
		}
	}
	return left, nil
}

// try makes a step if it can be made now, and reports whether it waits.
func (x *Run) try(ctx context.Context, s *Step) (waits bool, fatal error) {
	for again := true; again; {
		s.More, s.Found = false, false
		x.Tries++
		err := x.one(ctx, s)
		switch {
		case err == nil:
			again, ctx = s.More, context.WithoutCancel(ctx) // what has begun is finished
		case errors.Is(err, ErrWait), errors.Is(err, fs.ErrExist), errors.Is(err, syscall.ENOTEMPTY), errors.Is(err, syscall.EINVAL) && s.Do == Move,
			ctx.Err() != nil && errors.Is(err, ctx.Err()):
			s.waits = err
			return true, nil
		default:
			if again, fatal = x.Owner.Refused(s, err); fatal != nil {
				return false, fatal
			}
		}
	}
	return false, nil
}

func (x *Run) one(ctx context.Context, s *Step) error {
	end, err := x.Owner.Begin(ctx, s)
	if err != nil {
		return err
	}
	if end != nil {
		defer end()
	}
	switch s.Do {
	case Remove:
		return x.remove(ctx, s)
	case Create:
		return x.create(ctx, s)
	case Link:
		return x.link(ctx, s)
	case Move:
		return x.move(ctx, s)
	case Nothing:
		return x.done(s, Opened{})
	}
	return x.content(ctx, s)
}

// lift moves things that wait for their places out of the way of others that do, one of each circle.
// What would find its own place taken afterwards, too, stays where it is.
func (r *round) lift(ctx context.Context, wait []*Step) (lifted bool, err error) {
	wanted, leaves := map[string][]*Step{}, map[string]*Step{}
	for _, s := range wait {
		wanted[s.key(s.At)] = append(wanted[s.key(s.At)], s)
		switch s.Do {
		case Move:
			leaves[s.key(s.From)] = s
		case Remove:
			leaves[s.key(s.At)] = s
		}
	}
	for _, s := range wait {
		if r.over[s] || ctx.Err() != nil || s.Do != Move || s.stuck(leaves) {
			continue
		}
		var other *Step
		for p := s.From.Path(); p != "" && p != "." && other == nil; p = path.Dir(p) {
			for _, w := range wanted[s.Change.Folder+"/"+p] {
				if w != s && !r.over[w] {
					other = w
				}
			}
		}
		if other == nil {
			continue
		}
		s.Lifting = true
		s.waits = r.run.one(ctx, s)
		if s.Lifting = false; s.waits != nil {
			continue
		}
		lifted = true
		if err := r.chain(ctx, other); err != nil {
			return true, err
		}
	}
	return lifted, nil
}

func (s *Step) key(pl Place) string { return s.Change.Folder + "/" + pl.Path() }

// stuck reports whether something has the place of a move that no other step takes away. leaves are
// the steps that wait by the path that each frees.
func (s *Step) stuck(leaves map[string]*Step) bool {
	seen := map[*Step]bool{}
	for !seen[s] { // what waits for itself is lifted
		seen[s] = true
		if s.Do != Move || s.Answered || !errors.Is(s.waits, fs.ErrExist) {
			return false
		}
		next := leaves[s.key(s.At)]
		if next == nil {
			return true
		}
		s = next
	}
	return false
}

func (x *Run) step(name string) {
	if x.Hook != nil {
		x.Hook(name)
	}
}

// done tells the owner of what was done in a place.
func (x *Run) done(s *Step, p Opened, others ...Opened) error {
	if err := x.sync(append(others, p)...); err != nil {
		return err
	}
	var now at.Info // nothing
	if p.Dir != nil {
		now, _ = p.Lstat()
	}
	if err := x.Owner.Done(s, p, now); err != nil {
		return err
	}
	if s.Kind == at.Directory && !s.Late && (s.Do == Create || s.Do == Dress) {
		x.late = append(x.late, s)
	}
	x.step("step")
	return nil
}

func (x *Run) sync(list ...Opened) error {
	if !x.SyncEach {
		return nil
	}
	for _, p := range list {
		if p.Dir != nil {
			if err := p.Dir.Sync(); err != nil {
				return err
			}
		}
	}
	return nil
}
