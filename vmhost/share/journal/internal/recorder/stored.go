package recorder

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/internal/spans"
	"piwork/vmhost/share/journal/internal/ledger"
	"piwork/vmhost/share/journal/internal/partial"
)

// ErrNoContent says that a change has no content on one side: a created file has none
// before, a deleted one none after, and directories and links have none at all.
var ErrNoContent = errors.New("there is no content on this side of the change")

// ErrChangedSince says that what the task left, or undo brought back, cannot be
// read any more: a person has changed it, moved it away or removed it.
var ErrChangedSince = errors.New("it was changed since")

// ErrNoImage says that the before-image of a file is missing or incomplete.
var ErrNoImage = partial.ErrMissing

// Content is the content of a file on one side of a change. It stays readable
// while the task goes on and after an undo; only a person's change of a file
// that is not in the journal may be seen through it.
type Content struct {
	*io.SectionReader
	file  *os.File // that has it, if one does, or those parts of it that are kept
	rest  *Content // what has the others
	close func() error
}

// NewContent makes a Content of what lies somewhere else (vmhost/share/review).
func NewContent(r *io.SectionReader, close func() error) *Content {
	return &Content{SectionReader: r, close: close}
}

// Close ends the use of the content.
func (c *Content) Close() error { return c.close() }

// hollow reports whether it is mostly holes, so that it is not to be hashed.
func (c *Content) hollow() bool {
	switch {
	case c.file == nil:
		return false
	case c.rest != nil && c.rest.file != nil:
		return at.Hollow(c.Size(), c.file, c.rest.file)
	}
	return at.Hollow(c.Size(), c.file)
}

// Data returns the parts of it that somebody wrote, nil for all.
func (c *Content) Data() spans.Set {
	if c.file == nil || !c.hollow() {
		return nil
	}
	return at.Data(c.file, 0, c.Size())
}

// FileContent is the first bytes of a file, which Close closes.
func FileContent(f *os.File, size int64) *Content {
	return &Content{SectionReader: io.NewSectionReader(f, 0, size), file: f, close: f.Close}
}

// Stored is content that the journal keeps: behind a record of its log, or in a file of
// images/ or refs/, which has all of it or the parts that were about to change.
type Stored struct {
	j     *Recorder
	in    *ledger.Inline // where it is in the log; nil: it is in a file
	dir   *at.Dir
	name  string
	sum   string          // SHA-256 of what is in the log; "" where nobody knows
	size  int64           // how long the content is, -1 where nobody knows
	parts **partial.Image // of content in parts, those that were read; guarded by Recorder.Mu
}

// Kept returns what is kept of the content that o had before the task: an image, and
// the file itself. Both may be nil.
func (j *Recorder) Kept(o *ledger.Object) (image, ref *Stored) {
	j.Mu.Lock()
	defer j.Mu.Unlock()
	if img := o.Image; img != nil {
		image = &Stored{j: j, in: img.Inline, sum: img.Sum, dir: j.Image, name: ledger.StoreName(o.ID, img.Gen), size: img.Size}
		if img.Parts {
			image.parts = &img.Loaded
		}
	}
	if o.Ref != 0 {
		ref = &Stored{j: j, dir: j.Refs, name: ledger.StoreName(o.ID, o.Ref), size: -1}
	}
	return image, ref
}

// Check reports whether the content is there in its full length.
func (s *Stored) Check() error {
	c, err := s.Open(nil)
	if err == nil {
		err = c.Close()
	}
	return err
}

// Parts returns which parts are kept, reading their file when that was not done yet.
func (s *Stored) Parts() (*partial.Image, error) {
	if s == nil || s.parts == nil {
		return nil, ErrNoImage
	}
	s.j.Mu.Lock()
	p := *s.parts
	s.j.Mu.Unlock()
	if p != nil {
		return p, nil
	}
	f, _, err := s.dir.Open(s.name, os.O_RDONLY)
	if err == nil {
		defer f.Close()
		p, err = partial.Read(f)
	}
	if err != nil || s.size >= 0 && p.Size != s.size {
		return nil, errors.Join(ErrNoImage, err)
	}
	s.j.Mu.Lock()
	defer s.j.Mu.Unlock()
	if *s.parts == nil {
		*s.parts = p
	}
	return *s.parts, nil
}

// Whole reports whether nothing of the content is in the file itself.
func (s *Stored) Whole() bool {
	p, err := s.Parts()
	return s.parts == nil || err == nil && p.Has(partial.Everything)
}

// Open opens the content. What is not among its parts is read from what under opens:
// it is in the file itself. Without under such a read fails.
func (s *Stored) Open(under func() (*Content, error)) (*Content, error) {
	if s.in != nil {
		data := make([]byte, s.size)
		s.j.Mu.Lock()
		_, err := s.j.File.ReadAt(data, s.in.At)
		s.j.Mu.Unlock()
		if err != nil && s.size > 0 {
			return nil, fmt.Errorf("%w: %w", ErrNoImage, err)
		}
		if s.sum != "" && s.sum != SumOf(data) {
			return nil, fmt.Errorf("%w: something else stands in the log", ErrNoImage)
		}
		return NewContent(io.NewSectionReader(bytes.NewReader(data), 0, s.size), func() error { return nil }), nil
	}
	f, info, err := OpenOwn(s.dir, s.name, os.O_RDONLY)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoImage, err)
	}
	c := FileContent(f, info.Size)
	if s.parts != nil {
		err = s.overlay(c, under)
	} else if s.size >= 0 && info.Size != s.size {
		err = fmt.Errorf("%w: it has %d of %d bytes", ErrNoImage, info.Size, s.size)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return c, nil
}

// overlay makes c, the parts, the whole.
func (s *Stored) overlay(c *Content, under func() (*Content, error)) error {
	p, err := s.Parts()
	if err != nil {
		return err
	}
	over := partial.Overlay{P: p, Img: c.file}
	if under != nil && !p.Has(partial.Everything) {
		rest, err := under()
		if err != nil {
			return err
		}
		over.Under, c.rest = rest, rest
		c.close = func() error { return errors.Join(c.file.Close(), rest.Close()) }
	}
	c.SectionReader = io.NewSectionReader(over, 0, p.Size)
	return nil
}

// WriteTo makes the content that of f, an empty file or, for parts, one that has the
// rest. After an interruption it is called again for the same file. Content with a checksum is compared
// with it, unless Verify did that; parts are for Verify alone.
func (s *Stored) WriteTo(f *os.File, verified bool) error {
	c, err := s.Open(nil)
	if err != nil {
		return err
	}
	defer c.Close()
	if s.parts != nil {
		p, err := s.Parts()
		if err != nil {
			return err
		}
		return p.ApplyTo(f, c.file)
	}
	sum := s.sum
	if verified || s.in != nil { // content of the log was compared when it was opened
		sum = ""
	}
	switch {
	case c.file == nil:
		return c.CopyTo(f, sum)
	case at.Clone(f, c.file) == nil:
		return sameSum(sum, c.file)
	case sum != "":
		return c.CopyTo(f, sum)
	}
	_, err = at.CopyData(context.Background(), f, c.file, math.MaxInt64, nil)
	return err
}

// Before opens what the journal has of the content of o before the task. What is not
// among its parts is in the file as long as nobody but the task changed that.
func (j *Recorder) Before(ctx context.Context, r *Roots, o *ledger.Object) (*Content, error) {
	switch image, ref := j.Kept(o); {
	case image != nil:
		return image.Open(func() (*Content, error) {
			if ref != nil {
				return openRef(j, o, ref)
			}
			return j.Present(ctx, r, o)
		})
	case ref != nil:
		return openRef(j, o, ref)
	}
	return nil, ErrNoImage
}

// NeedsFile reports whether what o had before is known only together with the file in the folder.
func (j *Recorder) NeedsFile(o *ledger.Object) bool {
	image, ref := j.Kept(o)
	return image != nil && ref == nil && !image.Whole()
}

// BeforeAt is Before for a file that a person has moved to another path of its folder.
func (j *Recorder) BeforeAt(ctx context.Context, r *Roots, o *ledger.Object, rel string) (*Content, error) {
	image, _ := j.Kept(o)
	if image == nil {
		return nil, ErrNoImage
	}
	return image.Open(func() (*Content, error) { return j.presentAt(ctx, r, o, rel) })
}

// openRef opens the file itself that the journal keeps of o, unless a person changed it
// through another name.
func openRef(j *Recorder, o *ledger.Object, ref *Stored) (*Content, error) {
	info, err := ref.dir.Lstat(ref.name)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoImage, err)
	}
	j.Mu.Lock()
	base, after := o.Base, j.Tables.After(o, nil)
	j.Mu.Unlock()
	if now := ledger.StateOf(info); info.NLink > 1 && !now.SameData(base) && !now.SameData(after) {
		return nil, ErrChangedSince
	}
	return ref.Open(nil)
}

// Present opens o in the folder, when it is there as the task left it.
func (j *Recorder) Present(ctx context.Context, r *Roots, o *ledger.Object) (*Content, error) {
	j.Mu.Lock()
	dir, name, ok := j.Tables.Spot(o)
	rel := j.Tables.PathOf(dir, name)
	j.Mu.Unlock()
	if !ok {
		return nil, ErrChangedSince
	}
	return j.presentAt(ctx, r, o, rel)
}

func (j *Recorder) presentAt(ctx context.Context, r *Roots, o *ledger.Object, rel string) (*Content, error) {
	j.Mu.Lock()
	want, live := j.Tables.After(o, nil), o.Touch == ledger.TouchOpen || o.Writers > 0
	root := r.Open[o.Folder]
	j.Mu.Unlock()
	return OpenSame(ctx, root, rel, want.Size, want.Sum, func(info at.Info) bool {
		now := ledger.StateOf(info)
		return live && info.ID == o.Ident || now.Untouched(want) || now.SameData(want) && info.ID == o.Ident
	})
}

// OpenSame opens a file of a folder that is the same as it was, or has this length and hash.
func OpenSame(ctx context.Context, root *at.Root, rel string, size int64, sum string, same func(at.Info) bool) (*Content, error) {
	if root == nil {
		return nil, ErrChangedSince
	}
	f, info, err := openIn(root, rel)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrChangedSince, err)
	}
	c := FileContent(f, info.Size)
	if same(info) {
		return c, nil
	}
	got, err := "", error(nil)
	if sum != "" && info.Size == size {
		got, err = Sum(ctx, f)
	}
	if err == nil && (sum == "" || got != sum) {
		err = ErrChangedSince
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return c, nil
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

// Stage makes a file with what fill writes, or none. fill also hears what the file was when it was new.
func Stage(d *at.Dir, name string, fill func(f *os.File, was at.Info) error) error {
	f, was, err := d.Create(name, 0o600)
	if errors.Is(err, fs.ErrExist) { // left by a crash, or made by a guest that saw an undo at work
		if d.Remove(name) != nil {
			_ = d.RemoveDir(name)
		}
		f, was, err = d.Create(name, 0o600)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if err = fill(f, was); err != nil {
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

func openIn(root *at.Root, rel string) (*os.File, at.Info, error) {
	d, name, err := root.Split(rel)
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
