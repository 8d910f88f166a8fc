package operate

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"piwork/pack/guest/operate/job"
	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

// csoundPerform is csound.perform.
func csoundPerform(ctx context.Context, r *job.Job, p *tools.CsoundPerform) error {
	return r.Each(ctx, p.Each, p.To, func(ctx context.Context, n int, path string) (*job.Piece, *wire.ToolProblem, error) {
		in, problem, err := r.Take(ctx, path, tools.ScratchName(n, "csd"), tools.MaxScoreSize, func(head []byte) *job.Reason {
			if !job.LooksLikeText(head) || !bytes.Contains(head, []byte("<CsoundSynthesizer>")) {
				return job.Unsupported("the file is not a CSD")
			}
			return nil
		})
		if err != nil || problem != nil {
			return nil, problem, err
		}
		out := tools.ScratchName(n, "out."+p.To)
		problem, err = r.Tool(ctx, path, tools.InputBroken, tools.Csound(p, in.Name, out))
		if err != nil || problem != nil {
			return nil, problem, err
		}
		if _, err := r.ScratchSize(out); err != nil {
			return nil, new(tools.Problem(tools.InputBroken, path, "it makes no sound")), nil
		}
		return &job.Piece{File: out, Suffix: p.To}, nil, nil
	})
}

// lilypondRender is lilypond.render.
func lilypondRender(ctx context.Context, r *job.Job, p *tools.LilyPondRender) error {
	path := r.Order.Tool.In[0]
	return r.IntoFolder(ctx, p.Replace, func(dir *job.Folder) (*wire.ToolProblem, error) {
		in, problem, err := r.Take(ctx, path, "score.ly", tools.MaxScoreSize, func(head []byte) *job.Reason {
			if !job.LooksLikeText(head) {
				return job.Unsupported("the file is not a score")
			}
			return nil
		})
		if err != nil || problem != nil {
			return problem, err
		}
		want := p.Outputs
		if len(want) == 0 {
			want = []string{"pdf", "midi"}
		}
		drawn := slices.DeleteFunc(slices.Clone(want), func(s string) bool { return s == "midi" })
		if len(drawn) == 0 { // MIDI comes beside something
			drawn = []string{"svg"}
		}
		for _, format := range slices.Compact(slices.Sorted(slices.Values(drawn))) {
			if problem, err = r.Tool(ctx, path, tools.InputBroken, tools.LilyPond(p, format, in.Name, "made")); err != nil || problem != nil {
				return problem, err
			}
		}
		return placeScore(ctx, r, dir, path, want)
	})
}

// placeScore places what LilyPond made, as far as it was asked for.
func placeScore(ctx context.Context, r *job.Job, dir *job.Folder, path string, want []string) (*wire.ToolProblem, error) {
	names, err := r.ScratchMade("made")
	if err != nil {
		return nil, err
	}
	stem := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	placed := 0
	for _, name := range names {
		suffix := strings.TrimPrefix(filepath.Ext(name), ".")
		if !slices.Contains(want, suffix) {
			continue
		}
		file := name
		if suffix == "pdf" {
			file = "clean-" + name
			if problem, err := neutral(ctx, r, path, name, file); err != nil || problem != nil {
				return problem, err
			}
		}
		part := strings.TrimSuffix(strings.TrimPrefix(name, "made"), filepath.Ext(name))
		if err := r.PlaceIn(ctx, dir, file, stem+part+"."+suffix); err != nil {
			return nil, err
		}
		placed++
	}
	if placed == 0 {
		return new(tools.Problem(tools.InputBroken, path, "there is nothing to draw or play in it")), nil
	}
	return nil, nil
}
