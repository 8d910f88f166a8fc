package operate

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"piwork/pack/guest/operate/job"
	"piwork/pack/tools"
)

// csoundPerform is csound.perform.
func csoundPerform(ctx context.Context, r *job.Job, p *tools.CsoundPerform) error {
	return r.Each(ctx, p.Each, p.To, func(ctx context.Context, n int, path string) (*job.Piece, error) {
		in, err := r.Take(ctx, path, tools.ScratchName(n, "csd"), tools.MaxScoreSize, func(head []byte) string {
			if !job.LooksLikeText(head) || !bytes.Contains(head, []byte("<CsoundSynthesizer>")) {
				return "the file is not a CSD"
			}
			return ""
		})
		if err != nil {
			return nil, err
		}
		out := tools.ScratchName(n, "out."+p.To)
		if err = r.Tool(ctx, path, tools.InputBroken, tools.Csound(p, in.Name, out)); err != nil {
			return nil, err
		}
		if _, err := r.ScratchSize(out); err != nil {
			return nil, job.Refuse(tools.InputBroken, path, "it makes no sound")
		}
		return &job.Piece{File: out, Suffix: p.To}, nil
	})
}

// lilypondRender is lilypond.render.
func lilypondRender(ctx context.Context, r *job.Job, p *tools.LilyPondRender) error {
	path := r.Order.Tool.In[0]
	return r.IntoFolder(ctx, p.Replace, func(dir *job.Folder) error {
		in, err := r.Take(ctx, path, "score.ly", tools.MaxScoreSize, func(head []byte) string {
			if !job.LooksLikeText(head) {
				return "the file is not a score"
			}
			return ""
		})
		if err != nil {
			return err
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
			if err = r.Tool(ctx, path, tools.InputBroken, tools.LilyPond(p, format, in.Name, "made")); err != nil {
				return err
			}
		}
		return placeScore(ctx, r, dir, path, want)
	})
}

// placeScore places what LilyPond made, as far as it was asked for.
func placeScore(ctx context.Context, r *job.Job, dir *job.Folder, path string, want []string) error {
	names, err := r.ScratchMade("made")
	if err != nil {
		return err
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
			if err := neutral(ctx, r, path, name, file); err != nil {
				return err
			}
		}
		part := strings.TrimSuffix(strings.TrimPrefix(name, "made"), filepath.Ext(name))
		if err := r.PlaceIn(ctx, dir, file, stem+part+"."+suffix); err != nil {
			return err
		}
		placed++
	}
	if placed == 0 {
		return job.Refuse(tools.InputBroken, path, "there is nothing to draw or play in it")
	}
	return nil
}
