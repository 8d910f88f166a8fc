package operate

import (
	"context"

	"piwork/pack/guest/operate/job"
	"piwork/pack/tools"
	"piwork/pack/tools/picture"
)

// resize is image.resize.
func resize(ctx context.Context, r *job.Job, p *tools.ImageResize) error {
	suffix := ""
	if p.Format != tools.FormatSame {
		suffix = tools.Suffix(p.Format)
	}
	return r.Each(ctx, p.Each, suffix, func(ctx context.Context, n int, path string) (*job.Piece, error) {
		const dpi = 150
		pg, err := pixels(ctx, r, n, path, dpi, max(p.Width, p.Height))
		if err != nil {
			return nil, err
		}
		format := p.Format
		if format == tools.FormatSame {
			format = sameFormat(pg.info)
		}
		out := tools.ScratchName(n, "out."+format)
		return &job.Piece{File: out, Suffix: tools.Suffix(format), Seen: &pg.seen}, magick(ctx, r, pg, tools.MagickResize(p, pg.original, pg.treat.coder, format, out), out)
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
