package recorder

import (
	"bytes"
	"context"
	"errors"
	"io"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/internal/spans"
	"piwork/vmhost/share/journal/internal/ledger"
	"piwork/vmhost/share/journal/internal/partial"
)

// A program that dies while it writes leaves no record of what it wrote. Its caller knows that, and
// the journal knows what was there before: the content of the file tells whose it is.

// IsHalf reports whether the file at rel has nothing in it but what was there before and what the caller
// was writing into it: content, of which it has the spans in known. In a file that is kept in parts
// nothing is looked at that is not kept: it was not written into.
func (f *Folder) IsHalf(ctx context.Context, rel string, content io.ReaderAt, known spans.Set) (bool, error) {
	if f.Rec == nil {
		return false, nil
	}
	file, info, err := openIn(f.root, rel)
	if err != nil {
		return false, err
	}
	defer file.Close()
	j := f.Rec.J
	j.Mu.Lock()
	o := f.Rec.met(info)
	j.Mu.Unlock()
	if o == nil || o.Image == nil {
		return false, nil
	}
	image, _ := j.Kept(o)
	before, err := image.Open(nil)
	if err != nil {
		return false, err
	}
	defer before.Close()
	list := spans.Set{{End: info.Size}}
	if o.Image.Parts {
		p, err := image.Parts()
		if err != nil {
			return false, err
		}
		list = p.Covered()
		list.Add(partial.Span{Off: p.Size, End: max(p.Size, info.Size)})
	}
	for _, s := range list {
		s.End = min(s.End, info.Size)
		for _, x := range known.Missing(s) {
			if !Pieces(ctx, file, x, before) {
				return false, ctx.Err()
			}
		}
		for _, k := range known {
			x := spans.Span{Off: max(k.Off, s.Off), End: min(k.End, s.End)}
			if x.Off < x.End && !Pieces(ctx, file, x, before, content) {
				return false, ctx.Err()
			}
		}
	}
	return true, nil
}

// Claim writes down that what is at rel is the task's, as the caller knows by its content. It does so only
// where a program that died left the journal without a record: of a name that the task had changed
// before, or of how the task left a file that it was changing.
func (f *Folder) Claim(rel string) error {
	if f.Rec == nil {
		return nil
	}
	return f.change(rel, func(p Place) error { return claim(f.Rec, p) })
}

// Sync makes the records of all changes so far durable.
func (f *Folder) Sync() error {
	if f.Rec == nil {
		return nil
	}
	return f.Rec.J.Sync(f.Rec.J.File.Position())
}

func claim(f *Changer, p Place) error {
	defer f.Enter()()
	dir, err := f.Directory(p)
	if err != nil {
		return err
	}
	f.J.Mu.Lock()
	defer f.J.Mu.Unlock()
	info, err := p.Lstat()
	if err != nil {
		return err
	}
	o, e := f.met(info), f.J.Tables.Names[ledger.Name{Dir: dir.ID, Name: p.Name}]
	if o == nil && e != nil && (e.Cur == nil || !e.Sure) {
		target := ""
		if info.Kind == at.Symlink {
			target, _ = p.Dir.Readlink(p.Name)
		}
		o, err = f.Made(dir, e, info, target)
	}
	if err != nil || o == nil || o.Kind != at.File || o.Writers > 0 || !o.Last.Lost && o.Touch != ledger.TouchOpen {
		return err
	}
	s := ledger.StateOf(info)
	_, err = f.J.Put(ledger.SignRecord{Object: o.ID, State: &s})
	return err
}

// Pieces reports whether each piece of f in s is the same as in one of the others. The disk may have
// got a part of a block only, but whole sectors. Behind the end of a file are zeros.
func Pieces(ctx context.Context, f io.ReaderAt, s spans.Span, others ...io.ReaderAt) bool {
	const sector = 512
	read := func(r io.ReaderAt, b []byte, off int64) bool {
		n, err := r.ReadAt(b, off)
		clear(b[n:])
		return err == nil || errors.Is(err, io.EOF)
	}
	is, as := make([]byte, 64<<10), make([][]byte, len(others))
	for ; s.Off < s.End; s.Off += int64(len(is)) {
		is = is[:min(int64(len(is)), s.End-s.Off)]
		if ctx.Err() != nil || !read(f, is, s.Off) {
			return false
		}
		for n, r := range others {
			as[n] = make([]byte, len(is))
			if !read(r, as[n], s.Off) {
				as[n] = nil // it has nothing here
			}
		}
		for at := 0; at < len(is); at += sector {
			end, same := min(at+sector, len(is)), false
			for _, b := range as {
				same = same || b != nil && bytes.Equal(is[at:end], b[at:end])
			}
			if !same {
				return false
			}
		}
	}
	return true
}
