package operate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"

	"piwork/pack/guest/operate/job"
	"piwork/pack/tools"
	"piwork/pack/tools/picture"
)

// A batch is bound into a part of the PDF when it holds this much: starting
// img2pdf takes seconds in an emulated machine, and it keeps all its pictures
// in memory.
const (
	batchPages = 50
	batchBytes = 48 << 20
)

// page is a picture that is ready to be bound.
type page struct {
	n        int    // of the input
	path     string // of the input
	original string // scratch name of the copy
	treat    treatment
	info     picture.Info
	files    []string // scratch names for img2pdf, one per page or one with several
	bytes    int64
	seen     tools.ImageInfo
	part     string // scratch name of a PDF that it is already
}

// converter collects pages and parts of one image.convert.
type converter struct {
	*job.Job
	params *tools.ImageConvert
	batch  []*page
	bytes  int64
	parts  []string // scratch names of PDFs
	bound  int      // parts that img2pdf was asked for
}

// convert is image.convert.
func convert(ctx context.Context, r *job.Job, p *tools.ImageConvert) error {
	if p.Format != tools.FormatPDF {
		return r.Each(ctx, p.Each, tools.Suffix(p.Format), func(ctx context.Context, n int, path string) (*job.Piece, error) {
			return convertOne(ctx, r, p, n, path)
		})
	}
	to := r.Placer(p.Replace)
	if err := to.Probe(); err != nil {
		return err
	}
	c := &converter{Job: r, params: p}
	for n, path := range r.Order.Tool.In {
		pg, err := c.prepare(ctx, n, path)
		if err == nil {
			err = c.add(ctx, pg)
		}
		if err = r.PassOver(err); err != nil {
			return err
		}
		r.Done(n+1, path)
	}
	if err := c.bind(ctx); err != nil {
		return err
	}
	if len(c.parts) == 0 {
		return nil
	}
	return merge(ctx, r, c.parts, to)
}

// copyIn reads a picture into scratch.
func copyIn(ctx context.Context, r *job.Job, n int, from *job.Source) (*page, error) {
	raw := tools.ScratchName(n, "in")
	f, err := r.ScratchCreate(raw)
	if err != nil {
		return nil, err
	}
	s, err := job.ReadPicture(ctx, from, f)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return nil, cmp.Or(r.ScratchRemove(raw), err)
	}
	t := treat(s.Info)
	pg := &page{n: n, path: from.Path, original: tools.ScratchName(n, t.suffix), treat: t, info: s.Info, bytes: s.Size, seen: s.ImageInfo}
	return pg, r.ScratchRename(raw, pg.original)
}

// prepare makes a picture ready for img2pdf, or a drawing or PDF a part.
func (c *converter) prepare(ctx context.Context, n int, path string) (*page, error) {
	from, err := job.OpenSource(ctx, path)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	d, err := openDrawing(ctx, c.Job, n, from)
	if err != nil {
		return nil, err
	}
	if d != nil {
		err := vector(ctx, c.Job, d) // d has another name then
		return &page{n: n, path: path, part: d.Name, original: d.Name, seen: d.seen}, err
	}
	pg, err := copyIn(ctx, c.Job, n, from)
	if err != nil {
		return nil, err
	}
	if pg.treat.keep {
		if pg.info.Format == picture.JPEG {
			if err := cutJPEG(c.Scratch(pg.original), pg.info); err != nil {
				return nil, err
			}
		}
		pg.files = []string{pg.original}
		return pg, nil
	}
	return pg, c.decode(ctx, pg)
}

// cutJPEG makes the copy hold this one picture: phones append videos, and
// further pictures that would become pages.
func cutJPEG(file string, info picture.Info) error {
	f, _, err := job.OpenScratch(file, os.O_WRONLY)
	if err != nil {
		return err
	}
	if info.MPFOffset > 0 {
		_, err = f.WriteAt([]byte("XXXX"), info.MPFOffset) // a segment that nobody knows
	}
	if err == nil {
		err = f.Truncate(info.End)
	}
	return errors.Join(err, f.Close())
}

// decode has ImageMagick make what img2pdf can take, page by page.
func (c *converter) decode(ctx context.Context, pg *page) error {
	pg.files, pg.bytes = nil, 0
	for frame := range pages(pg.info) {
		suffix := "png"
		if pg.treat.lossy {
			suffix = "jpg"
		}
		out := tools.ScratchName(pg.n, fmt.Sprintf("p%04d.%s", frame, suffix))
		argv := tools.MagickPage(c.params, pg.original, pg.treat.coder, out, pg.treat.lossy, frame)
		if err := magick(ctx, c.Job, pg, argv, out); err != nil {
			return cmp.Or(c.drop(pg), err)
		}
		pg.files = append(pg.files, out)
		size, err := c.ScratchSize(out)
		if err != nil {
			return err
		}
		pg.bytes += size
	}
	return nil
}

// magick runs ImageMagick on one input.
func magick(ctx context.Context, r *job.Job, pg *page, argv []string, out string) error {
	end, err := r.Exec(ctx, argv)
	if err != nil {
		return err
	}
	if _, serr := r.ScratchSize(out); end.ExitCode == 0 && serr == nil {
		return nil
	}
	otherwise := tools.InputBroken
	if pg.treat.rare {
		otherwise = tools.InputUnsupported
	}
	return job.Failed(pg.path, otherwise, argv, end)
}

// add takes a page up and binds what is enough.
func (c *converter) add(ctx context.Context, pg *page) error {
	if pg.part != "" {
		if err := c.bind(ctx); err != nil {
			return err
		}
		c.parts = append(c.parts, pg.part)
		c.AddInfo(pg.seen)
		return nil
	}
	c.batch = append(c.batch, pg)
	c.bytes += pg.bytes
	if len(c.batch) >= batchPages || c.bytes >= batchBytes {
		return c.bind(ctx)
	}
	return nil
}

// bind makes parts of the PDF from the pages so far.
func (c *converter) bind(ctx context.Context) error {
	batch := c.batch
	c.batch, c.bytes = nil, 0
	return c.bindPages(ctx, batch)
}

// bindPages has img2pdf make a part. When it refuses, the culprit is found by
// halving; alone, it gets a second chance through ImageMagick, which reads
// more.
func (c *converter) bindPages(ctx context.Context, batch []*page) error {
	if len(batch) == 0 {
		return nil
	}
	var files []string
	for _, pg := range batch {
		files = append(files, pg.files...)
	}
	part := tools.ScratchName(c.bound, "part.pdf")
	c.bound++
	argv := tools.Img2PDF(c.params, files, part)
	end, err := c.Exec(ctx, argv)
	if err != nil {
		return err
	}
	if end.ExitCode == 0 {
		c.parts = append(c.parts, part)
		for _, pg := range batch {
			c.AddInfo(pg.seen)
			if err := c.drop(pg); err != nil {
				return err
			}
		}
		return nil
	}
	if err := c.ScratchRemove(part); err != nil {
		return err
	}
	if end.Code("") == tools.DiskFull {
		return job.ProgramError(argv, end)
	}
	if len(batch) > 1 {
		half := len(batch) / 2
		if err := c.bindPages(ctx, batch[:half]); err != nil {
			return err
		}
		return c.bindPages(ctx, batch[half:])
	}
	return c.secondChance(ctx, batch[0], end)
}

func (c *converter) secondChance(ctx context.Context, pg *page, end tools.Ending) error {
	if !pg.treat.keep {
		c.AddProblem(tools.Problem(end.Code(tools.InputBroken), pg.path, end.Stderr))
		return c.drop(pg)
	}
	pg.treat.keep = false
	if err := c.decode(ctx, pg); err != nil {
		return c.PassOver(err)
	}
	return c.bindPages(ctx, []*page{pg})
}

// drop removes the scratch files of a page.
func (c *converter) drop(pg *page) error {
	var errs []error
	for _, name := range append(pg.files, pg.original) {
		errs = append(errs, c.ScratchRemove(name))
	}
	return errors.Join(errs...)
}

// convertOne makes one picture of another format.
func convertOne(ctx context.Context, r *job.Job, p *tools.ImageConvert, n int, path string) (*job.Piece, error) {
	pg, err := pixels(ctx, r, n, path, p.DPI, 0)
	if err != nil {
		return nil, err
	}
	out := tools.ScratchName(n, "out."+p.Format)
	return &job.Piece{File: out, Suffix: tools.Suffix(p.Format), Seen: &pg.seen}, magick(ctx, r, pg, tools.MagickConvert(p, pg.original, pg.treat.coder, out), out)
}
