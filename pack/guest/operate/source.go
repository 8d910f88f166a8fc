package operate

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"

	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

// source is an input that is opened once: its beginning says what it is, and what
// reads it then goes on from there. On a share each opening is some questions to
// the host.
type source struct {
	path string
	f    *os.File
	st   fs.FileInfo
	r    *bufio.Reader // from the beginning
}

// sourceBuffers spare many small files a large buffer each, as copyBuffers do.
var sourceBuffers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, copySize) }}

// openSource opens an input. The problem is about it.
func openSource(ctx context.Context, path string) (*source, *wire.ToolProblem) {
	f, st, problem := openInput(path, 1<<62)
	if problem != nil {
		return nil, problem
	}
	r := sourceBuffers.Get().(*bufio.Reader)
	r.Reset(contextReader{ctx, f})
	return &source{path: path, f: f, st: st, r: r}, nil
}

// head is its beginning, of headSize bytes at most.
func (s *source) head() ([]byte, *wire.ToolProblem) {
	b, err := s.r.Peek(headSize)
	if err != nil && !errors.Is(err, io.EOF) {
		p := tools.InputProblem(s.path, err)
		return nil, &p
	}
	return b, nil
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
	s.r.Reset(nil)
	sourceBuffers.Put(s.r)
}
