package chore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"piwork/app/problem"
	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// Operations of pack/tools that chores are made of.
const (
	opHash    = "file.hash"
	opInfo    = "image.info"
	opConvert = "image.convert"
	opMerge   = "pdf.merge"
)

// tool runs one operation. What it answers is checked where it is used.
func (e Env) tool(ctx context.Context, p wire.ToolParams, onProgress func(wire.ToolProgress)) (wire.ToolResult, error) {
	obs, err := e.Execute(ctx, vmhost.Action{Tool: &p, OnProgress: onProgress})
	if err != nil {
		return wire.ToolResult{}, err
	}
	if obs.Tool == nil {
		return wire.ToolResult{}, fmt.Errorf("%s: no answer", p.Op)
	}
	return *obs.Tool, nil
}

// whole returns the problem of a result that is of no single input, nil when
// there is none.
func whole(r wire.ToolResult) *problem.Problem {
	for _, p := range r.Problems {
		if p.Path == "" {
			return problem.FromTool(p).Weigh(problem.Failed)
		}
	}
	return nil
}

// seen is what the VM says about one input: the members that tools.ImageInfo
// and tools.FileInfo have in common, and when a picture was taken.
type seen struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size"`
	Taken  string `json:"taken"` // RFC 3339, "" when the picture does not say
}

// same reports whether an input is as a plan saw it.
func (s seen) same(in Input) bool { return s.SHA256 == in.SHA256 && s.Size == in.Size }

// look runs an operation that reports over inputs, in batches. An input is in
// found or in problems, by its path; never in both.
func (e Env) look(ctx context.Context, op, id string, in []Input, done func(n int)) (found map[string]seen, problems map[string]*problem.Problem, err error) {
	found, problems = map[string]seen{}, map[string]*problem.Problem{}
	n := 0
	for i, batch := range batches(in, lookBatch, math.MaxInt64) {
		p := wire.ToolParams{ID: fmt.Sprintf("%s-%d", id, i+1), Op: op, In: paths(batch)}
		r, err := e.tool(ctx, p, nil)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", op, err)
		}
		if p := whole(r); p != nil {
			return nil, nil, p
		}
		if err := sortAnswers(batch, r, found, problems); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", op, err)
		}
		n += len(batch)
		if done != nil {
			done(n)
		}
	}
	return found, problems, nil
}

// sortAnswers takes from a result what was asked for. The guest is not trusted:
// what it says about other files counts for nothing, and an input that it says
// nothing about is a problem.
func sortAnswers(batch []Input, r wire.ToolResult, found map[string]seen, problems map[string]*problem.Problem) error {
	asked := make(map[string]bool, len(batch))
	for _, in := range batch {
		asked[in.Path] = true
	}
	for _, p := range r.Problems {
		if asked[p.Path] {
			problems[p.Path] = problem.FromTool(p)
		}
	}
	for _, info := range r.Info {
		data, err := json.Marshal(info)
		if err != nil {
			return err
		}
		var s seen
		if err := json.Unmarshal(data, &s); err != nil {
			return errors.New("the answer is not what the operation says it is")
		}
		if asked[s.Path] && problems[s.Path] == nil {
			found[s.Path] = s
		}
	}
	for path := range asked {
		if _, ok := found[path]; !ok && problems[path] == nil {
			problems[path] = problem.FromTool(wire.ToolProblem{Code: problem.CodeToolFailed, Path: path, Detail: "no answer"})
		}
	}
	return nil
}

func paths(in []Input) []string {
	out := make([]string, len(in))
	for i := range in {
		out[i] = in[i].Path
	}
	return out
}

// unchanged looks at inputs again, and returns a conflict that names those
// that are not as the plan saw them.
func (e Env) unchanged(ctx context.Context, in []Input, done func(n int)) error {
	found, _, err := e.look(ctx, opHash, "recheck", in, done)
	if err != nil {
		return err
	}
	var changed []string
	for _, i := range in {
		if s, ok := found[i.Path]; !ok || !s.same(i) {
			changed = append(changed, i.Path)
		}
	}
	return conflict(changed)
}

// conflict is the problem of inputs that are not as the plan saw them.
func conflict(changed []string) error {
	if len(changed) == 0 {
		return nil
	}
	const named = 20
	return problem.New(problem.CodeChangedSince).
		With("count", len(changed)).With("paths", changed[:min(len(changed), named)])
}
