package history

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"path"

	"piwork/app/changes"
	"piwork/app/problem"
	"piwork/vmhost/share/journal"
)

// CompareChange looks at what a change did to a file.
func (h *History) CompareChange(ctx context.Context, id, change string) (changes.Comparison, error) {
	var out changes.Comparison
	found := false
	err := h.withChanges(ctx, id, func(j Journal) error {
		what, err := findChange(ctx, j, change)
		if err != nil {
			return err
		}
		found = true
		out, err = changes.Compare(ctx, what, func(ctx context.Context, side changes.Which) (changes.Content, error) {
			return j.Content(ctx, change, side)
		}, changes.Limits{})
		return err
	})
	switch {
	case err != nil:
		return changes.Comparison{}, err
	case !found:
		return out, problem.New(problem.CodeNotFound).With("change", change)
	}
	return out, nil
}

// OpenChange opens what a file held on one side of a change.
func (h *History) OpenChange(ctx context.Context, id, change string, side changes.Which) (io.ReadSeekCloser, ChangeFile, error) {
	if side != changes.Before && side != changes.After {
		return nil, ChangeFile{}, problem.BadRequest("side", "%q is none", side)
	}
	var content changes.Content
	var what journal.Change
	err := h.withChanges(ctx, id, func(j Journal) (err error) {
		if what, err = findChange(ctx, j, change); err != nil {
			return err
		}
		if content, err = j.Content(ctx, change, side); err != nil {
			return contentProblem(err)
		}
		if what.Staged { // it is readable only while its layer is open
			content, err = h.spool(ctx, content)
		}
		return err
	})
	if errors.Is(err, errLeft) {
		return nil, ChangeFile{}, err
	}
	if err == nil && content == nil {
		err = problem.New(problem.CodeNotFound).With("change", change)
	}
	if err != nil {
		if content != nil {
			_ = content.Close() // it was not read
		}
		return nil, ChangeFile{}, err
	}
	name, state := what.Path, what.After
	if side == changes.Before {
		name, state = cmp.Or(what.From, what.Path), what.Before
	}
	f := &changeContent{SectionReader: io.NewSectionReader(content, 0, content.Size()), content: content}
	head := make([]byte, 512)
	n, err := f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		_ = f.Close() // it cannot be read
		return nil, ChangeFile{}, problem.From(err)
	}
	file := ChangeFile{Name: path.Base(name), Size: content.Size(), Type: changes.ImageType(head[:n])}
	if state != nil {
		file.Sum = state.SHA256
	}
	return f, file, nil
}

// spool copies a content to a file of its own and closes it.
func (h *History) spool(ctx context.Context, from changes.Content) (changes.Content, error) {
	defer from.Close()
	tmp, err := os.CreateTemp(h.o.Spool, "content-")
	if err != nil {
		return nil, err
	}
	out := &spooled{File: tmp}
	for err == nil && ctx.Err() == nil {
		var n int64
		n, err = io.CopyN(tmp, io.NewSectionReader(from, out.size, from.Size()-out.size), 8<<20)
		out.size += n
	}
	if errors.Is(err, io.EOF) {
		return out, nil
	}
	_ = out.Close() // of no use
	return nil, errors.Join(err, context.Cause(ctx))
}

// spooled is a file that goes when it is closed.
type spooled struct {
	*os.File
	size int64
}

func (s *spooled) Size() int64 { return s.size }

func (s *spooled) Close() error { return errors.Join(s.File.Close(), os.Remove(s.Name())) }

// changeContent is a content as a file.
type changeContent struct {
	*io.SectionReader
	content changes.Content
}

func (c *changeContent) Close() error { return c.content.Close() }

// contentProblem says why there is no content.
func contentProblem(err error) error {
	switch {
	case errors.Is(err, changes.ErrGone):
		return problem.New(problem.CodeChangedSince).By("meanwhile").Because(err)
	case errors.Is(err, changes.ErrNotKept):
		return problem.New(problem.CodeNotFound).Because(err)
	}
	return err
}
