package job

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"unicode/utf8"

	"piwork/pack/tools"
)

// headSize is how much of the beginning of a file is looked at to say what it
// is, in bytes.
const headSize = 4 << 10

// Taken is the copy of an input in scratch.
type Taken struct {
	Name   string // scratch name
	Path   string // of the input
	Head   []byte // its beginning
	Size   int64
	SHA256 string
}

// Take copies an input into scratch. accept says by its beginning what it is not, ""
// where it can be used; nil accepts all.
func (r *Job) Take(ctx context.Context, path, name string, limit int64, accept func(head []byte) (not string)) (*Taken, error) {
	in, _, err := OpenInput(path, limit)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	head := make([]byte, headSize)
	n, err := io.ReadFull(ContextReader{ctx, in}, head)
	head = head[:n]
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, cmp.Or(ctx.Err(), RefuseInput(path, err))
	}
	if n == 0 {
		return nil, Refuse(tools.InputBroken, path, "the file is empty")
	}
	if accept != nil {
		if not := accept(head); not != "" {
			return nil, Refuse(tools.InputUnsupported, path, not)
		}
	}
	out, err := r.ScratchCreate(name)
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	aside := newBeside(io.MultiWriter(MarkWriter{out}, sum))
	size, err := CopyLarge(aside, io.LimitReader(io.MultiReader(bytes.NewReader(head), ContextReader{ctx, in}), limit+1))
	if cerr := errors.Join(aside.Close(), out.Close()); err == nil {
		err = cerr
	}
	var write WriteError
	switch {
	case err == nil && size > limit: // it grew meanwhile
		return nil, cmp.Or(r.ScratchRemove(name), Refuse(tools.InputTooLarge, path, "the file grows"))
	case err == nil:
		return &Taken{Name: name, Path: path, Head: head, Size: size, SHA256: hex.EncodeToString(sum.Sum(nil))}, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.As(err, &write):
		return nil, write
	}
	return nil, cmp.Or(r.ScratchRemove(name), RefuseInput(path, err))
}

// IsPDF reports what begins like a PDF: readers accept the header anywhere in there.
func IsPDF(head []byte) bool { return bytes.Contains(head[:min(len(head), 1024)], []byte("%PDF-")) }

// LooksLikeText reports whether a beginning is text in UTF-8, or at least in no
// encoding with NULs.
func LooksLikeText(head []byte) bool { return !bytes.Contains(head, []byte{0}) }

// lastRune is the last rune of a text and its length in bytes.
func lastRune(s string) (rune, int) { return utf8.DecodeLastRuneInString(s) }

// ReadBounded reads a file of scratch of at most limit bytes.
func ReadBounded(file string, limit int64) ([]byte, error) {
	f, _, err := OpenMade(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(b)) > limit {
		err = errors.New("more than was expected")
	}
	return b, err
}

// ReadStart reads at most so many bytes from the beginning of a file of scratch.
func ReadStart(file string, most int64) (string, error) {
	f, _, err := OpenMade(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, most))
	return string(b), err
}

// Bounded keeps a text of a program short and printable.
func Bounded(s string) string {
	s = tools.Words(s)
	const most = 300
	for len(s) > most {
		_, n := lastRune(s)
		s = s[:len(s)-n]
	}
	return s
}

// Peek reads the beginning of an input.
func Peek(path string) ([]byte, error) {
	f, _, err := OpenInput(path, 1<<62)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, headSize)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, RefuseInput(path, err)
	}
	return head[:n], nil
}

// SameBytes reads any encoding as if it were UTF-8: names and numbers are ASCII.
func SameBytes(_ string, r io.Reader) (io.Reader, error) { return r, nil }
