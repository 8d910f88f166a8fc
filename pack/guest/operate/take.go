package operate

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"unicode/utf8"

	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

// headSize is how much of the beginning of a file is looked at to say what it
// is, in bytes.
const headSize = 4 << 10

// taken is the copy of an input in scratch.
type taken struct {
	name   string // scratch name
	path   string // of the input
	head   []byte // its beginning
	size   int64
	sha256 string
	stat   fs.FileInfo
}

// take copies an input into scratch, when accept has nothing against its
// beginning. The problem is about this input.
func (r *run) take(ctx context.Context, path, name string, limit int64, accept func(head []byte) *reason) (*taken, *wire.ToolProblem, error) {
	in, st, problem := openInput(path, limit)
	if problem != nil {
		return nil, problem, nil
	}
	defer in.Close()
	head := make([]byte, headSize)
	n, err := io.ReadFull(contextReader{ctx, in}, head)
	head = head[:n]
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		p := tools.InputProblem(path, err)
		return nil, &p, ctx.Err()
	}
	if n == 0 {
		p := tools.Problem(tools.InputBroken, path, "the file is empty")
		return nil, &p, nil
	}
	if accept != nil {
		if why := accept(head); why != nil {
			p := tools.Problem(why.code, path, why.words)
			return nil, &p, nil
		}
	}
	out, err := r.scratchCreate(name)
	if err != nil {
		return nil, nil, err
	}
	sum := sha256.New()
	aside := newBeside(io.MultiWriter(markWriter{out}, sum))
	size, err := copyLarge(aside, io.LimitReader(io.MultiReader(bytes.NewReader(head), contextReader{ctx, in}), limit+1))
	if cerr := errors.Join(aside.Close(), out.Close()); err == nil {
		err = cerr
	}
	var write writeError
	switch {
	case err == nil && size > limit: // it grew meanwhile
		p := tools.Problem(tools.InputTooLarge, path, "the file grows")
		return nil, &p, r.scratchRemove(name)
	case err == nil:
		return &taken{name: name, path: path, head: head, size: size, sha256: hex.EncodeToString(sum.Sum(nil)), stat: st}, nil, nil
	case ctx.Err() != nil:
		return nil, nil, ctx.Err()
	case errors.As(err, &write):
		return nil, nil, write
	}
	p := tools.InputProblem(path, err)
	return nil, &p, r.scratchRemove(name)
}

// reason says why a file cannot be used.
type reason struct{ code, words string }

func unsupported(words string) *reason { return &reason{tools.InputUnsupported, words} }

// isPDF accepts what begins like a PDF.
func isPDF(head []byte) *reason {
	if !bytes.Contains(head[:min(len(head), 1024)], []byte("%PDF-")) { // readers accept the header anywhere in there
		return unsupported("the file is not a PDF")
	}
	return nil
}

// looksLikeText reports whether a beginning is text in UTF-8, or at least in no
// encoding with NULs.
func looksLikeText(head []byte) bool { return !bytes.Contains(head, []byte{0}) }

// lastRune is the last rune of a text and its length in bytes.
func lastRune(s string) (rune, int) { return utf8.DecodeLastRuneInString(s) }

// readBounded reads a file of scratch of at most limit bytes.
func readBounded(file string, limit int64) ([]byte, error) {
	f, _, err := openMade(file)
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

// readStart reads at most so many bytes from the beginning of a file of scratch.
func readStart(file string, most int64) (string, error) {
	f, _, err := openMade(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, most))
	return string(b), err
}
