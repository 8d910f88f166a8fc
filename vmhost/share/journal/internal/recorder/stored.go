package recorder

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal/internal/ledger"
	"piwork/vmhost/share/journal/internal/partial"
)

// ErrNoContent says that a change has no content on one side: what was created
// has none before, what was deleted none after, and only files have any.
var ErrNoContent = errors.New("there is no content on this side of the change")

// ErrChangedSince says that what the task left, or undo brought back, cannot be
// read any more: a person has changed it, moved it away or removed it.
var ErrChangedSince = errors.New("it was changed since")

// ErrNoImage says that the journal has not, or not all of, what was there.
var ErrNoImage = partial.ErrMissing

// Content is the content of a file on one side of a change. It stays readable
// while the task goes on and after an undo; only a person's change of a file
// that is not in the journal may be seen through it.
type Content struct {
	*io.SectionReader
	close func() error
}

// NewContent makes a Content of what lies somewhere else (vmhost/share/review).
func NewContent(r *io.SectionReader, close func() error) *Content { return &Content{r, close} }

// Close ends the use of the content.
func (c *Content) Close() error { return c.close() }

// Memory is content in memory.
func Memory(b []byte) *Content {
	return &Content{io.NewSectionReader(bytes.NewReader(b), 0, int64(len(b))), func() error { return nil }}
}

// FileContent is the first bytes of a file, which Close closes.
func FileContent(f *os.File, size int64) *Content {
	return &Content{io.NewSectionReader(f, 0, size), f.Close}
}

// Before opens what the journal has of the content of o before the task.
func (j *Recorder) Before(ctx context.Context, r *Roots, o *ledger.Object) (*Content, error) {
	if j.known(o).parts {
		return j.beforeParts(ctx, r, o)
	}
	j.Mu.Lock()
	defer j.Mu.Unlock()
	switch {
	case o.Image != nil && o.Image.Inline != nil:
		data := make([]byte, o.Image.Size)
		if _, err := j.File.ReadAt(data, o.Image.Inline.At); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrNoImage, err)
		}
		return Memory(data), nil
	case o.Image != nil:
		c, err := OpenStored(j.Image, ledger.StoreName(o.ID, o.Image.Gen))
		if err == nil && c.Size() != o.Image.Size {
			return nil, errors.Join(fmt.Errorf("%w: it has %d of %d bytes", ErrNoImage, c.Size(), o.Image.Size), c.Close())
		}
		return c, err
	case o.Ref != 0:
		return OpenStored(j.Refs, ledger.StoreName(o.ID, o.Ref))
	}
	return nil, ErrNoImage
}

// beforeParts puts the parts that are kept over the rest, which is in the file
// as long as nobody but the task changed that.
func (j *Recorder) beforeParts(ctx context.Context, r *Roots, o *ledger.Object) (*Content, error) {
	p, err := j.PartsOf(o)
	if err != nil {
		return nil, err
	}
	k := j.known(o)
	img, _, err := j.Image.Open(ledger.StoreName(o.ID, k.imageGen), os.O_RDONLY)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoImage, err)
	}
	over := partial.Overlay{P: p, Img: img}
	end := img.Close
	if !p.Has(partial.Everything) {
		var under *Content
		if k.ref != 0 {
			under, err = OpenStored(j.Refs, ledger.StoreName(o.ID, k.ref))
		} else {
			under, err = j.Present(ctx, r, o)
		}
		if err != nil {
			return nil, errors.Join(err, img.Close())
		}
		over.Under = under
		end = func() error { return errors.Join(img.Close(), under.Close()) }
	}
	return &Content{io.NewSectionReader(over, 0, p.Size), end}, nil
}

// Present opens o in the folder, when it is there as the task left it.
func (j *Recorder) Present(ctx context.Context, r *Roots, o *ledger.Object) (*Content, error) {
	j.Mu.Lock()
	dir, name, ok := j.Tables.Spot(o)
	rel := "."
	if ok {
		rel, ok = j.Tables.DirPath(dir)
	}
	want, live := j.Tables.After(o, nil), o.Touch == ledger.TouchOpen || o.Writers > 0
	root := r.Open[o.Folder]
	j.Mu.Unlock()
	if !ok || root == nil {
		return nil, ErrChangedSince
	}
	f, info, err := openIn(root, rel, name)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrChangedSince, err)
	}
	if now := ledger.StateOf(info); live && info.ID == o.Ident || now.Untouched(want) || now.SameData(want) && info.ID == o.Ident {
		return FileContent(f, info.Size), nil
	}
	return SameContent(ctx, f, info, want.Sum)
}

// OpenStored opens what the journal has in one of its directories.
func OpenStored(d *at.Dir, name string) (*Content, error) {
	f, info, err := OpenOwn(d, name, os.O_RDONLY)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoImage, err)
	}
	return FileContent(f, info.Size), nil
}

// OpenOwn opens a file that the journal may do anything with, which may be one that
// its owner is not to read or write.
func OpenOwn(d *at.Dir, name string, flag int) (*os.File, at.Info, error) {
	f, info, err := d.Open(name, flag)
	rights := uint32(0o400)
	if flag == os.O_RDWR {
		rights = 0o600
	}
	if errors.Is(err, os.ErrPermission) && d.Chmod(name, info.Mode|rights) == nil {
		f, info, err = d.Open(name, flag)
	}
	return f, info, err
}

// Stage makes a file with what fill writes, or none.
func Stage(d *at.Dir, name string, fill func(f *os.File) error) error {
	_ = d.Remove(name) // left by a crash
	f, _, err := d.Create(name, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if err = fill(f); err != nil {
		_ = d.Remove(name)
	}
	return err
}

// SumAt returns the hash of a file, and what it is.
func SumAt(ctx context.Context, d *at.Dir, name string) (string, at.Info, error) {
	f, info, err := d.Open(name, os.O_RDONLY)
	if err != nil {
		return "", info, err
	}
	defer f.Close()
	sum, err := Sum(ctx, f)
	return sum, info, err
}

// SameContent returns f when its content has this hash, and closes it else.
func SameContent(ctx context.Context, f *os.File, info at.Info, sum string) (*Content, error) {
	got, err := "", error(nil)
	if sum != "" {
		got, err = Sum(ctx, f)
	}
	if err == nil && (sum == "" || got != sum) {
		err = ErrChangedSince
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return FileContent(f, info.Size), nil
}

func openIn(root *at.Root, rel, name string) (*os.File, at.Info, error) {
	d, err := root.Dir(rel)
	if err != nil {
		return nil, at.Info{}, err
	}
	defer d.Close()
	f, info, err := d.Open(name, os.O_RDONLY)
	if err == nil && info.Kind != at.File {
		f.Close()
		err = ErrNoContent
	}
	return f, info, err
}
