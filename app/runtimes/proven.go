package runtimes

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"piwork/vmhost"
)

// Proofs remember what was proven, for a boot of this computer (qemu.ProofCache).
type Proofs interface {
	Knows(what string) bool
	Learn(what string, holds bool) error
}

// Proven is a kind that is proven by a small task in it. What failed is tried again by
// whoever asks next: what a person does about it need not change the key. A proof falls when
// a task can have no place of the kind (Chooser.Doubt).
type Proven struct {
	Standing Standing                   // of one that works
	Limits   func() vmhost.LimitSupport // as in Kind
	Proofs   Proofs
	Log      *slog.Logger

	// Key says what a proof depends on, such as the runtime pack and the program that
	// is used, and what of that is shown. A proof can change it: when the kind fails with one
	// that was expected, it is proven once more with what there is. Its error is why the kind
	// cannot be here.
	Key   func(context.Context) (string, *vmhost.Engine, error)
	Prove func(context.Context) error // does the small task

	Meet func(context.Context) (string, *vmhost.Engine, error) // as in Kind

	by atomic.Pointer[vmhost.Engine]
}

// Kind is the kind for a Chooser, once. Two small tasks at once prove no more than one: who
// looks while somebody else does waits for its turn, and hears what was found meanwhile.
func (p *Proven) Kind() Kind {
	turn := make(chan struct{}, 1)
	var failed error // guarded by turn
	var at time.Time
	look := func(ctx context.Context, afresh bool) error {
		asked := time.Now()
		select {
		case turn <- struct{}{}:
			defer func() { <-turn }()
			if !afresh && failed != nil && at.After(asked) {
				return failed
			}
			err := p.look(ctx, afresh)
			if ctx.Err() == nil {
				failed, at = err, time.Now()
			}
			return err
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return Kind{Standing: p.Standing, Look: look, Time: proveTime, By: p.by.Load, Meet: p.Meet, Limits: p.limits, doubt: p.doubt}
}

// Shared are kinds that come and go. Each stays the same one while its id does, so that all who
// look at it share a turn. The zero value has none.
type Shared struct {
	mu    sync.Mutex
	kinds map[string]Kind
}

// Kinds are those of ids. What is of other ids goes; what is new is made.
func (s *Shared) Kinds(ids []string, make func(i int) Kind) []Kind {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, out := map[string]Kind{}, []Kind{}
	for i, id := range ids {
		k, ok := s.kinds[id]
		if !ok {
			k = make(i)
		}
		now[id], out = k, append(out, k)
	}
	s.kinds = now
	return out
}

// limits are those that it keeps, with the engine that the last look found.
func (p *Proven) limits() vmhost.LimitSupport {
	l := p.Standing.Capabilities.Limits
	if p.Limits != nil {
		l = p.Limits()
	}
	if by := p.by.Load(); by != nil {
		l.Size = l.Size && by.Sizes
	}
	return l
}

func (p *Proven) look(ctx context.Context, afresh bool) error {
	key, by, err := p.Key(ctx)
	if err != nil {
		p.by.Store(nil)
		return err
	}
	p.by.Store(by)
	if !afresh && p.Proofs.Knows(p.what(key)) {
		return nil
	}
	err = p.Prove(ctx)
	if now, by, kerr := p.Key(ctx); kerr == nil && now != key {
		p.by.Store(by)
		key = now
		if err != nil {
			err = p.Prove(ctx)
		}
	}
	if ctx.Err() == nil { // else it proved nothing
		p.learn(key, err == nil)
	}
	return err
}

func (p *Proven) learn(key string, holds bool) {
	if err := p.Proofs.Learn(p.what(key), holds); err != nil {
		p.Log.Warn("it could not be noted how a kind of runtime stands", "kind", p.Standing.Name, "error", err)
	}
}

// Doubtful reports whether a place that could not be had says something of its kind: what a task
// asked for in vain does not.
func Doubtful(err error) bool {
	_, asked := errors.AsType[*vmhost.UnsupportedError](err)
	return err != nil && !asked
}

// doubt has the kind proven anew by who looks next.
func (p *Proven) doubt(ctx context.Context) {
	if key, _, err := p.Key(ctx); err == nil {
		p.learn(key, false)
	}
}

// what names a proof.
func (p *Proven) what(key string) string { return "runtime " + p.Standing.Name + " " + key }
