package chore

import (
	"context"
	"path"
	"strings"

	"piwork/app/problem"
	"piwork/vmhost"
)

// unpackArchives makes a folder of each archive, beside it and of its name.
var unpackArchives = maker{
	info:  Info{Name: "unpack-archives", Params: []ParamInfo{recursively}, Effects: []Effect{EffectCreate}, Needs: []string{}},
	ops:   []string{opExtract},
	exts:  extensions(opExtract),
	look:  looking(opPacked),
	makes: func(map[string]any, seen) []making { return []making{{op: opExtract}} },
	expects: func(s seen) *Makes {
		return &Makes{Files: max(s.Files, 0), Bytes: max(s.Bytes, 0), Times: max(s.Times, 0)}
	},
	params: noParams,
}

// manyTimes is how many times as large a file becomes before a person is asked about
// it: such a file is almost always one that was made to fill a disk.
const manyTimes = 1000

// Grows reports whether a person is asked before the operation is done.
func (o Operation) Grows() bool { return o.Makes != nil && o.Makes.Times >= manyTimes }

// agreed leaves out what a person does not want unpacked because it grows so much. The
// plan showed how much each becomes; a yes to all of it is no yes to these.
func (r *makingRun) agreed(ctx context.Context, todo []Operation) ([]Operation, error) {
	var grow, others []Operation
	q := vmhost.Question{Kind: vmhost.AskUnpack, Text: vmhost.Text{Code: "unpack-grows"}}
	var bytes, times int64
	for _, op := range todo {
		if !op.Grows() {
			others = append(others, op)
			continue
		}
		grow = append(grow, op)
		q.Items = append(q.Items, path.Base(op.In[0].Path))
		bytes += op.Makes.Bytes
		times = max(times, op.Makes.Times)
	}
	if len(grow) == 0 {
		return todo, nil
	}
	q.Text.Params = map[string]any{"count": len(grow), "bytes": bytes, "times": times}
	q.Items = q.Items[:min(len(q.Items), maxAsked)]
	if r.env.Ask != nil {
		if yes, err := r.env.Ask(ctx, q); yes || err != nil {
			return todo, err
		}
	}
	for _, op := range grow {
		r.out.Problems = append(r.out.Problems, *leftOut(problem.CodeNotUnpacked, op.In[0].Path))
		r.advance(op.In)
	}
	if len(others) == 0 && len(r.out.Results) == 0 {
		return nil, problem.New(problem.CodeDenied).With("files", strings.Join(q.Items, ", "))
	}
	return others, nil
}

// maxAsked is how many archives a question names.
const maxAsked = 100
