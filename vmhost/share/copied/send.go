package copied

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"hash"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"piwork/vmhost"
	"piwork/vmhost/share"
	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/wire"
)

// put is one name that the place is told of.
type put struct {
	key
	now   stamp
	sent  wire.CopyEntry
	sum   hash.Hash     // of what was sent
	sends chan struct{} // closed when now and sum are as they were sent, or nothing is sent any more
	skip  bool          // it could not be read: nothing was sent
}

// send brings the copies up to date with the folders.
func (c *Copy) send(ctx context.Context, run Run) error {
	fresh := c.add(c.find())
	list, err := c.differences(ctx)
	if err != nil || len(list) == 0 && !fresh {
		return err
	}
	feed := func(w *bufio.Writer) error {
		for i, p := range list {
			err := c.putOne(ctx, w, p)
			close(p.sends)
			if err != nil {
				for _, rest := range list[i+1:] { // nobody waits for them
					close(rest.sends)
				}
				return err
			}
		}
		return nil
	}
	return c.talk(ctx, run, wire.CopyPut, feed, func(r *bufio.Reader) error { return c.hearPuts(ctx, r, list) })
}

// hearPuts hears what became of what was put.
func (c *Copy) hearPuts(ctx context.Context, r *bufio.Reader, list []*put) error {
	for _, p := range list {
		select {
		case <-p.sends:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if p.skip {
			continue
		}
		e, err := readLine(r)
		if errors.Is(err, io.EOF) {
			return io.ErrUnexpectedEOF
		}
		if err != nil {
			return err
		}
		if e.Dir != p.root || string(e.Path) != p.path {
			return invalid("an answer about %s", wire.Short(string(e.Path)))
		}
		e.Dir, e.Path = 0, nil
		if e.Stays && e.Kind != wire.CopyGone || e.Kind != p.sent.Kind || e.Size != p.sent.Size || e.Mode != p.sent.Mode && e.Kind != wire.CopyLink {
			continue // something else is there: End finds out
		}
		if e.Kind == wire.CopyGone {
			delete(c.known, p.key)
			continue
		}
		k := &known{here: p.now, there: e}
		if p.sum != nil {
			k.sum = p.sum.Sum(nil)
		}
		c.known[p.key] = k
	}
	if _, err := readLine(r); !errors.Is(err, io.EOF) {
		return errors.Join(invalid("an answer to nothing"), err)
	}
	return nil
}

// differences are what the copies have not, or should have no more: first what goes.
func (c *Copy) differences(ctx context.Context) ([]*put, error) {
	here, err := c.survey(ctx)
	if err != nil {
		return nil, err
	}
	var gone, list []*put
	for _, k := range slices.SortedFunc(maps.Keys(here), compare) {
		if was := c.known[k]; was == nil || was.again || was.here != here[k] {
			list = append(list, &put{key: k, now: here[k], sends: make(chan struct{})})
		}
	}
	for _, k := range slices.SortedFunc(maps.Keys(c.known), compare) {
		if _, ok := here[k]; !ok && c.known[k].here != nothing {
			gone = append(gone, &put{key: k, sends: make(chan struct{})})
		}
	}
	slices.Reverse(gone) // what is in a directory before it
	return append(gone, list...), nil
}

// compare orders names: a directory before what is in it.
func compare(a, b key) int {
	if a.root != b.root {
		return a.root - b.root
	}
	return strings.Compare(a.path, b.path)
}

// survey finds what is in the folders.
func (c *Copy) survey(ctx context.Context) (map[key]stamp, error) {
	all, bytes := map[key]stamp{}, int64(0)
	for i, r := range c.roots {
		if r.gone {
			continue
		}
		err := walk(r.tree, ".", func(rel string, info at.Info) error {
			k := key{i, rel}
			s, err := c.stampFrom(k, info)
			if err != nil || s.kind == at.Special || s.kind == at.Unknown || rel == "." {
				return ctx.Err() // not in a copy
			}
			if all[k] = s; s.kind == at.File {
				bytes += s.size
			}
			if len(all) > c.o.Files || bytes > c.o.Bytes {
				return &vmhost.TooLargeError{Runtime: c.o.Name, Files: len(all), Bytes: bytes, MaxFiles: c.o.Files, MaxBytes: c.o.Bytes}
			}
			return ctx.Err()
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// walk visits everything below a directory; what goes away meanwhile, or can't be read, is
// not there.
func walk(t *share.Tree, rel string, visit func(rel string, info at.Info) error) error {
	info, err := t.Lstat(rel)
	if err != nil {
		return nil
	}
	if err := visit(rel, info); err != nil || info.Kind != at.Directory {
		return err
	}
	f, _, err := t.Open(rel, os.O_RDONLY)
	if err != nil {
		return nil
	}
	defer f.Close()
	for off := int64(0); ; {
		list, err := f.ReadDir(off, 64<<10)
		if err != nil || len(list) == 0 {
			return nil
		}
		for _, e := range list {
			off = e.Next
			below, err := share.Join(rel, e.Name)
			if err != nil {
				continue // "." and ".." among others
			}
			if err := walk(t, below, visit); err != nil {
				return err
			}
		}
	}
}

// entryOf is how a copy is to have what a folder has.
func (c *Copy) entryOf(k key, s stamp) wire.CopyEntry {
	e := wire.CopyEntry{Dir: k.root, Path: []byte(k.path), Mode: s.mode}
	if !c.changeable(k) {
		e.Mode &^= 0o222
	}
	switch s.kind {
	case at.File:
		e.Kind, e.Size, e.MTime = wire.CopyFile, s.size, s.mtime
	case at.Directory:
		e.Kind = wire.CopyDir
	case at.Symlink:
		e.Kind, e.Target, e.Mode = wire.CopyLink, []byte(s.target), 0
	}
	return e
}

// putOne tells the place of one name.
func (c *Copy) putOne(ctx context.Context, w *bufio.Writer, p *put) error {
	was := wire.CopyEntry{}
	if k := c.known[p.key]; k != nil {
		was = k.there
	}
	say := func() error {
		p.sent = c.entryOf(p.key, p.now)
		p.sent.Was = &was
		return writeLine(w, p.sent)
	}
	if p.now.kind != at.File {
		return say()
	}
	var f *share.File
	var info at.Info
	err := share.Settle(ctx, func() (err error) { f, info, err = c.roots[p.root].tree.Open(p.path, os.O_RDONLY); return err })
	if err != nil {
		p.skip = true
		return ctx.Err()
	}
	defer f.Close()
	if p.now, err = c.stampFrom(p.key, info); err != nil || p.now.kind != at.File {
		p.skip = true
		return nil //nolint:nilerr // it became something else: the next Begin finds it
	}
	if err := say(); err != nil {
		return err
	}
	p.sum = sha256.New()
	to := io.MultiWriter(w, p.sum)
	n, err := io.Copy(to, io.NewSectionReader(f, 0, p.now.size))
	if err == nil && n == p.now.size {
		return nil
	}
	_, err = io.CopyN(to, zeros{}, p.now.size-n)
	p.now = theirs // it became shorter meanwhile
	return err
}

// zeros is as much of nothing as is asked for.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
