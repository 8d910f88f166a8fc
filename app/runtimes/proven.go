package runtimes

import (
	"context"
	"log/slog"
	"sync"
)

// Proofs remember what was proven, for a boot of this computer (qemu.ProofCache).
type Proofs interface {
	Knows(what string) bool
	Learn(what string, holds bool) error
}

// Proven is a kind that is proven by a small task in it. What failed is tried again by
// whoever asks next: what a person does about it need not change the key.
type Proven struct {
	Standing Standing // of one that works
	Proofs   Proofs
	Log      *slog.Logger

	// Key says what a proof depends on, such as the runtime pack and the program that
	// is used. Its error is why the kind cannot be here.
	Key   func(context.Context) (string, error)
	Prove func(context.Context) error // does the small task

	turn sync.Mutex // two small tasks at once prove no more than one
}

// Kind is the kind for a Chooser.
func (p *Proven) Kind() Kind { return Kind{p.Standing, p.look} }

func (p *Proven) look(ctx context.Context, afresh bool) error {
	p.turn.Lock()
	defer p.turn.Unlock()
	key, err := p.Key(ctx)
	if err != nil {
		return err
	}
	what := "runtime " + p.Standing.Name + " " + key
	if !afresh && p.Proofs.Knows(what) {
		return nil
	}
	err = p.Prove(ctx)
	if ctx.Err() == nil { // else it proved nothing
		if err := p.Proofs.Learn(what, err == nil); err != nil {
			p.Log.Warn("it could not be noted how a kind of runtime stands", "kind", p.Standing.Name, "error", err)
		}
	}
	return err
}
