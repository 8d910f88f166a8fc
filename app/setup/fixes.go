package setup

import (
	"context"
	"errors"

	"piwork/app/problem"
)

// ErrNotOffered is a fix that the last report does not say piwork could have run.
var ErrNotOffered = errors.New("that is nothing that an administrator could be asked for now")

// offerToRun says of every fix what piwork can have run for it, and remembers it
// for Mend.
func (r *run) offerToRun(p *problem.Problem, f Facts) {
	for i := range p.Fix {
		act, is := administered(p.Fix[i].Code, f, r.o.Account)
		if !is {
			continue
		}
		if _, can := r.o.System.Line(act); !can {
			continue
		}
		p.Fix[i].Runs = act.String()
		r.mu.Lock()
		r.acts[p.Fix[i].Code] = act
		r.mu.Unlock()
	}
}

// Mend has the system ask for an administrator and run what the last report says of
// a fix (problem.Fix.Runs). Errors: ErrNotOffered, elevate.ErrDeclined when the
// person said no, and what the command said. It looks at nothing afterwards.
func (s *Setup) Mend(ctx context.Context, code string) error {
	s.mu.Lock()
	act, offered := s.acts[code]
	s.mu.Unlock()
	if !offered {
		return ErrNotOffered
	}
	return s.o.System.Run(ctx, act)
}
