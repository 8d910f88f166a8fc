package operate

import (
	"context"

	"piwork/pack/tools"
	"piwork/pack/tools/picture"
	"piwork/vmhost/wire"
)

// resize is image.resize.
func (r *run) resize(ctx context.Context, p *tools.ImageResize) error {
	suffix := ""
	if p.Format != tools.FormatSame {
		suffix = tools.Suffix(p.Format)
	}
	return r.each(ctx, p.Each, suffix, func(ctx context.Context, n int, path string) (*piece, *wire.ToolProblem, error) {
		const dpi = 150
		pg, problem, err := r.pixels(ctx, n, path, dpi, max(p.Width, p.Height))
		if err != nil || problem != nil {
			return nil, problem, err
		}
		format := p.Format
		if format == tools.FormatSame {
			format = sameFormat(pg.info)
		}
		out := tools.ScratchName(n, "out."+format)
		problem, err = r.magick(ctx, pg, tools.MagickResize(p, pg.original, pg.treat.coder, format, out), out)
		return &piece{file: out, suffix: tools.Suffix(format), seen: &pg.seen}, problem, err
	})
}

// sameFormat is the format of a picture where it can be written, else one that
// everybody reads.
func sameFormat(info picture.Info) string {
	switch info.Format {
	case picture.JPEG, picture.PNG, picture.WebP, picture.TIFF, picture.GIF:
		return string(info.Format)
	}
	if info.Alpha {
		return tools.FormatPNG
	}
	return tools.FormatJPEG
}
