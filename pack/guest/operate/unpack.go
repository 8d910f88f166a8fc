package operate

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"strconv"
	"syscall"

	"piwork/pack/guest/operate/job"
	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

// archiveExtract is archive.extract.
func archiveExtract(ctx context.Context, r *job.Job, p *tools.ArchiveExtract) error {
	in := r.Order.Tool.In[0]
	a, err := openArchive(ctx, in, p.Password)
	if err != nil {
		return err
	}
	defer a.file.Close()
	dir, err := r.OpenWhole(p.Replace)
	if err != nil {
		return err
	}
	x := &extraction{Job: r, a: a, dir: dir}
	err = a.entries(ctx, func(e entry) error { return x.take(ctx, e) })
	if err == nil {
		r.Done(1, in)
	} else if err := r.PassOver(err); err != nil {
		return dir.End(err)
	}
	if more := x.made.LeftOut - x.told; more > 0 {
		r.AddProblem(wire.ToolProblem{Code: tools.EntryLeftOut, Path: in, Cause: tools.EntryMore, Detail: strconv.Itoa(more)})
	}
	r.AddInfo(x.made)
	return dir.End(nil)
}

// extraction is an archive.extract under way.
type extraction struct {
	*job.Job
	a    *archive
	dir  *job.Folder
	made tools.ArchiveMade
	told int // problems of single entries
}

// leave leaves an entry out.
func (x *extraction) leave(e entry, cause, detail string) {
	const most = 50
	x.made.LeftOut++
	if x.told < most {
		x.told++
		p := tools.Problem(tools.EntryLeftOut, x.a.path, detail)
		p.Entry, p.Cause = job.Bounded(e.Path), cause
		x.AddProblem(p)
	}
}

// refusal is why archive.extract leaves an unsafe entry out.
func (e entry) refusal() string {
	switch {
	case e.name == "":
		return e.bad
	case e.Kind == "link":
		return tools.EntryLink
	}
	return tools.EntrySpecial
}

func (x *extraction) take(ctx context.Context, e entry) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	switch {
	case e.Unsafe:
		x.leave(e, e.refusal(), "")
		return nil
	case e.Kind == "folder":
		x.made.Folders++
		return x.blocked(e, x.dir.Enter(e.name))
	}
	if err := x.dir.Enter(path.Dir(e.name)); err != nil {
		return x.blocked(e, err)
	}
	from, err := e.open()
	if err != nil {
		return err
	}
	defer from.Close()
	to := x.dir.At(x.dir.Unique(e.name))
	to.Many, to.Time = true, e.ModTime()
	f, err := to.Write(func(w io.Writer) error {
		return x.a.copy(ctx, w, e, from)
	})
	if err != nil {
		return x.blocked(e, err)
	}
	x.made.Files++
	x.made.Bytes += f.Size
	if !x.Full() {
		x.AddResult(f)
		x.made.Listed++
	}
	return nil
}

// blocked leaves an entry out whose place is taken, or whose name is none here: it is
// too long, or has what the person's file system does not take.
func (x *extraction) blocked(e entry, err error) error {
	switch {
	case errors.Is(err, fs.ErrExist):
		x.leave(e, tools.EntryTaken, "")
	case errors.Is(err, syscall.ENAMETOOLONG), errors.Is(err, syscall.EINVAL), errors.Is(err, syscall.EILSEQ):
		x.leave(e, tools.EntryName, err.Error())
	default:
		return err
	}
	return nil
}
