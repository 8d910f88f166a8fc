package operate

import (
	"context"
	"io"

	"piwork/pack/guest/operate/job"
	"piwork/pack/tools"
)

// archiveInfo is archive.info.
func archiveInfo(ctx context.Context, r *job.Job, p *tools.ArchiveInfoOf) error {
	return r.ReportEach(ctx, func(ctx context.Context, _ int, path string) (any, error) {
		a, err := openArchive(ctx, path, p.Password)
		if err != nil {
			return nil, err
		}
		defer a.file.Close()
		return a.info(ctx)
	})
}

// info counts what archive.extract would make. Sizes that each entry declares are
// believed: nothing larger is unpacked (see [archive.copy]). A single compressed file
// declares none and is unpacked to be counted.
func (a *archive) info(ctx context.Context) (any, error) {
	info := tools.ArchiveInfo{Path: a.path}
	err := a.entries(ctx, func(e entry) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case e.Unsafe:
			info.LeftOut++
			return nil
		case e.Kind == "folder":
			info.Folders++
			return nil
		}
		n := e.ArchiveEntry.Size
		if n < 0 {
			from, err := e.open()
			if err != nil {
				return err
			}
			defer from.Close()
			before := a.left
			if err := a.copy(ctx, io.Discard, e, from); err != nil {
				return err
			}
			n = before - a.left
		} else if a.left -= n; a.left < 0 {
			return errBomb
		}
		info.Files++
		info.Bytes += n
		if e.packed > 0 {
			info.Times = max(info.Times, n/e.packed)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := a.rewind(); err != nil {
		return nil, job.RefuseInput(a.path, err)
	}
	sum, size, err := job.Digest(job.ContextReader{Ctx: ctx, R: a.file})
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, job.RefuseInput(a.path, err)
	}
	info.Size, info.SHA256 = size, sum
	info.Times = max(info.Times, info.Bytes/max(size, 1))
	return info, nil
}
