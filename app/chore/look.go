package chore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"piwork/app/problem"
	"piwork/pack/tools"
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
		if p.Path == "" && p.Code != tools.MoreResults { // which says that others were left out
			return problem.FromTool(p).Weigh(problem.Failed)
		}
	}
	return nil
}

// seen is what the VM says about one input: members of tools.FileInfo,
// tools.ImageInfo, tools.PDFInfo, tools.TableInfo and tools.ArchiveInfo, as far as they
// say it.
type seen struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size"`
	Taken  string `json:"taken"` // RFC 3339, "" when the picture does not say

	Format    string   `json:"format"` // of a picture or table
	Sheets    []string `json:"sheets"` // of a workbook
	Width     float64  `json:"width"`  // of a picture, px
	Height    float64  `json:"height"`
	Frames    int      `json:"frames"`
	Pages     int      `json:"pages"` // of a PDF
	Encrypted bool     `json:"encrypted"`

	Files int   `json:"files"` // in an archive
	Bytes int64 `json:"bytes"` // of them
	Times int64 `json:"times"`
}

// same reports whether an input is as a plan saw it.
func (s seen) same(in Input) bool { return s.SHA256 == in.SHA256 && s.Size == in.Size }

// look runs an operation that reports over inputs, in batches. An input is in
// found or in problems, by its path; never in both.
func (e Env) look(ctx context.Context, op, id string, in []Input, done func(n int)) (found map[string]seen, problems map[string]*problem.Problem, err error) {
	return e.lookWith(ctx, op, id, nil, in, done)
}

// lookWith is look with parameters of the operation.
func (e Env) lookWith(ctx context.Context, op, id string, params map[string]any, in []Input, done func(n int)) (found map[string]seen, problems map[string]*problem.Problem, err error) {
	found, problems = map[string]seen{}, map[string]*problem.Problem{}
	n, asked := 0, 0
	for _, batch := range batches(in, lookBatch, math.MaxInt64) {
		for len(batch) > 0 {
			asked++
			p := wire.ToolParams{ID: fmt.Sprintf("%s-%d", id, asked), Op: op, In: paths(batch), Params: params}
			before, most := n, int64(len(batch))
			r, err := e.tool(ctx, p, func(g wire.ToolProgress) {
				if done != nil {
					done(before + int(min(max(g.Done, 0), most)))
				}
			})
			if err != nil {
				return nil, nil, fmt.Errorf("%s: %w", op, err)
			}
			if p := whole(r); p != nil {
				return nil, nil, p
			}
			now := Answered(paths(batch), r)
			if err := sortAnswers(batch[:now], r, found, problems); err != nil {
				return nil, nil, fmt.Errorf("%s: %w", op, err)
			}
			batch = batch[now:]
			n += now
			if done != nil {
				done(n)
			}
		}
	}
	return found, problems, nil
}

// Answered is how many of the inputs an answer is about: when it was full, it
// names the last.
func Answered(in []string, r wire.ToolResult) int {
	for _, p := range r.Problems {
		if p.Code == tools.MoreResults {
			if i := slices.Index(in, p.Path); i >= 0 {
				return i + 1
			}
		}
	}
	return len(in)
}

// sortAnswers takes from a result what was asked for, as answers does; an input
// that it says nothing about is a problem.
func sortAnswers(batch []Input, r wire.ToolResult, found map[string]seen, problems map[string]*problem.Problem) error {
	if err := answers(batch, r, found, problems); err != nil {
		return err
	}
	for _, in := range batch {
		if _, ok := found[in.Path]; !ok && problems[in.Path] == nil {
			problems[in.Path] = problem.FromTool(wire.ToolProblem{Code: problem.CodeToolFailed, Path: in.Path, Detail: "no answer"})
		}
	}
	return nil
}

// errAnswer means that the guest does not answer as the operation does.
var errAnswer = errors.New("the answer is not what the operation says it is")

// answers takes from a result what was asked for. The guest is not trusted: what
// it says about other files counts for nothing.
func answers(batch []Input, r wire.ToolResult, found map[string]seen, problems map[string]*problem.Problem) error {
	asked := make(map[string]bool, len(batch))
	for _, in := range batch {
		asked[in.Path] = true
	}
	for _, p := range r.Problems {
		if asked[p.Path] && p.Code != tools.MoreResults {
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
			return errAnswer
		}
		if asked[s.Path] && problems[s.Path] == nil {
			found[s.Path] = s
		}
	}
	return nil
}

// madeBefore is a result that an earlier run of the plan made, nil where it is not
// there as it was.
func (e Env) madeBefore(ctx context.Context, out string) (*wire.ToolFile, error) {
	if e.Made == nil {
		return nil, nil
	}
	made, err := e.Made(ctx)
	sum := made[out]
	if err != nil || sum == "" {
		return nil, err
	}
	now, _, err := e.look(ctx, opHash, "made", []Input{{Path: out}}, nil)
	if s, ok := now[out]; err == nil && ok && s.SHA256 == sum {
		return &wire.ToolFile{Path: out, Size: s.Size, SHA256: s.SHA256}, nil
	}
	return nil, err
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
