package job

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"piwork/pack/tools"
	"piwork/pack/tools/picture"
)

// Source is an input that is opened once: its beginning says what it is, and what
// reads it then goes on from there. On a share each opening is some questions to
// the host.
type Source struct {
	ctx  context.Context // of the operation
	Path string
	f    *os.File
	st   fs.FileInfo
	r    *bufio.Reader // from the beginning
	n    int64         // bytes that were read from the file
	to   io.Writer     // has them; see tap
}

// idleReader is the buffer of a source for the next one.
var idleReader = make(chan *bufio.Reader, 1)

// OpenSource opens an input.
func OpenSource(ctx context.Context, path string) (*Source, error) {
	f, st, err := OpenInput(path, 1<<62)
	if err != nil {
		return nil, err
	}
	s := &Source{ctx: ctx, Path: path, f: f, st: st}
	select {
	case s.r = <-idleReader:
	default:
		s.r = bufio.NewReaderSize(nil, BufferSize)
	}
	s.r.Reset(fromFile{s})
	return s, nil
}

// fromFile fills the buffer of a source.
type fromFile struct{ *Source }

func (s fromFile) Read(b []byte) (int, error) {
	n, err := ContextReader{s.ctx, s.f}.Read(b)
	s.n += int64(n)
	if n > 0 && s.to != nil {
		if _, werr := s.to.Write(b[:n]); werr != nil {
			return n, werr
		}
	}
	return n, err
}

// Head is its beginning, of headSize bytes at most, until more is read.
func (s *Source) Head() ([]byte, error) {
	b, err := s.r.Peek(headSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, RefuseInput(s.Path, err)
	}
	return b, nil
}

// tap has written to w what r gives from here on, as it comes from the file: when r
// is at its end, w has all.
func (s *Source) tap(w io.Writer) error {
	b, err := s.r.Peek(s.r.Buffered())
	if err != nil {
		return err
	}
	s.to = w
	_, err = w.Write(b)
	return err
}

// PictureTaken is when a picture or film was taken, where no more than a part of it
// tells: see [picture.Taken].
func (s *Source) PictureTaken() string { return picture.Taken(s.f, s.st.Size()) }

// tooLong refuses a size beyond a limit.
func tooLong(path string, size, limit int64) error {
	if size <= limit {
		return nil
	}
	return Refuse(tools.InputTooLarge, path, fmt.Sprintf("%d bytes, at most %d", size, limit))
}

// Close closes the file.
func (s *Source) Close() {
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
