package operate

import (
	"context"
	"errors"
	"fmt"
	"os"

	"piwork/pack/tools"
	"piwork/pack/tools/picture"
	"piwork/vmhost/wire"
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
	*run
	params *tools.ImageConvert
	batch  []*page
	bytes  int64
	parts  []string // scratch names of PDFs
	bound  int      // parts that img2pdf was asked for
}

// convert is image.convert.
func (r *run) convert(ctx context.Context, p *tools.ImageConvert) error {
	if p.Format != tools.FormatPDF {
		return r.each(ctx, p.Each, tools.Suffix(p.Format), func(ctx context.Context, n int, path string) (*piece, *wire.ToolProblem, error) {
			return r.convertOne(ctx, p, n, path)
		})
	}
	to := r.placer(p.Replace)
	if err := to.probe(); err != nil {
		return err
	}
	c := &converter{run: r, params: p}
	for n, path := range r.order.Tool.In {
		pg, problem, err := c.prepare(ctx, n, path)
		if err != nil {
			return err
		}
		if problem != nil {
			r.problem(*problem)
		} else if err := c.add(ctx, pg); err != nil {
			return err
		}
		r.done(n+1, path)
	}
	if err := c.bind(ctx); err != nil {
		return err
	}
	if len(c.parts) == 0 {
		return nil
	}
	return r.merge(ctx, c.parts, to)
}

func (r *run) placer(replace bool) placer { return r.placerAt(r.order.Tool.Out, replace) }

func (r *run) placerAt(target string, replace bool) placer {
	return placer{target: target, replace: replace, placing: func(part string) { r.send(Event{Placing: &part}) }}
}

// copyIn reads a picture into scratch.
func (r *run) copyIn(ctx context.Context, n int, from *source) (*page, *wire.ToolProblem, error) {
	raw := tools.ScratchName(n, "in")
	f, err := r.scratchCreate(raw)
	if err != nil {
		return nil, nil, err
	}
	s, problem, err := readPicture(ctx, from, f)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil || problem != nil {
		return nil, problem, errors.Join(err, r.scratchRemove(raw))
	}
	t := treat(s.info)
	pg := &page{n: n, path: from.path, original: tools.ScratchName(n, t.suffix), treat: t, info: s.info, bytes: s.Size, seen: s.ImageInfo}
	return pg, nil, r.scratchRename(raw, pg.original)
}

// prepare makes a picture ready for img2pdf, or a drawing or PDF a part.
func (c *converter) prepare(ctx context.Context, n int, path string) (*page, *wire.ToolProblem, error) {
	from, problem := openSource(ctx, path)
	if problem != nil {
		return nil, problem, nil
	}
	defer from.close()
	d, problem, err := c.drawing(ctx, n, from)
	if err != nil || problem != nil {
		return nil, problem, err
	}
	if d != nil {
		problem, err := c.vector(ctx, d)
		return &page{n: n, path: path, part: d.name, original: d.name, seen: d.seen}, problem, err
	}
	pg, problem, err := c.copyIn(ctx, n, from)
	if err != nil || problem != nil {
		return nil, problem, err
	}
	if pg.treat.keep {
		if pg.info.Format == picture.JPEG {
			if err := cutJPEG(c.scratch(pg.original), pg.info); err != nil {
				return nil, nil, err
			}
		}
		pg.files = []string{pg.original}
		return pg, nil, nil
	}
	problem, err = c.decode(ctx, pg)
	return pg, problem, err
}

// cutJPEG makes the copy hold this one picture: phones append videos, and
// further pictures that would become pages.
func cutJPEG(file string, info picture.Info) error {
	f, _, err := openScratch(file, os.O_WRONLY)
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
func (c *converter) decode(ctx context.Context, pg *page) (*wire.ToolProblem, error) {
	pg.files, pg.bytes = nil, 0
	for frame := range pages(pg.info) {
		suffix := "png"
		if pg.treat.lossy {
			suffix = "jpg"
		}
		out := tools.ScratchName(pg.n, fmt.Sprintf("p%04d.%s", frame, suffix))
		argv := tools.MagickPage(c.params, pg.original, pg.treat.coder, out, pg.treat.lossy, frame)
		problem, err := c.magick(ctx, pg, argv, out)
		if err != nil || problem != nil {
			return problem, errors.Join(err, c.drop(pg))
		}
		pg.files = append(pg.files, out)
		size, err := c.scratchSize(out)
		if err != nil {
			return nil, err
		}
		pg.bytes += size
	}
	return nil, nil
}

// magick runs ImageMagick on one input.
func (r *run) magick(ctx context.Context, pg *page, argv []string, out string) (*wire.ToolProblem, error) {
	end, err := r.exec(ctx, argv)
	if err != nil {
		return nil, err
	}
	if _, serr := r.scratchSize(out); end.ExitCode == 0 && serr == nil {
		return nil, nil
	}
	otherwise := tools.InputBroken
	if pg.treat.rare {
		otherwise = tools.InputUnsupported
	}
	code := end.Code(otherwise)
	if code == tools.DiskFull {
		return nil, programError(argv, end)
	}
	p := tools.Problem(code, pg.path, end.Stderr)
	return &p, nil
}

// add takes a page up and binds what is enough.
func (c *converter) add(ctx context.Context, pg *page) error {
	if pg.part != "" {
		if err := c.bind(ctx); err != nil {
			return err
		}
		c.parts = append(c.parts, pg.part)
		c.report(pg.seen)
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
	end, err := c.exec(ctx, argv)
	if err != nil {
		return err
	}
	if end.ExitCode == 0 {
		c.parts = append(c.parts, part)
		for _, pg := range batch {
			c.report(pg.seen)
			if err := c.drop(pg); err != nil {
				return err
			}
		}
		return nil
	}
	if err := c.scratchRemove(part); err != nil {
		return err
	}
	if end.Code("") == tools.DiskFull {
		return programError(argv, end)
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
		c.problem(tools.Problem(end.Code(tools.InputBroken), pg.path, end.Stderr))
		return c.drop(pg)
	}
	pg.treat.keep = false
	problem, err := c.decode(ctx, pg)
	if err != nil {
		return err
	}
	if problem != nil {
		c.problem(*problem)
		return nil
	}
	return c.bindPages(ctx, []*page{pg})
}

// drop removes the scratch files of a page.
func (c *converter) drop(pg *page) error {
	var errs []error
	for _, name := range append(pg.files, pg.original) {
		errs = append(errs, c.scratchRemove(name))
	}
	return errors.Join(errs...)
}

// convertOne makes one picture of another format.
func (r *run) convertOne(ctx context.Context, p *tools.ImageConvert, n int, path string) (*piece, *wire.ToolProblem, error) {
	pg, problem, err := r.pixels(ctx, n, path, p.DPI, 0)
	if err != nil || problem != nil {
		return nil, problem, err
	}
	out := tools.ScratchName(n, "out."+p.Format)
	problem, err = r.magick(ctx, pg, tools.MagickConvert(p, pg.original, pg.treat.coder, out), out)
	return &piece{file: out, suffix: tools.Suffix(p.Format), seen: &pg.seen}, problem, err
}

// finish places a scratch file as the result.
func (r *run) finish(ctx context.Context, name string, to placer) error {
	f, err := to.place(ctx, r.scratch(name))
	if err != nil {
		return err
	}
	r.hasMade(f)
	return nil
}
