package chore

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

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

// candidate is a picture by its name.
type candidate struct {
	entry Entry
	guest string
}

// candidates are the pictures among the entries of a folder, in natural order,
// and the problems of those that cannot even be named to the VM.
func candidates(f Folder, entries []Entry) (out []candidate, skipped []problem.Problem) {
	var pictures []Entry
	for _, e := range entries {
		if !e.Type.IsDir() && slices.Contains(pictureExts, strings.ToLower(path.Ext(e.Path))) {
			pictures = append(pictures, e)
		}
	}
	sortNatural(pictures)
	for _, e := range pictures {
		guest := f.Guest + "/" + e.Path
		code := ""
		switch {
		case e.Type&fs.ModeSymlink != 0:
			code = problem.CodeInputLink
		case !e.Type.IsRegular():
			continue // a pipe or a device
		case !utf8.ValidString(e.Path) || len(guest) > wire.MaxPath:
			code = problem.CodeInputName
		}
		if code != "" {
			shown := strings.ToValidUTF8(guest, "\uFFFD")
			skipped = append(skipped, *problem.New(code).With("path", shown).With("name", path.Base(shown)))
			continue
		}
		out = append(out, candidate{entry: e, guest: guest})
	}
	return out, skipped
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
		found, skipped := candidates(f, entries)
		all = append(all, found...)
		plan.Skipped = append(plan.Skipped, skipped...)
	}
	if len(all) == 0 && len(plan.Skipped) == 0 {
		return plan, noPictures(env.Folders, recursive)
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

// text returns a parameter that is a string, "" when it is none.
func text(params map[string]any, name string) string {
	s, _ := params[name].(string)
	return s
}

// noPictures names what was looked for.
func noPictures(folders []Folder, recursive bool) error {
	names := make([]string, len(folders))
	for i, f := range folders {
		names[i] = f.Name
	}
	p := problem.New(problem.CodeNoPictures).
		With("folders", names).With("extensions", pictureExts).With("recursive", recursive)
	if !recursive {
		p.Fix = append(problem.Fixes(problem.FixRecursive), p.Fix...)
	}
	return p
}

// look reads every picture in the VM: whether it is one, and its hash.
func (picturesToPDF) look(ctx context.Context, env Env, all []candidate) ([]Input, []problem.Problem, error) {
	in := make([]Input, len(all))
	for i, c := range all {
		in[i] = Input{Path: c.guest, Size: c.entry.Size}
	}
	infos, broken, err := env.look(ctx, opInfo, "info", in, func(n int) { env.progress(int64(n), int64(len(in)), "") })
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

func validHash(s seen) bool {
	return len(s.SHA256) == 64 && strings.Trim(s.SHA256, "0123456789abcdef") == "" && s.Size >= 0
}

// sortByDate sorts by when a picture was taken, where it says so, else by when
// its file was changed; equal ones stay in their order.
func sortByDate(in []Input, all []candidate, infos map[string]seen) {
	when := make(map[string]time.Time, len(all))
	for _, c := range all {
		when[c.guest] = c.entry.Time
		if t, err := time.Parse(time.RFC3339, infos[c.guest].Taken); err == nil {
			when[c.guest] = t
		}
	}
	slices.SortStableFunc(in, func(a, b Input) int { return when[a.Path].Compare(when[b.Path]) })
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
	params, err := op.Decode(convertParams(plan))
	if err != nil {
		return wire.Limits{}, fmt.Errorf("%s: %w", opConvert, err)
	}
	var l wire.Limits
	for _, batch := range batches(plan.Operations[0].In, convertBatch, convertBytes) {
		load := tools.Load{Inputs: len(batch)}
		for _, in := range batch {
			load.Bytes += in.Size
		}
		of := op.Limits(params, load)
		l.WallMS = max(l.WallMS, of.Wall.Milliseconds())
		l.MemoryMB = max(l.MemoryMB, of.MemoryMB)
	}
	return l, nil
}
