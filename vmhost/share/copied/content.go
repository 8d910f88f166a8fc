package copied

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"time"

	"piwork/vmhost"
	"piwork/vmhost/share"
	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal"
	"piwork/vmhost/wire"
)

// inMemory is how large a content is that is not put on the disk first, in bytes.
const inMemory = 128 << 10

// Bounds of what is fetched before it is written: while a person is asked about a change,
// nothing is under way in the place.
const (
	maxBatch     = 500
	maxBatchSize = 64 << 20
)

// received is a file of a copy that is here.
type received struct {
	key
	wire.CopyEntry
	sum     []byte
	content *spooled // nil: that of the sum that was known
}

// files gets what is new of files, and writes it.
func (g *gathering) files(ctx context.Context, run Run) error {
	for left := g.changed; len(left) > 0; {
		var ask []key
		for size := int64(0); len(left) > 0 && len(ask) < maxBatch; left = left[1:] {
			k := left[0]
			if e := g.now[k]; e.Kind == wire.CopyFile && !g.settled(k) {
				if size += e.Size; len(ask) > 0 && size > maxBatchSize {
					break
				}
				ask = append(ask, k)
			}
		}
		if err := g.batch(ctx, run, ask); err != nil {
			return err
		}
	}
	return nil
}

// batch gets some files and writes them.
func (g *gathering) batch(ctx context.Context, run Run, ask []key) error {
	if len(ask) == 0 {
		return nil
	}
	var all []received
	defer func() {
		for _, r := range all {
			r.content.Close()
		}
	}()
	feed := func(w *bufio.Writer) error {
		for _, k := range ask {
			if err := writeLine(w, wire.CopyEntry{Dir: k.root, Path: []byte(k.path), Kind: wire.CopyFile, Sum: g.sumOf(k)}); err != nil {
				return err
			}
		}
		return nil
	}
	err := g.talk(ctx, run, wire.CopyGet, feed, func(in *bufio.Reader) error {
		for _, k := range ask {
			r, err := g.receive(in, k)
			if err != nil {
				return err
			}
			if r.Kind != wire.CopyGone {
				all = append(all, r)
			} else if g.last && !r.Removed {
				g.lose(k, errNotRead)
			}
		}
		if _, err := readLine(in); !errors.Is(err, io.EOF) {
			return errors.Join(invalid("an answer to nothing"), err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, r := range all {
		if _, err := g.attempt(ctx, r.key, func() error { return g.store(ctx, r) }); err != nil {
			return err
		}
	}
	return nil
}

// errNotRead says that a file of a copy may not be read, is no file any more, is still being
// written, or grew and has no room.
var errNotRead = errors.New("it could not be read")

func (g *gathering) sumOf(k key) []byte {
	if was := g.known[k]; was != nil {
		return was.sum
	}
	return nil
}

// meta is what a file is to have besides its content.
func meta(e wire.CopyEntry) at.Meta {
	mode := e.Mode
	return at.Meta{Mode: &mode, MTime: time.Unix(0, e.MTime)}
}

// receive takes what the place says about a file, all of it. One that can't be had, changes
// on its way, or grew since the list and has no room, is CopyGone: the next collect finds out.
func (g *gathering) receive(in *bufio.Reader, k key) (r received, err error) {
	e, err := readLine(in)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return r, err
	}
	if e.Dir != k.root || string(e.Path) != k.path || (e.Kind != wire.CopyGone && (e.Kind != wire.CopyFile || len(e.Sum) != sha256.Size)) {
		return r, invalid("an answer about %s", wire.Short(string(e.Path)))
	}
	r = received{key: k, CopyEntry: e, sum: e.Sum}
	r.Dir, r.Path, r.Sum = 0, nil, nil
	if e.Kind == wire.CopyGone || bytes.Equal(e.Sum, g.sumOf(k)) {
		return r, nil
	}
	if grew := max(0, e.Size-g.now[k].Size); grew <= g.spare {
		g.spare -= grew
	} else {
		return received{}, g.skip(in, e.Size)
	}
	if r.content, err = spool(in, e.Size, g.o.Dir); err != nil {
		return r, err
	}
	if !bytes.Equal(r.content.sum, r.sum) {
		r.content.Close()
		return received{}, nil
	}
	return r, nil
}

// skip reads off a content that has no room.
func (g *gathering) skip(in io.Reader, size int64) error {
	if size > g.o.Bytes-g.skipped {
		return &vmhost.TooLargeError{Runtime: g.o.Name, Bytes: max(size, g.o.Bytes+1), MaxFiles: g.o.Files, MaxBytes: g.o.Bytes}
	}
	g.skipped += size
	_, err := io.CopyN(io.Discard, in, size)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// store makes a file of the folder what it is in the copy.
func (g *gathering) store(ctx context.Context, r received) error {
	if r.content == nil {
		return g.onlyMeta(r.key, r.CopyEntry, r.sum)
	}
	at, _, err := g.place(r.key)
	if err != nil {
		return err
	}
	torn, err := g.write(ctx, at, r.CopyEntry, r.content)
	if errors.Is(err, errReplaced) && at == r.key { // that one stays, and this goes beside it
		return g.store(ctx, r)
	}
	if torn && at == r.key {
		return &tornError{err}
	}
	if err != nil {
		return err
	}
	g.placed(r.key, at, r.CopyEntry, r.sum)
	if now := g.known[r.key]; at == r.key && now.here.size != r.Size {
		now.again = true // a person has appended to it meanwhile
	}
	return nil
}

// onlyMeta gives a file whose content did not change its mode and time.
func (g *gathering) onlyMeta(k key, e wire.CopyEntry, sum []byte) error {
	if was := g.known[k]; was.there.Mode != e.Mode || was.there.MTime != e.MTime {
		if mine, _, err := g.untouched(k); err != nil || !mine {
			g.leave(k)
			return err
		}
		if err := g.roots[k.root].tree.SetMeta(k.path, meta(e)); err != nil {
			return err
		}
	}
	g.agree(k, e, sum)
	return nil
}

// tornError says that a file of a folder is neither what it was nor what it is in the copy.
type tornError struct{ error }

func (e *tornError) Unwrap() error { return e.error }

// atOnce is how much is written at once, in bytes: the journal keeps what was there before
// each write, durably.
const atOnce = 4 << 20

// write writes a file of a folder: over what is there, or new. It is the same file
// afterwards, with all its names and attributes. What makes it longer is written first, which
// needs all the room that there has to be on the disk: without it the file is as it was.
// After an error, torn says that it is not.
func (g *gathering) write(ctx context.Context, k key, e wire.CopyEntry, content *spooled) (torn bool, err error) {
	t := g.roots[k.root].tree
	f, before, err := t.Open(k.path, os.O_RDWR)
	made := errors.Is(err, fs.ErrNotExist)
	if made {
		f, before, err = t.Create(k.path, e.Mode, true, false)
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	to := settling{ctx, f}
	if !made {
		if grew, err := g.grew(k, before, e, content); err != nil {
			return false, err
		} else if grew {
			return g.extend(ctx, k, e, content, f, before)
		}
	}
	// A person who is asked says yes or no before anything changes. Then all of it begins anew
	// (attempt): they may have changed the file meanwhile. A new one has nobody's content, and
	// would be another one the next time.
	asked := f.Truncate(before.Size)
	if made {
		asked = to.Truncate(before.Size)
	}
	err = asked
	if err == nil {
		err = content.copyTo(to, before.Size, e.Size)
	}
	switch {
	case err == nil:
	case made:
		f.Close()
		return t.Remove(k.path) != nil, err
	case asked != nil:
		return false, err
	default:
		if to.Truncate(before.Size) != nil {
			return true, err
		}
		_ = t.SetMeta(k.path, at.Meta{MTime: before.MTime}) // for it to look as it was, too
		return false, err
	}
	if err := content.copyTo(to, 0, min(before.Size, e.Size)); err != nil {
		return true, err
	}
	if e.Size < before.Size {
		if err := to.Truncate(e.Size); err != nil {
			return true, err
		}
	}
	if now, err := t.Lstat(k.path); err != nil || now.ID != before.ID {
		return false, errors.Join(errReplaced, err)
	}
	return false, share.Settle(ctx, func() error { return t.SetMeta(k.path, meta(e)) })
}

// grew reports whether a file only became longer in the copy: it begins with all that the folder has.
func (g *gathering) grew(k key, before at.Info, e wire.CopyEntry, content *spooled) (bool, error) {
	was := g.known[k]
	if was == nil || was.sum == nil || was.there.Size != before.Size || e.Size <= before.Size {
		return false, nil
	}
	h := sha256.New()
	if _, err := content.Seek(0, io.SeekStart); err != nil {
		return false, err
	}
	_, err := io.CopyN(h, content, before.Size)
	return bytes.Equal(h.Sum(nil), was.sum), err
}

// extend appends to a file of a folder what it has more in the copy: a person who appends to it in the same
// moment loses nothing. When the disk has no room for all of it, the part that was
// written is taken back, unless the person has appended.
func (g *gathering) extend(ctx context.Context, k key, e wire.CopyEntry, content *spooled, f *share.File, before at.Info) (torn bool, err error) {
	if _, err := f.Append(nil); err != nil { // a person who is asked says yes or no before anything changes
		return false, err
	}
	t, done := g.roots[k.root].tree, before.Size
	buf := make([]byte, min(e.Size-before.Size, atOnce))
	for err == nil && done < e.Size {
		b := buf[:min(e.Size-done, atOnce)]
		if _, err = content.Seek(done, io.SeekStart); err == nil {
			_, err = io.ReadFull(content, b)
		}
		if err == nil {
			n := 0
			err = share.Settle(ctx, func() (err error) { n, err = f.Append([][]byte{b}); return err })
			done += int64(n)
		}
	}
	if err != nil {
		if now, serr := f.Stat(); serr != nil || now.Size != done || (settling{ctx, f}).Truncate(before.Size) != nil {
			return done > before.Size, err
		}
		_ = t.SetMeta(k.path, at.Meta{MTime: before.MTime}) // for it to look as it was, too
		return false, err
	}
	if now, err := t.Lstat(k.path); err != nil || now.ID != before.ID {
		return false, errors.Join(errReplaced, err)
	}
	return false, share.Settle(ctx, func() error { return t.SetMeta(k.path, meta(e)) })
}

// errReplaced says that a person put another file in the place of the one that was written.
var errReplaced = errors.New("another file has the name now")

// settling is a file whose changes wait for a person where they have to: a file that was
// changed in part is not begun anew.
type settling struct {
	ctx context.Context
	f   *share.File
}

func (s settling) Truncate(size int64) error {
	return share.Settle(s.ctx, func() error { return s.f.Truncate(size) })
}

func (s settling) WriteAt(p []byte, off int64) (n int, err error) {
	err = share.Settle(s.ctx, func() (err error) { n, err = s.f.WriteAt(p, off); return err })
	return n, err
}

// free returns a name beside one that nothing has.
func (g *gathering) free(k key) (key, error) {
	dir, name := path.Split(k.path)
	for n := 1; n < 1000; n++ {
		try := key{k.root, path.Join(dir, journal.BesideName(name, besideLabel, n))}
		if _, err := g.stampOf(try); errors.Is(err, fs.ErrNotExist) {
			return try, nil
		} else if err != nil {
			return k, err
		}
	}
	return k, fs.ErrExist
}

// besideLabel is what a review puts into such names, too.
const besideLabel = "new"

// spooled is a content on this computer.
type spooled struct {
	io.ReadSeeker
	file *os.File // nil for one in memory
	sum  []byte
}

// spool takes size bytes.
func spool(r io.Reader, size int64, dir string) (*spooled, error) {
	s, h := &spooled{}, sha256.New()
	var to io.Writer
	memory := &bytes.Buffer{}
	if to = memory; size > inMemory {
		f, err := os.CreateTemp(dir, "piwork-copy-*")
		if err != nil {
			return nil, err
		}
		s.file, to = f, f
	}
	if _, err := io.CopyN(io.MultiWriter(to, h), r, size); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		s.Close()
		return nil, err
	}
	if s.ReadSeeker = s.file; s.file == nil {
		s.ReadSeeker = bytes.NewReader(memory.Bytes())
	}
	s.sum = h.Sum(nil)
	return s, nil
}

// copyTo writes the part between two offsets to the same place of a file; there may be none.
func (s *spooled) copyTo(to io.WriterAt, from, end int64) error {
	if end <= from {
		return nil
	}
	if _, err := s.Seek(from, io.SeekStart); err != nil {
		return err
	}
	n, err := io.CopyBuffer(io.NewOffsetWriter(to, from), io.LimitReader(s, end-from), make([]byte, min(end-from, atOnce)))
	if err == nil && n < end-from {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// Close removes it.
func (s *spooled) Close() {
	if s != nil && s.file != nil {
		s.file.Close()
		_ = os.Remove(s.file.Name())
	}
}
