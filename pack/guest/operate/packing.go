package operate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"time"

	"github.com/klauspost/compress/zip"
	"github.com/klauspost/compress/zstd"
	"github.com/mholt/archives"

	"piwork/pack/guest/operate/job"
	"piwork/pack/tools"
)

// archiveCreate is archive.create.
func archiveCreate(ctx context.Context, r *job.Job, p *tools.ArchiveCreate) error {
	to := r.Placer(p.Replace)
	if err := to.Probe(); err != nil {
		return err
	}
	c := &packing{Job: r, used: map[string]bool{}}
	for n, in := range r.Astray(r.Order.Tool.In) {
		if err := c.input(ctx, in); err != nil {
			return err
		}
		r.Done(n+1, in)
	}
	if len(c.files) == 0 {
		return nil
	}
	f, err := to.Write(func(w io.Writer) error { return archiveFormat(p.Format).Archive(ctx, contextWriter{ctx, w}, c.files) })
	if err != nil {
		if input, is := errors.AsType[*job.Error](err); is { // one changed or went away while it was read: there is no half archive
			return input
		}
		return err
	}
	r.AddResult(f)
	r.AddInfo(c.made)
	return nil
}

// archiveFormat writes archives that depend on nothing but their files.
func archiveFormat(name string) archives.Archiver {
	switch name {
	case "tar":
		return archives.Tar{}
	case "tar.gz":
		return archives.CompressedArchive{Archival: archives.Tar{}, Compression: archives.Gz{}}
	case "tar.zst":
		return archives.CompressedArchive{Archival: archives.Tar{}, Compression: archives.Zstd{EncoderOptions: []zstd.EOption{zstd.WithEncoderConcurrency(1)}}}
	}
	return archives.Zip{Compression: zip.Deflate, SelectiveCompression: true}
}

// packing collects what goes into an archive.
type packing struct {
	*job.Job
	files []archives.FileInfo
	used  map[string]bool
	made  tools.ArchiveMade
}

// input adds a file, or a folder with all in it in the order of names.
func (c *packing) input(ctx context.Context, in string) error {
	root := job.UniqueName(c.used, filepath.Base(in))
	return filepath.WalkDir(in, func(p string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return c.PassBy(p, d, err)
		case job.IsPart(p) && d.IsDir():
			return fs.SkipDir
		case p == c.Order.Tool.Out || job.IsPart(p):
			return nil
		case len(c.files) >= tools.MaxArchiveEntries:
			return &job.Error{Code: tools.InputTooLarge, Err: errors.New("more files than an archive may hold")}
		}
		rel, err := filepath.Rel(in, p)
		if err != nil {
			return err
		}
		st, err := d.Info()
		if err != nil {
			c.FoundProblem(tools.InputProblem(p, err))
			return nil
		}
		if !st.IsDir() && !st.Mode().IsRegular() {
			c.made.LeftOut++
			return nil
		}
		c.add(p, path.Join(root, filepath.ToSlash(rel)), st)
		return nil
	})
}

// add adds one file or folder.
func (c *packing) add(file, name string, st fs.FileInfo) {
	if st.IsDir() {
		c.made.Folders++
		name += "/"
	} else {
		c.made.Files++
		c.made.Bytes += st.Size()
	}
	c.files = append(c.files, archives.FileInfo{
		FileInfo: plainInfo{st}, NameInArchive: name,
		Open: func() (fs.File, error) {
			f, _, err := job.OpenInput(file, 1<<62)
			if refused := job.Refused(err); refused != nil {
				return nil, &job.Error{Code: refused.Code, Err: fmt.Errorf("%s: %s", file, refused.Detail)}
			}
			return f, nil
		},
	})
}

// plainInfo is what an archive says of a file: nothing of who owns it, and one
// mode for all.
type plainInfo struct{ fs.FileInfo }

func (plainInfo) Sys() any { return nil }

func (i plainInfo) ModTime() time.Time { return i.FileInfo.ModTime().UTC() }

func (i plainInfo) Mode() fs.FileMode {
	if i.IsDir() {
		return fs.ModeDir | 0o755
	}
	return 0o644 | i.FileInfo.Mode()&0o111
}

// contextWriter ends writing when ctx does.
type contextWriter struct {
	ctx context.Context
	w   io.Writer
}

func (c contextWriter) Write(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.w.Write(b)
}
