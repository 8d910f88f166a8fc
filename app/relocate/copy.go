package relocate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"piwork/app/durable"
)

// copier copies trees of files that nobody changes meanwhile.
type copier struct {
	ctx  context.Context //nolint:containedctx // of one call of Run
	o    Options
	step func(string)
	done int64
}

func (c *copier) told(n int64) {
	c.done += n
	if c.o.Told != nil {
		c.o.Told(c.done)
	}
}

// dirTime is the time that a directory gets when everything is in it.
type dirTime struct {
	path string
	time time.Time
}

func (c *copier) tree(from, to string, cache bool, skip func(string) bool) error {
	if err := os.Mkdir(to, 0o700); err != nil {
		return err
	}
	var dirs []dirTime
	err := walk(c.ctx, from, skip, func(rel string, d fs.DirEntry) error {
		src, dst := filepath.Join(from, rel), filepath.Join(to, rel)
		switch {
		case d.IsDir():
			if !cache && c.o.Copy != nil {
				handled, err := c.o.Copy(c.ctx, rel, src, dst, c.told)
				if err != nil {
					return err
				}
				if handled {
					c.step("directory")
					return fs.SkipDir
				}
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			dirs = append(dirs, dirTime{dst, info.ModTime()})
			return os.Mkdir(dst, info.Mode().Perm()|0o700)
		case d.Type() == fs.ModeSymlink:
			target, err := os.Readlink(src)
			if err != nil {
				return err
			}
			return os.Symlink(target, dst)
		case d.Type().IsRegular():
			defer c.step("file")
			return c.file(src, dst)
		}
		return nil // a socket: of no use to anybody
	})
	if err != nil {
		return err
	}
	for i := len(dirs) - 1; i >= 0; i-- {
		if err := errors.Join(os.Chtimes(dirs[i].path, time.Time{}, dirs[i].time), durable.SyncDir(dirs[i].path)); err != nil {
			return err
		}
	}
	return durable.SyncDir(to)
}

// file copies a file with its rights and its time, and leaves holes where there
// are only zeros.
func (c *copier) file(src, dst string) (err error) {
	in, err := os.Open(src)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(dst, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	n, err := c.content(out, in)
	if err == nil && n != info.Size() {
		err = fmt.Errorf("%s changed while it was copied", src)
	}
	if err == nil {
		err = out.Chmod(info.Mode().Perm())
	}
	if err == nil {
		err = syncFile(out)
	}
	if err == nil {
		err = os.Chtimes(dst, time.Time{}, info.ModTime())
	}
	return err
}

func (c *copier) content(out, in *os.File) (int64, error) {
	buf := make([]byte, 1<<20)
	none := make([]byte, len(buf))
	for off := int64(0); ; {
		if c.ctx.Err() != nil {
			return off, context.Cause(c.ctx)
		}
		n, err := io.ReadFull(in, buf)
		if n > 0 && !bytes.Equal(buf[:n], none[:n]) {
			if _, werr := out.WriteAt(buf[:n], off); werr != nil {
				return off, werr
			}
		}
		off += int64(n)
		c.told(int64(n))
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return off, out.Truncate(off)
		}
		if err != nil {
			return off, err
		}
	}
}

// empty removes everything in a directory but names.
func empty(ctx context.Context, dir string, but []string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	keep := map[string]bool{}
	for _, name := range but {
		keep[name] = true
	}
	for _, e := range entries {
		if !keep[e.Name()] {
			err = errors.Join(err, removeAll(ctx, filepath.Join(dir, e.Name()), 3))
		}
	}
	return err
}

// removeAll is os.RemoveAll that ends with ctx: between directories of the given depth, such as
// tasks/ID/journal.
func removeAll(ctx context.Context, path string, depth int) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if info, err := os.Lstat(path); depth > 0 && err == nil && info.IsDir() {
		entries, err := os.ReadDir(path)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if err := removeAll(ctx, filepath.Join(path, e.Name()), depth-1); err != nil {
				return err
			}
		}
	}
	return os.RemoveAll(path)
}
