package chore

import (
	"context"
	"encoding/json"
	"fmt"

	"piwork/app/problem"
	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

// Operations of pack/tools on PDFs.
const (
	opPDFInfo  = "pdf.info"
	opSplit    = "pdf.split"
	opCompress = "pdf.compress"
	opUnlock   = "pdf.unlock"
	opOCR      = "pdf.ocr"
	opPDFText  = "pdf.text"
)

// onePDF are the makings of a chore that makes a PDF of each.
func onePDF(op string) func(map[string]any, seen) []making {
	return func(map[string]any, seen) []making { return []making{{op: op, ext: pdfExt}} }
}

func noParams(map[string]any, Operation) map[string]any { return nil }

// mergePDF makes one PDF of all PDFs in the folders.
var mergePDF = maker{
	info: Info{
		Name: "merge-pdf",
		Params: []ParamInfo{
			{Name: "name", Type: "string", Default: "Merged"},
			pageOrder,
			recursively,
		},
		Effects: []Effect{EffectCreate}, Needs: []string{},
	},
	ops:    []string{opMerge},
	exts:   []string{pdfExt},
	look:   looking(opPDFInfo),
	joins:  true,
	makes:  onePDF(opMerge),
	params: noParams,
}

// maxParts is how many parts an answer of pdf.split has room for.
const maxParts = 1000

// splitPDF makes a folder of parts of each PDF. One with a single part is so
// already.
var splitPDF = maker{
	info: Info{
		Name:    "split-pdf",
		Params:  []ParamInfo{wholeNumber("every", 1, 1, 100_000), recursively},
		Effects: []Effect{EffectCreate}, Needs: []string{},
	},
	ops:  []string{opSplit},
	exts: []string{pdfExt},
	look: func(ctx context.Context, env Env, in []Input, done func(int)) (map[string]seen, map[string]*problem.Problem, error) {
		found, problems, err := env.look(ctx, opPDFInfo, "look", in, done)
		every := max(count(env.Params, "every"), 1)
		for p, s := range found {
			if parts := (s.Pages + every - 1) / every; parts > maxParts {
				problems[p] = problem.FromTool(wire.ToolProblem{
					Code: problem.CodeInputTooLarge, Path: p, Detail: fmt.Sprintf("%d parts, at most %d", parts, maxParts),
				})
			}
		}
		return found, problems, err
	},
	makes: func(params map[string]any, s seen) []making {
		if s.Pages > 0 && s.Pages <= count(params, "every") {
			return nil
		}
		return []making{{op: opSplit}}
	},
	params: func(given map[string]any, _ Operation) map[string]any { return map[string]any{"every": given["every"]} },
}

// compressPDF makes smaller copies of PDFs.
var compressPDF = maker{
	info: Info{
		Name: "compress-pdf",
		Params: []ParamInfo{
			{Name: "quality", Type: "choice", Default: "reading", Choices: []string{"screen", "reading", "printing"}},
			recursively,
			languages,
		},
		Effects: []Effect{EffectCreate}, Needs: []string{},
	},
	ops:   []string{opCompress},
	exts:  []string{pdfExt},
	look:  looking(opPDFInfo),
	into:  map[string]string{"en": "Smaller PDFs", "de": "Kleinere PDFs"},
	makes: onePDF(opCompress),
	doubts: func(info []byte) (*problem.Problem, error) {
		var made tools.Made
		if err := json.Unmarshal(info, &made); err != nil || made.Note != tools.NoteKept {
			return nil, err
		}
		return leftOut(problem.CodeNotSmaller, made.Path), nil
	},
	params: func(given map[string]any, _ Operation) map[string]any {
		return map[string]any{"quality": given["quality"]}
	},
}

// unlockPDF makes copies without a password of PDFs that have this one. Those
// that have none are so already.
var unlockPDF = maker{
	info: Info{
		Name:    "unlock-pdf",
		Params:  []ParamInfo{{Name: "password", Type: TypePassword, Default: ""}, recursively, languages},
		Effects: []Effect{EffectCreate}, Needs: []string{},
	},
	ops:  []string{opUnlock},
	exts: []string{pdfExt},
	look: lookLocked,
	into: map[string]string{"en": "Unlocked PDFs", "de": "Entsperrte PDFs"},
	makes: func(_ map[string]any, s seen) []making {
		if s.SHA256 != "" && !s.Encrypted {
			return nil
		}
		return []making{{op: opUnlock, ext: pdfExt}}
	},
	params: func(given map[string]any, _ Operation) map[string]any {
		return map[string]any{"password": given["password"]}
	},
}

// lookLocked looks at every PDF without the password, and with it at those that
// are encrypted.
func lookLocked(ctx context.Context, env Env, in []Input, done func(int)) (map[string]seen, map[string]*problem.Problem, error) {
	found, problems, err := env.look(ctx, opPDFInfo, "look", in, done)
	if err != nil {
		return nil, nil, err
	}
	var locked []Input
	for _, i := range in {
		if p := problems[i.Path]; p != nil && p.Code == problem.CodeInputLocked || p == nil && found[i.Path].Encrypted {
			locked = append(locked, i)
		}
	}
	opened, wrong, err := env.lookWith(ctx, opPDFInfo, "unlock", map[string]any{"password": env.Params["password"]}, locked, nil)
	if err != nil {
		return nil, nil, err
	}
	for _, i := range locked {
		delete(problems, i.Path)
		delete(found, i.Path)
		if p := wrong[i.Path]; p != nil {
			problems[i.Path] = p
		} else {
			s := opened[i.Path]
			s.Encrypted = true
			found[i.Path] = s
		}
	}
	return found, problems, nil
}

// searchableScans makes PDFs that can be searched of scans, and their text.
var searchableScans = maker{
	info: Info{
		Name: "searchable-scans",
		Params: []ParamInfo{
			{Name: "text", Type: "bool", Default: true},
			reads,
			{Name: "force", Type: "bool", Default: false},
			recursively,
			languages,
		},
		Effects: []Effect{EffectCreate}, Needs: []string{},
	},
	ops:  []string{opOCR, opPDFText},
	exts: append([]string{pdfExt}, pictureExts...),
	look: looking(opInfo),
	into: map[string]string{"en": "Searchable", "de": "Durchsuchbar"},
	makes: func(params map[string]any, _ seen) []making {
		out := []making{{op: opOCR, ext: pdfExt}}
		if of[bool](params, "text") {
			out = append(out, making{op: opPDFText, ext: ".txt", further: true})
		}
		return out
	},
	params: func(given map[string]any, op Operation) map[string]any {
		if op.Op == opPDFText {
			return map[string]any{"layout": true}
		}
		return map[string]any{"to": tools.FormatPDF, "language": given["reads"], "force": of[bool](given, "force")}
	},
}
