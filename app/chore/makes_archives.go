package chore

import (
	"cmp"
	"context"
	"encoding/json"
	"path"
	"strings"

	"piwork/app/problem"
	"piwork/pack/tools"
	"piwork/vmhost"
	"piwork/vmhost/wire"
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
	var names []string
	var bytes, times int64
	for _, op := range todo {
		if !op.Grows() {
			others = append(others, op)
			continue
		}
		grow = append(grow, op)
		names = append(names, path.Base(op.In[0].Path))
		bytes += op.Makes.Bytes
		times = max(times, op.Makes.Times)
	}
	if len(grow) == 0 {
		return todo, nil
	}
	if yes, err := r.env.askToUnpack(ctx, names, bytes, times); yes || err != nil {
		return todo, err
	}
	for _, op := range grow {
		r.out.Problems = append(r.out.Problems, *leftOut(problem.CodeNotUnpacked, op.In[0].Path))
		r.advance(op.In)
	}
	if len(others) == 0 && len(r.out.Results) == 0 {
		return nil, problem.New(problem.CodeDenied).With("files", strings.Join(names[:min(len(names), maxAsked)], ", "))
	}
	return others, nil
}

// unlisted names an archive that has more files than an answer has room for: those that
// are not listed were unpacked, too.
func (r *makingRun) unlisted(c call, res wire.ToolResult) {
	if c.op != opExtract || len(res.Info) != 1 {
		return
	}
	var made tools.ArchiveMade
	if data, err := json.Marshal(res.Info[0]); err != nil || json.Unmarshal(data, &made) != nil {
		return // it says nothing of this, and what is listed is a result all the same
	}
	if n := made.Files - len(res.Out); n > 0 {
		r.out.Problems = append(r.out.Problems, *leftOut(problem.CodeNotListed, c.operations[0].In[0].Path).With("count", n))
	}
}

// maxAsked is how many archives a question names.
const maxAsked = 100

// askToUnpack asks about archives that grow so much, in bytes and up to so many times.
func (e Env) askToUnpack(ctx context.Context, names []string, bytes, times int64) (bool, error) {
	if e.Ask == nil {
		return false, nil
	}
	return e.Ask(ctx, vmhost.Question{
		Kind: vmhost.AskUnpack, Items: names[:min(len(names), maxAsked)],
		Text: vmhost.Text{Code: "unpack-grows", Params: map[string]any{"count": len(names), "bytes": bytes, "times": times}},
	})
}

// AskBefore has a single operation ask what the chore of the same work would: before
// archive.extract unpacks a file that grows so much. The archive is looked at for that,
// within the limits of the call. broken is what is wrong with an archive that cannot be
// looked at, and is not to be unpacked; without a yes the error is "denied".
func AskBefore(ctx context.Context, env Env, p wire.ToolParams) (broken *problem.Problem, err error) {
	if p.Op != opExtract {
		return nil, nil
	}
	params := map[string]any{}
	if password, ok := p.Params["password"]; ok {
		params["password"] = password
	}
	execute := env.Execute
	env.Execute = func(ctx context.Context, a vmhost.Action) (vmhost.Observation, error) {
		a.Tool.Limits = p.Limits
		return execute(ctx, a)
	}
	in := p.In[0]
	found, problems, err := env.lookWith(ctx, opPacked, "look", params, []Input{{Path: in}}, nil)
	if err != nil || problems[in] != nil {
		return problems[in], err
	}
	s := found[in]
	if (Operation{Makes: unpackArchives.expects(s)}).Grows() {
		if yes, err := env.askToUnpack(ctx, []string{path.Base(in)}, max(s.Bytes, 0), s.Times); !yes {
			return nil, cmp.Or(err, error(problem.New(problem.CodeDenied).With("files", path.Base(in))))
		}
	}
	return nil, nil
}
