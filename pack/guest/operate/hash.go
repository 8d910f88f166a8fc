package operate

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"path"
	"path/filepath"
	"strings"
	"time"

	"piwork/pack/guest/operate/job"
	"piwork/pack/tools"
)

// errFull ends a walk when the answer is full.
var errFull = errors.New("the answer is full")

// hasher collects what file.hash reports.
type hasher struct {
	*job.Job
	params *tools.FileHash
	last   string // the last file that the answer is about
	before int    // inputs that were done before
}

// hash reports size and checksum of files, and of those in folders.
func hash(ctx context.Context, r *job.Job, p *tools.FileHash) error {
	h := &hasher{Job: r, params: p}
	for i, in := range r.Order.Tool.In {
		h.before = i
		err := h.input(ctx, in)
		if errors.Is(err, errFull) {
			r.AddProblem(tools.Problem(tools.MoreResults, h.last, ""))
			return nil
		}
		if err != nil {
			return err
		}
		r.Done(i+1, in)
	}
	return nil
}

func (h *hasher) input(ctx context.Context, in string) error {
	st, err := job.StatBeneath(in)
	switch {
	case err != nil:
		h.AddProblem(tools.InputProblem(in, err))
		return nil
	case !st.IsDir():
		if h.passed(in) {
			return nil
		}
		return h.file(ctx, in)
	case !h.params.Recursive:
		h.AddProblem(tools.Problem(tools.InputUnsupported, in, "a folder, and recursive is not set"))
		return nil
	}
	return filepath.WalkDir(in, func(p string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return h.PassBy(p, d, err)
		case d.IsDir() && p != in && h.passed(p) && !strings.HasPrefix(h.params.After, p+"/"):
			return fs.SkipDir
		case !d.Type().IsRegular() || h.passed(p):
			return nil
		}
		h.Looked(h.before, len(h.Order.Tool.In), p)
		return h.file(ctx, p)
	})
}

// passed reports whether an earlier answer had a path: whether it comes up to
// params.After in the order of the walk, name by name.
func (h *hasher) passed(p string) bool {
	if h.params.After == "" {
		return false
	}
	a, b := strings.Split(path.Clean(p), "/"), strings.Split(path.Clean(h.params.After), "/")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return len(a) <= len(b)
}

// file reports one file.
func (h *hasher) file(ctx context.Context, path string) error {
	if h.Full() {
		return errFull
	}
	h.last = path
	f, st, err := job.OpenInput(path, math.MaxInt64)
	if err != nil {
		return h.PassOver(err)
	}
	defer f.Close()
	info := tools.FileInfo{Path: path, Size: st.Size(), MTime: st.ModTime().UTC().Format(time.RFC3339Nano)}
	if !h.params.SizesOnly {
		sum, n, err := job.Digest(job.ContextReader{Ctx: ctx, R: f})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			h.AddProblem(tools.InputProblem(path, err))
			return nil
		}
		info.Size, info.SHA256 = n, sum
	}
	h.AddInfo(info)
	return nil
}
