package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal/internal/ledger"
	"piwork/vmhost/share/journal/internal/partial"
)

// Side says which content of a change is wanted.
type Side string

// Sides of a change.
const (
	Before Side = "before" // as the person had it
	After  Side = "after"  // as the task left it
)

// ErrNoContent says that a change has no content on one side: what was created
// has none before, what was deleted none after, and only files have any.
var ErrNoContent = errors.New("there is no content on this side of the change")

// ErrChangedSince says that what the task left, or undo brought back, cannot be
// read any more: a person has changed it, moved it away or removed it.
var ErrChangedSince = errors.New("it was changed since")

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

func memory(b []byte) *Content {
	return &Content{io.NewSectionReader(bytes.NewReader(b), 0, int64(len(b))), func() error { return nil }}
}

func fileContent(f *os.File, size int64) *Content {
	return &Content{io.NewSectionReader(f, 0, size), f.Close}
}

// Content opens the content of a file before or after a change, for showing it:
// of a change in the list, and of one that was undone. What is not in the
// journal is read from the folder when it is there as it should be, and is
// ErrChangedSince otherwise. The caller closes it.
func (j *Journal) Content(ctx context.Context, id string, side Side) (*Content, error) {
	j.undoMu.Lock()
	defer j.undoMu.Unlock()
	if err := j.settled(ctx); err != nil {
		return nil, err
	}
	r := j.openRoots()
	defer r.close()
	j.mu.Lock()
	if j.closed {
		j.mu.Unlock()
		return nil, ErrClosed
	}
	n := j.tables.Find(id)
	c, undone := j.tables.Undone[id]
	k := j.tables.Keeps[id]
	var other *ledger.Object // of which the change was a further name
	if k != nil && c.Effect == EffectCreate {
		other = j.tables.Objects[k.Obj]
		if as := j.tables.Keeps["o"+strconv.Itoa(int(k.Obj))]; as != nil && as.Has {
			k, other = as, nil // whose content was undone, too
		}
	}
	j.mu.Unlock()
	switch {
	case n != nil && side == Before:
		return j.contentBefore(ctx, r, n)
	case n != nil:
		return j.contentAfter(ctx, r, n)
	case undone && side == Before:
		return j.contentRestored(ctx, r, c)
	case undone && k != nil && k.Has:
		return j.keptContent(k, func() (*Content, error) { return j.contentRestored(ctx, r, c) })
	case undone && other != nil:
		return j.present(ctx, r, other)
	case undone && k != nil && !k.Has && !k.Lost && c.Effect != EffectCreate && c.After != nil:
		return j.contentRestored(ctx, r, c) // its content was never another
	case undone && c.After == nil, undone && c.Kind != at.File.String():
		return nil, ErrNoContent
	case undone:
		return nil, ErrNoImage
	}
	return nil, fmt.Errorf("%w: %q", ErrUnknownChange, id)
}

func (j *Journal) contentBefore(ctx context.Context, r *roots, n *ledger.Step) (*Content, error) {
	o := n.Object
	if o == nil || o.Kind != at.File {
		return nil, ErrNoContent
	}
	j.mu.Lock()
	kept := o.Image != nil || o.Ref != 0
	j.mu.Unlock()
	if kept {
		return j.before(ctx, r, o)
	}
	return j.present(ctx, r, o)
}

// before opens what the journal has of the content of o before the task.
func (j *Journal) before(ctx context.Context, r *roots, o *ledger.Object) (*Content, error) {
	if j.known(o).parts {
		return j.beforeParts(ctx, r, o)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case o.Image != nil && o.Image.Inline != nil:
		data := make([]byte, o.Image.Size)
		if _, err := j.file.ReadAt(data, o.Image.Inline.At); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrNoImage, err)
		}
		return memory(data), nil
	case o.Image != nil:
		c, err := openStored(j.image, ledger.StoreName(o.ID, o.Image.Gen))
		if err == nil && c.Size() != o.Image.Size {
			return nil, errors.Join(fmt.Errorf("%w: it has %d of %d bytes", ErrNoImage, c.Size(), o.Image.Size), c.Close())
		}
		return c, err
	case o.Ref != 0:
		return openStored(j.refs, ledger.StoreName(o.ID, o.Ref))
	}
	return nil, ErrNoImage
}

// beforeParts puts the parts that are kept over the rest, which is in the file
// as long as nobody but the task changed that.
func (j *Journal) beforeParts(ctx context.Context, r *roots, o *ledger.Object) (*Content, error) {
	p, err := j.partsOf(o)
	if err != nil {
		return nil, err
	}
	k := j.known(o)
	img, _, err := j.image.Open(ledger.StoreName(o.ID, k.imageGen), os.O_RDONLY)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoImage, err)
	}
	over := partial.Overlay{P: p, Img: img}
	end := img.Close
	if !p.Has(partial.Everything) {
		var under *Content
		if k.ref != 0 {
			under, err = openStored(j.refs, ledger.StoreName(o.ID, k.ref))
		} else {
			under, err = j.present(ctx, r, o)
		}
		if err != nil {
			return nil, errors.Join(err, img.Close())
		}
		over.Under = under
		end = func() error { return errors.Join(img.Close(), under.Close()) }
	}
	return &Content{io.NewSectionReader(over, 0, p.Size), end}, nil
}

func openStored(d *at.Dir, name string) (*Content, error) {
	f, info, err := openOwn(d, name, os.O_RDONLY)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoImage, err)
	}
	return fileContent(f, info.Size), nil
}

// openOwn opens a file that the journal may do anything with, which may be one that
// its owner is not to read or write.
func openOwn(d *at.Dir, name string, flag int) (*os.File, at.Info, error) {
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

// stage makes a file with what fill writes, or none.
func stage(d *at.Dir, name string, fill func(f *os.File) error) error {
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

// sumAt returns the hash of a file, and what it is.
func sumAt(ctx context.Context, d *at.Dir, name string) (string, at.Info, error) {
	f, info, err := d.Open(name, os.O_RDONLY)
	if err != nil {
		return "", info, err
	}
	defer f.Close()
	sum, err := Sum(ctx, f)
	return sum, info, err
}

func (j *Journal) contentAfter(ctx context.Context, r *roots, n *ledger.Step) (*Content, error) {
	if n.Change.After == nil || n.Change.Kind != at.File.String() {
		return nil, ErrNoContent
	}
	o := n.Object
	if n.Remove != nil {
		j.mu.Lock()
		o = n.Remove.Cur
		j.mu.Unlock()
	}
	if o == nil {
		return nil, ErrChangedSince
	}
	return j.present(ctx, r, o)
}

// present opens o in the folder, when it is there as the task left it.
func (j *Journal) present(ctx context.Context, r *roots, o *ledger.Object) (*Content, error) {
	j.mu.Lock()
	dir, name, ok := j.tables.Spot(o)
	rel := "."
	if ok {
		rel, ok = j.tables.DirPath(dir)
	}
	want, live := j.tables.After(o, nil), o.Touch == ledger.TouchOpen || o.Writers > 0
	root := r.open[o.Folder]
	j.mu.Unlock()
	if !ok || root == nil {
		return nil, ErrChangedSince
	}
	f, info, err := openIn(root, rel, name)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrChangedSince, err)
	}
	if now := ledger.StateOf(info); live && info.ID == o.Ident || now.Untouched(want) || now.SameData(want) && info.ID == o.Ident {
		return fileContent(f, info.Size), nil
	}
	return sameContent(ctx, f, info, want.Sum)
}

// contentRestored opens what an undo brought back.
func (j *Journal) contentRestored(ctx context.Context, r *roots, c Change) (*Content, error) {
	if c.Before == nil || c.Kind != at.File.String() {
		return nil, ErrNoContent
	}
	rel := c.Path
	if c.From != "" {
		rel = c.From
	}
	j.mu.Lock()
	root := r.open[j.tables.Folders[c.Folder]]
	j.mu.Unlock()
	if root == nil {
		return nil, ErrChangedSince
	}
	d, name, err := root.Split(rel)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrChangedSince, err)
	}
	defer d.Close()
	f, info, err := d.Open(name, os.O_RDONLY)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrChangedSince, err)
	}
	if info.Size == c.Before.Size && info.MTime.Equal(c.Before.MTime) {
		return fileContent(f, info.Size), nil
	}
	return sameContent(ctx, f, info, c.Before.SHA256)
}

// sameContent returns f when its content has this hash, and closes it else.
func sameContent(ctx context.Context, f *os.File, info at.Info, sum string) (*Content, error) {
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
	return fileContent(f, info.Size), nil
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
