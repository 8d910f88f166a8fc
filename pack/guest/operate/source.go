package operate

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

// source is an input that is opened once: its beginning says what it is, and what
// reads it then goes on from there. On a share each opening is some questions to
// the host.
type source struct {
	ctx  context.Context // of the operation
	path string
	f    *os.File
	st   fs.FileInfo
	r    *bufio.Reader // from the beginning
	n    int64         // bytes that were read from the file
	to   io.Writer     // has them; see tap
}

// idleReader is the buffer of a source for the next one.
var idleReader = make(chan *bufio.Reader, 1)

// openSource opens an input. The problem is about it.
func openSource(ctx context.Context, path string) (*source, *wire.ToolProblem) {
	f, st, problem := openInput(path, 1<<62)
	if problem != nil {
		return nil, problem
	}
	s := &source{ctx: ctx, path: path, f: f, st: st}
	select {
	case s.r = <-idleReader:
	default:
		s.r = bufio.NewReaderSize(nil, bufferSize)
	}
	s.r.Reset(fromFile{s})
	return s, nil
}

// fromFile fills the buffer of a source.
type fromFile struct{ *source }

func (s fromFile) Read(b []byte) (int, error) {
	n, err := contextReader{s.ctx, s.f}.Read(b)
	s.n += int64(n)
	if n > 0 && s.to != nil {
		if _, werr := s.to.Write(b[:n]); werr != nil {
			return n, werr
		}
	}
	return n, err
}

// head is its beginning, of headSize bytes at most, until more is read.
func (s *source) head() ([]byte, *wire.ToolProblem) {
	b, err := s.r.Peek(headSize)
	if err != nil && !errors.Is(err, io.EOF) {
		p := tools.InputProblem(s.path, err)
		return nil, &p
	}
	return b, nil
}

// tap has written to w what r gives from here on, as it comes from the file: when r
// is at its end, w has all.
func (s *source) tap(w io.Writer) error {
	b, err := s.r.Peek(s.r.Buffered())
	if err != nil {
		return err
	}
	s.to = w
	_, err = w.Write(b)
	return err
}

// atMost is the problem of a size beyond a limit.
func (s *source) atMost(limit int64) *wire.ToolProblem { return tooLong(s.path, s.st.Size(), limit) }

func tooLong(path string, size, limit int64) *wire.ToolProblem {
	if size <= limit {
		return nil
	}
	p := tools.Problem(tools.InputTooLarge, path, fmt.Sprintf("%d bytes, at most %d", size, limit))
	return &p
}

func (s *source) close() {
	s.f.Close()
	giveReader(s.r)
}

// giveReader is for one that nobody uses any more.
func giveReader(r *bufio.Reader) {
	r.Reset(nil)
	select {
	case idleReader <- r:
	default:
	}
}
