package chore

import (
	"context"
	"fmt"

	"piwork/app/problem"
	"piwork/vmhost/wire"
)

// moveBatch bounds one action: its answer has to fit in a line of the guest
// protocol.
const moveBatch = 500

// Run implements Chore. It may be called again after it was interrupted: what
// was moved then stays so.
func (c mover) Run(ctx context.Context, env Env, plan Plan) (Outcome, error) {
	var out Outcome
	if plan.V != PlanVersion || plan.Chore != c.info.Name || len(plan.Operations) == 0 {
		return out, errPlan
	}
	var moves, removals []Operation
	for _, op := range plan.Operations {
		switch {
		case len(op.In) != 1:
			return out, errPlan
		case op.Op == opMove && op.Effect == EffectMove:
			moves = append(moves, op)
		case op.Op == opRemove && op.Effect == EffectDelete:
			removals = append(removals, op)
		default:
			return out, errPlan
		}
	}
	if err := c.unmoved(ctx, env, moves); err != nil {
		return out, err
	}
	total := amount{items: int64(len(plan.Operations))}
	var done amount
	env.progress(done, total, "")
	for i, batch := range operationBatches(moves) {
		p := wire.ToolParams{ID: fmt.Sprintf("move-%d", i+1), Op: opMove}
		to, times := make([]string, len(batch)), make([]string, len(batch))
		for n, op := range batch {
			p.In = append(p.In, op.In[0].Path)
			to[n], times[n] = op.Out, op.In[0].MTime
		}
		p.Params = map[string]any{"to": to, "mtimes": times}
		if err := c.batch(ctx, env, p, &out, done, total); err != nil {
			return out, err
		}
		done.items += int64(len(batch))
	}
	for i, batch := range operationBatches(removals) {
		p := wire.ToolParams{ID: fmt.Sprintf("remove-%d", i+1), Op: opRemove}
		for _, op := range batch {
			p.In = append(p.In, op.In[0].Path)
		}
		if err := c.batch(ctx, env, p, &out, done, total); err != nil {
			return out, err
		}
		done.items += int64(len(batch))
	}
	if len(out.Problems) == len(plan.Operations) {
		return out, problem.New(problem.CodeNothingLeft).With("count", len(plan.Operations))
	}
	return out, nil
}

// batch runs one action; what could not be done to single files is collected.
func (mover) batch(ctx context.Context, env Env, p wire.ToolParams, out *Outcome, before, total amount) error {
	in := make([]Input, len(p.In))
	for i := range p.In {
		in[i].Path = p.In[i]
	}
	r, err := env.tool(ctx, p, func(g wire.ToolProgress) { env.progress(before.plus(amountDone(in, g.Done)), total, g.Item) })
	if err != nil {
		return fmt.Errorf("%s: %w", p.Op, err)
	}
	if w := whole(r); w != nil {
		return w
	}
	found, problems := map[string]seen{}, map[string]*problem.Problem{}
	if err := sortAnswers(in, r, found, problems); err != nil {
		return fmt.Errorf("%s: %w", p.Op, err)
	}
	for _, i := range in {
		if pr := problems[i.Path]; pr != nil {
			out.Problems = append(out.Problems, *pr)
		}
	}
	env.progress(before.plus(amountOf(in)), total, "")
	return nil
}

// unmoved returns a conflict that names the files that changed since the plan
// was made: those that are moved, and the copies for which duplicates are set aside. A
// file whose place is taken by what the plan put there is one that an earlier run moved.
func (c mover) unmoved(ctx context.Context, env Env, moves []Operation) error {
	there := map[string]Entry{}
	for _, f := range env.Folders {
		entries, err := f.List(ctx, c.deep)
		if err != nil {
			return err
		}
		for _, e := range entries {
			there[f.Guest+"/"+e.Path] = e
		}
	}
	to := make(map[string]string, len(moves))
	for _, op := range moves {
		to[op.In[0].Path] = op.Out
	}
	var changed []string
	looked := map[string]bool{}
	look := func(in Kept) {
		if looked[in.Path] {
			return
		}
		looked[in.Path] = true
		now, ok := there[in.Path]
		if !ok {
			now, ok = there[to[in.Path]]
		}
		if !ok || now.Size != in.Size || !sameTime(now, in.MTime) {
			changed = append(changed, in.Path)
		}
	}
	for _, op := range moves {
		in := op.In[0]
		look(Kept{in.Path, in.Size, in.MTime})
		if op.Kept != nil {
			look(*op.Kept)
		}
	}
	return conflict(changed)
}

// operationBatches cuts operations into pieces that one action can do.
func operationBatches(ops []Operation) [][]Operation {
	var out [][]Operation
	start, bytes := 0, 0
	for i, op := range ops {
		size := len(op.In[0].Path) + len(op.Out)
		if i > start && (i-start == moveBatch || bytes+size > pathBytes) {
			out = append(out, ops[start:i])
			start, bytes = i, 0
		}
		bytes += size
	}
	if start < len(ops) {
		out = append(out, ops[start:])
	}
	return out
}
