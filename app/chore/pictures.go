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
	"piwork/vmhost/wire"
)

const (
	picturesName = "pictures-to-pdf"
	pdfExt       = ".pdf"
	maxPictures  = 10_000

	orderName = "name"
	orderDate = "date"
	pageFit   = "fit"
	pageA4    = "a4"
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
			{Name: "page", Type: "choice", Default: pageFit, Choices: []string{pageFit, pageA4}},
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
	plan.Limits = pictureLimits()
	return plan, nil
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

// look opens every picture in the VM: what it is, and its hash.
func (picturesToPDF) look(ctx context.Context, env Env, all []candidate) ([]Input, []problem.Problem, error) {
	in := make([]Input, len(all))
	for i, c := range all {
		in[i] = Input{Path: c.guest, Size: c.entry.Size}
	}
	total := int64(2 * len(in))
	infos, broken, err := env.look(ctx, opInfo, "info", in, func(n int) { env.progress(int64(n), total, "") })
	if err != nil {
		return nil, nil, err
	}
	var good []Input
	var problems []problem.Problem
	for _, i := range in {
		if p := broken[i.Path]; p != nil {
			problems = append(problems, *p)
			continue
		}
		good = append(good, i)
	}
	hashes, unread, err := env.look(ctx, opHash, "hash", good, func(n int) { env.progress(int64(len(in)+n), total, "") })
	if err != nil {
		return nil, problems, err
	}
	var out []Input
	for _, i := range good {
		switch h := hashes[i.Path]; {
		case unread[i.Path] != nil:
			problems = append(problems, *unread[i.Path])
		case !validHash(h):
			return nil, problems, fmt.Errorf("%s: the answer for an input is not a hash", opHash)
		default:
			out = append(out, Input{Path: i.Path, SHA256: h.SHA256, Size: h.Size})
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

// pictureLimits bound each operation on a batch: generous, because a slow
// computer may be in slow mode, and there is somebody who can cancel.
func pictureLimits() wire.Limits {
	return wire.Limits{WallMS: (5*time.Minute + convertBatch*30*time.Second).Milliseconds()}
}
