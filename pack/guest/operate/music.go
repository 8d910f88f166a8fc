package operate

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

// csoundPerform is csound.perform.
func (r *run) csoundPerform(ctx context.Context, p *tools.CsoundPerform) error {
	return r.each(ctx, p.Each, p.To, func(ctx context.Context, n int, path string) (*piece, *wire.ToolProblem, error) {
		in, problem, err := r.take(ctx, path, tools.ScratchName(n, "csd"), tools.MaxScoreSize, func(head []byte) *reason {
			if !looksLikeText(head) || !bytes.Contains(head, []byte("<CsoundSynthesizer>")) {
				return unsupported("the file is not a CSD")
			}
			return nil
		})
		if err != nil || problem != nil {
			return nil, problem, err
		}
		out := tools.ScratchName(n, "out."+p.To)
		problem, err = r.tool(ctx, path, tools.InputBroken, tools.Csound(p, in.name, out))
		if err != nil || problem != nil {
			return nil, problem, err
		}
		if _, err := r.scratchSize(out); err != nil {
			p := tools.Problem(tools.InputBroken, path, "it makes no sound")
			return nil, &p, nil
		}
		return &piece{file: out, suffix: p.To}, nil, nil
	})
}

// lilypondRender is lilypond.render.
func (r *run) lilypondRender(ctx context.Context, p *tools.LilyPondRender) error {
	path := r.order.Tool.In[0]
	return r.intoFolder(ctx, p.Replace, func(dir *folder) (*wire.ToolProblem, error) {
		in, problem, err := r.take(ctx, path, "score.ly", tools.MaxScoreSize, func(head []byte) *reason {
			if !looksLikeText(head) {
				return unsupported("the file is not a score")
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
			if problem, err = r.tool(ctx, path, tools.InputBroken, tools.LilyPond(p, format, in.name, "made")); err != nil || problem != nil {
				return problem, err
			}
		}
		return r.placeScore(ctx, dir, path, want)
	})
}

// placeScore places what LilyPond made, as far as it was asked for.
func (r *run) placeScore(ctx context.Context, dir *folder, path string, want []string) (*wire.ToolProblem, error) {
	names, err := r.made("made")
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
			if problem, err := r.neutral(ctx, path, name, file); err != nil || problem != nil {
				return problem, err
			}
		}
		part := strings.TrimSuffix(strings.TrimPrefix(name, "made"), filepath.Ext(name))
		if err := r.placeIn(ctx, dir, file, stem+part+"."+suffix); err != nil {
			return nil, err
		}
		placed++
	}
	if placed == 0 {
		p := tools.Problem(tools.InputBroken, path, "there is nothing to draw or play in it")
		return &p, nil
	}
	return nil, nil
}
