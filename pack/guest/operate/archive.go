package operate

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/bodgit/sevenzip"
	"github.com/klauspost/compress/zip"
	"github.com/mholt/archives"

	"piwork/pack/guest/operate/job"
	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

// magics are what the kinds of archives begin with. The library would also
// guess, and in another order each time.
var magics = []struct {
	magic  string
	format func(password string) archives.Format
}{
	{"PK\x03\x04", plain(archives.Zip{})}, {"PK\x05\x06", plain(archives.Zip{})},
	{"7z\xBC\xAF\x27\x1C", func(p string) archives.Format { return archives.SevenZip{Password: p} }},
	{"Rar!\x1A\x07", func(p string) archives.Format { return archives.Rar{Password: p} }},
	{"\x1F\x8B", plain(archives.Gz{})},
	{"BZh", plain(archives.Bz2{})},
	{"\xFD7zXZ\x00", plain(archives.Xz{})},
	{"\x28\xB5\x2F\xFD", plain(archives.Zstd{})},
	{"\x04\x22\x4D\x18", plain(archives.Lz4{})},
	{"LZIP", plain(archives.Lzip{})},
}

func plain(f archives.Format) func(string) archives.Format {
	return func(string) archives.Format { return f }
}

// errBomb ends the reading of an archive that holds more than it may.
var errBomb = errors.New("more comes out of the archive than it may hold")

// archive is one that is being read.
type archive struct {
	file   *os.File
	path   string
	format archives.Format
	left   int64 // bytes that may still come out
	count  int
}

// openArchive opens an input that is an archive or one compressed file.
func openArchive(ctx context.Context, name, password string) (*archive, error) {
	f, st, err := job.OpenInput(name, tools.MaxArchive)
	if err != nil {
		return nil, err
	}
	a := &archive{file: f, path: name, left: max(tools.MaxArchiveOut, tools.MaxArchiveRatio*st.Size())}
	fail := func(code, words string) (*archive, error) {
		f.Close()
		return nil, job.Refuse(code, name, words)
	}
	head := make([]byte, 512)
	n, err := io.ReadFull(f, head)
	switch {
	case n == 0:
		return fail(tools.InputBroken, "the file is empty")
	case err != nil && !errors.Is(err, io.ErrUnexpectedEOF):
		return fail(tools.InputUnreadable, err.Error())
	}
	for _, m := range magics {
		if bytes.HasPrefix(head[:n], []byte(m.magic)) {
			a.format = m.format(password)
		}
	}
	if a.format == nil {
		if !isTar(ctx, head[:n], f) {
			return fail(tools.InputUnsupported, "the file is not an archive")
		}
		a.format = archives.Tar{}
	}
	if c, ok := a.format.(archives.Compression); ok {
		tarred, err := a.tarred(ctx, c)
		if err != nil {
			return fail(tools.InputBroken, err.Error())
		}
		if tarred {
			a.format = archives.CompressedArchive{Archival: archives.Tar{}, Extraction: archives.Tar{}, Compression: c}
		}
	}
	if err := a.rewind(); err != nil {
		return fail(tools.InputUnreadable, err.Error())
	}
	return a, nil
}

func (a *archive) rewind() error {
	_, err := a.file.Seek(0, io.SeekStart)
	return err
}

// tarred reports whether a compressed file is a tar archive.
func (a *archive) tarred(ctx context.Context, c archives.Compression) (bool, error) {
	if err := a.rewind(); err != nil {
		return false, err
	}
	r, err := c.OpenReader(a.file)
	if err != nil {
		return false, err
	}
	defer r.Close()
	head := make([]byte, 512)
	n, err := io.ReadFull(r, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false, err
	}
	return isTar(ctx, head[:n], r), nil
}

// maxTarHead is how much may be before what tells of the first file, in bytes: long
// names, names with other letters than those of English, what macOS knows of a file
// (archive/tar takes 1 MiB of each).
const maxTarHead = 4 << 20

// isTar reports whether a file is a tar archive by its beginning and the rest, of
// which no more is read than that needs.
func isTar(ctx context.Context, head []byte, rest io.Reader) bool {
	m, err := archives.Tar{}.Match(ctx, "", io.MultiReader(bytes.NewReader(head), io.LimitReader(rest, maxTarHead)))
	return err == nil && m.ByStream
}

// entry is what an archive says of one of its files.
type entry struct {
	tools.ArchiveEntry
	name string // clean and relative; "" where it cannot be used
	bad  string // why not: a cause of tools.EntryLeftOut
	fs.FileInfo
	packed int64 // of a ZIP: its compressed size
	open   func() (io.ReadCloser, error)
	check  *sevenZipped // nil where the library checks what is read
}

// entries hands on what is in the archive. An error of take ends it; other
// errors become a refusal of the archive.
func (a *archive) entries(ctx context.Context, take func(entry) error) (err error) {
	var ours error // of take
	defer func() {
		if x := recover(); x != nil { // a library met what it did not expect
			err = job.Refuse(tools.InputBroken, a.path, fmt.Sprint(x))
		}
	}()
	handle := func(_ context.Context, f archives.FileInfo) error {
		if a.count++; a.count > tools.MaxArchiveEntries {
			return errBomb
		}
		if h, ok := f.Header.(zip.FileHeader); ok && h.Flags&1 != 0 {
			return errEncrypted
		}
		ours = take(a.entry(f))
		return ours
	}
	var ended error
	switch f := a.format.(type) {
	case archives.Extractor:
		ended = f.Extract(ctx, a.file, handle)
	case archives.Compression:
		ended = a.single(f, func(e entry) error {
			ours = take(e)
			return ours
		})
	}
	switch {
	case ended == nil || errors.Is(ended, errEnough):
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case ours != nil && errors.Is(ended, ours) && !errors.Is(ours, errBomb) && !errors.As(ours, new(readError)):
		return ours
	}
	return job.Refuse(archiveCode(ended), a.path, ended.Error())
}

// errEncrypted ends the reading of a zip whose files need a password.
var errEncrypted = errors.New("its files are encrypted")

// errEnough ends the reading of an archive because nobody wants more.
var errEnough = errors.New("enough")

// readError marks an error of what came out of the archive.
type readError struct{ error }

func (e readError) Unwrap() error { return e.error }

// archiveCode is what an error of the library means.
func archiveCode(err error) string {
	words := strings.ToLower(err.Error())
	var read *sevenzip.ReadError
	switch {
	case errors.Is(err, errBomb):
		return tools.InputTooLarge
	case errors.As(err, &read) && read.Encrypted: // what a wrong password makes of a file is no stream
		return tools.InputLocked
	case errors.Is(err, errEncrypted), strings.Contains(words, "password"), strings.Contains(words, "encrypted"):
		return tools.InputLocked
	case errors.Is(err, zip.ErrAlgorithm), strings.Contains(words, "unsupported"), strings.Contains(words, "multi-volume"), strings.Contains(words, "multivolume"):
		return tools.InputUnsupported
	}
	return tools.InputBroken
}

func (a *archive) entry(f archives.FileInfo) entry {
	named := f.NameInArchive
	h, zipped := f.Header.(zip.FileHeader)
	if zipped {
		named = zipName(h)
	}
	raw := strings.ToValidUTF8(named, "_")
	if len(raw) > wire.MaxPath { // and of no use to anybody
		raw = strings.ToValidUTF8(raw[:wire.MaxPath], "")
	}
	e := entry{FileInfo: f.FileInfo}
	if zipped {
		e.FileInfo = zipTime(f.FileInfo, h.Modified)
	}
	e.name, e.bad = inside(raw)
	e.Archive, e.Path, e.ArchiveEntry.Size = a.path, raw, f.Size()
	if t := e.ModTime(); t.Year() > 1970 {
		e.MTime = t.UTC().Format("2006-01-02T15:04:05Z")
	}
	switch {
	case f.IsDir():
		e.Kind, e.ArchiveEntry.Size = "folder", 0
	case f.LinkTarget != "" || f.Mode()&fs.ModeSymlink != 0:
		e.Kind = "link"
	case f.FileInfo.Mode().IsRegular():
		e.Kind = "file"
	default:
		e.Kind = "other"
	}
	if zipped {
		e.packed = int64(min(h.CompressedSize64, math.MaxInt64))
	}
	e.check = a.sevenZip(f)
	e.Unsafe = e.name == "" || e.Kind == "link" || e.Kind == "other"
	e.open = func() (io.ReadCloser, error) {
		r, err := f.Open()
		if err != nil {
			return nil, readError{err}
		}
		return r, nil
	}
	return e
}

// single is the one file in a compressed file, named after it.
func (a *archive) single(c archives.Compression, take func(entry) error) error {
	r, err := c.OpenReader(a.file)
	if err != nil {
		return err
	}
	defer r.Close()
	st, err := a.file.Stat()
	if err != nil {
		return err
	}
	base := filepath.Base(a.path)
	name := cmp.Or(strings.TrimSuffix(base, filepath.Ext(base)), base+".out")
	e := entry{FileInfo: st, name: name, open: func() (io.ReadCloser, error) { return io.NopCloser(r), nil }}
	e.Archive, e.Path, e.Kind, e.ArchiveEntry.Size = a.path, name, "file", -1
	return take(e)
}

// inside makes the name of an entry a clean path below the folder of results, or ""
// and why it cannot be one.
func inside(name string) (clean, bad string) {
	name = strings.ReplaceAll(name, "\\", "/") // as some programs for Windows write it
	if strings.ContainsRune(name, 0) {
		return "", tools.EntryName
	}
	if len(name) > 1 && name[1] == ':' || strings.HasPrefix(name, "/") {
		return "", tools.EntryOutside
	}
	name = path.Clean(name)
	if name == "." {
		return name, ""
	}
	if !filepath.IsLocal(name) {
		return "", tools.EntryOutside
	}
	if len(name) > 3000 {
		return "", tools.EntryName
	}
	for part := range strings.SplitSeq(name, "/") {
		if !tools.FileName(part) {
			return "", tools.EntryName
		}
	}
	return name, ""
}

// archiveList is archive.list.
func archiveList(ctx context.Context, r *job.Job, p *tools.ArchiveList) error {
	first, skip, err := p.From()
	if err != nil {
		return err
	}
	for n, in := range r.Order.Tool.In {
		if n < first {
			continue
		}
		a, err := openArchive(ctx, in, p.Password)
		if err != nil {
			if err := r.PassOver(err); err != nil {
				return err
			}
			r.Done(n+1, in)
			continue
		}
		full, seen := false, 0
		err = a.entries(ctx, func(e entry) error {
			if seen++; n == first && seen <= skip {
				return nil
			}
			if r.Full() {
				full = true
				return errEnough
			}
			r.AddInfo(e.ArchiveEntry)
			return nil
		})
		a.file.Close()
		if err := r.PassOver(err); err != nil {
			return err
		}
		if full {
			r.AddProblem(tools.Problem(tools.MoreResults, in, tools.ListAfter(n, seen-1)))
			return nil
		}
		r.Done(n+1, in)
	}
	return nil
}

// markReader marks what goes wrong while an archive is read.
type markReader struct{ r io.Reader }

func (m markReader) Read(b []byte) (int, error) {
	n, err := m.r.Read(b)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, context.Canceled) {
		err = readError{err}
	}
	return n, err
}

// errMore ends the reading of an archive that declares less than it holds.
var errMore = errors.New("an entry is larger than the archive says")

// copy writes what an entry holds: no more than it declares, and than the archive may
// hold.
func (a *archive) copy(ctx context.Context, w io.Writer, e entry, from io.Reader) error {
	most := a.left
	if size := e.ArchiveEntry.Size; size >= 0 {
		most = min(most, size)
	}
	n, err := job.CopyLarge(w, e.check.of(io.LimitReader(markReader{job.ContextReader{Ctx: ctx, R: from}}, most+1)))
	a.left -= n
	switch {
	case a.left < 0:
		return errBomb
	case n > most:
		return readError{errMore}
	case err != nil:
		return err
	}
	return e.check.end(n)
}
