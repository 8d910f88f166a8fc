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
	late     []*Step           // directories that get modes and times in the end
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
		var wait []*Step
		for _, s := range todo {
			if ctx.Err() != nil {
				return nil
			}
			waits, err := x.try(ctx, s)
			if err != nil {
				return err
			}
			if waits {
				wait = append(wait, s)
			}
		}
		if len(wait) == len(todo) && ctx.Err() == nil && !x.lift(ctx, wait) {
			var err error
			if wait, err = x.giveUp(wait); err != nil {
				return err
			}
		}
		todo = wait
	}
	return nil
}

// giveUp refuses a step whose place is taken and about which a person said something, which
// may make room, else all that wait. It returns those that are left.
func (x *Run) giveUp(wait []*Step) (left []*Step, err error) {
	list := wait
	if i := slices.IndexFunc(wait, func(s *Step) bool { return s.Answered && !errors.Is(s.waits, ErrWait) }); i >= 0 {
		wait[i].Answered = false
		list, left = []*Step{wait[i]}, slices.Delete(slices.Clone(wait), i, i+1)
	}
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
		err := x.one(ctx, s)
		switch {
		case err == nil:
			again = s.More
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
		return x.link(s)
	case Move:
		return x.move(ctx, s)
	case Nothing:
		return x.done(s, Opened{})
	}
	return x.content(ctx, s)
}

// lift moves one thing that waits for its place out of the way of another that does.
func (x *Run) lift(ctx context.Context, wait []*Step) bool {
	wanted := map[string]bool{}
	for _, s := range wait {
		wanted[s.Change.Folder+"/"+s.At.Path()] = true
	}
	for _, s := range wait {
		blocks := false
		for p := s.From.Path(); p != "" && p != "." && s.Do == Move; p = path.Dir(p) {
			blocks = blocks || wanted[s.Change.Folder+"/"+p]
		}
		if !blocks {
			continue
		}
		s.Lifting = true
		err := x.one(ctx, s)
		if s.Lifting = false; err == nil {
			return true
		}
		s.waits = err
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
