package chore

import (
	"math"

	"piwork/app/eta"
	"piwork/app/task"
	"piwork/vmhost/share/guard"
)

// amount is a number of inputs, and of the bytes in them that are read.
type amount struct{ items, bytes int64 }

func (a amount) plus(b amount) amount { return amount{a.items + b.items, a.bytes + b.bytes} }

// amountOf is the amount of inputs.
func amountOf(in []Input) amount {
	a := amount{items: int64(len(in))}
	for _, i := range in {
		a.bytes += i.reads()
	}
	return a
}

// sizesOf is amountOf for files whose hash is not known yet.
func sizesOf(in []Input) amount {
	a := amount{items: int64(len(in))}
	for _, i := range in {
		a.bytes += max(0, i.Size)
	}
	return a
}

// amountDone is the amount of the first of inputs that the guest says are done.
// It is not trusted.
func amountDone(in []Input, done int64) amount {
	return amountOf(in[:min(max(done, 0), int64(len(in)))])
}

// reads is how much of an input an operation reads, in bytes: nothing of one that
// is only moved.
func (i Input) reads() int64 {
	if i.SHA256 == "" {
		return 0
	}
	return max(0, i.Size)
}

func (e Env) progress(done, total amount, item string) {
	if e.Progress != nil {
		e.Progress(task.ProgressData{Done: done.items, Total: total.items, Item: item, Bytes: done.bytes, TotalBytes: total.bytes})
	}
}

// Work is what Run has to do of each operation, the look at the inputs before it
// included.
func (p Plan) Work() map[string]eta.Work {
	out := map[string]eta.Work{}
	add := func(op string, in []Input) {
		a := amountOf(in)
		w := out[op]
		out[op] = eta.Work{Items: w.Items + a.items, Bytes: w.Bytes + a.bytes}
	}
	var read []Input
	for _, op := range p.Operations {
		add(op.Op, op.In)
		for _, in := range op.In {
			if in.SHA256 != "" {
				read = append(read, in)
			}
		}
		if p.Chore == picturesName {
			add(opMerge, make([]Input, len(batches(op.In, convertBatch, convertBytes))))
		}
	}
	if len(read) > 0 {
		add(opHash, once(read))
	}
	return out
}

// Writes is how many bytes the plan writes, as a guard counts them: what an operation makes where
// that is known, else as much as it reads, and the names of both. What a guest said of an archive
// may be any number.
func (p Plan) Writes() int64 {
	var bytes, names int64
	for _, op := range p.Operations {
		var more, files int64
		switch {
		case op.Effect == EffectDelete:
			continue
		case op.Makes != nil:
			more, files = op.Makes.Bytes, int64(op.Makes.Files)
		default:
			more = amountOf(op.In).bytes
		}
		if op.Out != "" {
			files = max(files, 1)
		}
		bytes = guard.Sum(bytes, max(0, more))
		names = guard.Sum(names, max(0, files))
	}
	return guard.Sum(bytes, guard.NameBytes*min(names, math.MaxInt64/guard.NameBytes))
}

// Fetches is how many bytes the plan has downloaded.
func (p Plan) Fetches() int64 {
	if p.Online == nil {
		return 0
	}
	return p.Online.Bytes
}

// Reads is how much of each file Run reads, in bytes, by its path in the runtime.
func (p Plan) Reads() map[string]int64 {
	out := map[string]int64{}
	for _, op := range p.Operations {
		for _, in := range op.In {
			out[in.Path] = max(out[in.Path], in.reads())
		}
	}
	return out
}
