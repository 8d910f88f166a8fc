package chore

import (
	"context"
	"fmt"
	"strings"

	"piwork/app/problem"
	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

const (
	picturesName = "pictures-to-pdf"
	pdfExt       = ".pdf"
	maxPictures  = 10_000

	orderName = "name"
	orderDate = "date"
)

// pictureExts are the names by which pictures are looked for. Whether one can
// be read the VM says.
var pictureExts = []string{
	".avif", ".bmp", ".gif", ".heic", ".heif", ".jpe", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp",
}

// picturesToPDF makes one PDF of the pictures in the folders, a page each.
type picturesToPDF struct{}

// Info implements Chore.
func (picturesToPDF) Info() Info {
	return Info{
		Name: picturesName,
		Params: []ParamInfo{
			{Name: "name", Type: "string", Default: "Pictures"},
			{Name: "order", Type: "choice", Default: orderName, Choices: []string{orderName, orderDate}},
			{Name: "recursive", Type: "bool", Default: false},
			{Name: "page", Type: "choice", Default: tools.PageFit, Choices: []string{tools.PageFit, tools.PageA4}},
		},
		Effects: []Effect{EffectCreate},
		Needs:   []string{},
	}
}

// Plan implements Chore.
func (c picturesToPDF) Plan(ctx context.Context, env Env) (Plan, error) {
	plan := Plan{V: PlanVersion, Chore: picturesName, Params: env.Params, Operations: []Operation{}, Needs: []string{}}
	name, err := resultName(text(env.Params, "name"), pdfExt)
	if err != nil {
		return plan, badParam("name", err)
	}
	if err := env.Folders[0].writable(); err != nil {
		return plan, err
	}
	recursive, _ := env.Params["recursive"].(bool)
	var all []candidate
	var taken []string
	for i, f := range env.Folders {
		entries, err := f.List(ctx, recursive)
		if err != nil {
			return plan, err
		}
		for _, e := range entries {
			if i == 0 && !strings.Contains(e.Path, "/") {
				taken = append(taken, e.Path)
			}
		}
		found, skipped := candidates(f, entries, pictureExts)
		all = append(all, found...)
		plan.Skipped = append(plan.Skipped, skipped...)
	}
	if len(all) == 0 && len(plan.Skipped) == 0 {
		return plan, noFiles(problem.CodeNoPictures, env.Folders, pictureExts, recursive)
	}
	if len(all) > maxPictures {
		return plan, problem.New(problem.CodeTooManyInputs).With("count", len(all)).With("max", maxPictures)
	}
	inputs, problems, err := c.look(ctx, env, all)
	plan.Skipped = append(plan.Skipped, problems...)
	if err != nil {
		return plan, err
	}
	if len(inputs) == 0 {
		return plan, problem.New(problem.CodeNothingLeft).With("count", len(plan.Skipped))
	}
	out := env.Folders[0].Guest + "/" + freeName(name, pdfExt, taken)
	plan.Operations = append(plan.Operations, Operation{Op: opConvert, In: inputs, Out: out, Effect: EffectCreate})
	plan.Limits, err = convertLimits(plan)
	return plan, err
}

// look reads every picture in the VM: whether it is one, and its hash.
func (picturesToPDF) look(ctx context.Context, env Env, all []candidate) ([]Input, []problem.Problem, error) {
	in := make([]Input, len(all))
	for i, c := range all {
		in[i] = Input{Path: c.guest, Size: c.entry.Size}
	}
	infos, broken, err := env.look(ctx, opInfo, "info", in, func(n int) { env.progress(sizesOf(in[:n]), sizesOf(in), "") })
	if err != nil {
		return nil, nil, err
	}
	var out []Input
	var problems []problem.Problem
	for _, i := range in {
		info := infos[i.Path]
		switch {
		case broken[i.Path] != nil:
			problems = append(problems, *broken[i.Path])
		case !validHash(info):
			return nil, problems, fmt.Errorf("%s: the answer for an input is not a hash", opInfo)
		default:
			out = append(out, Input{Path: i.Path, SHA256: info.SHA256, Size: info.Size})
		}
	}
	if env.Params["order"] == orderDate {
		sortByDate(out, all, infos)
	}
	return out, problems, nil
}

// convertParams are the parameters of the conversion that a plan means.
func convertParams(plan Plan) map[string]any {
	return map[string]any{"format": tools.FormatPDF, "page": plan.Params["page"]}
}

// convertLimits bound the conversion of each batch of a plan: those that the
// operation has for the largest.
func convertLimits(plan Plan) (wire.Limits, error) {
	op, ok := tools.Find(opConvert)
	if !ok {
		return wire.Limits{}, fmt.Errorf("there is no operation %s", opConvert)
	}
	if _, err := op.Decode(convertParams(plan)); err != nil {
		return wire.Limits{}, fmt.Errorf("%s: %w", opConvert, err)
	}
	var l wire.Limits
	for _, batch := range batches(plan.Operations[0].In, convertBatch, convertBytes) {
		load := tools.Load{Inputs: len(batch)}
		for _, in := range batch {
			load.Bytes += in.Size
		}
		l.WallMS = max(l.WallMS, op.Limits(load).Wall.Milliseconds())
	}
	return l, nil
}
