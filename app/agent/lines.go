package agent

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// maxLine is the longest line that is read, in bytes; pictures in a session make
// long ones.
const maxLine = 32 << 20

// keepOfLong is how much is kept of the beginning of a longer line: enough to
// see which command it answers.
const keepOfLong = 4 << 10

// lineReader splits at LF only: U+2028 and U+2029 may stand in JSON strings
// (docs/rpc.md, Framing).
type lineReader struct {
	r   *bufio.Reader
	max int
}

func newLineReader(r io.Reader, longest int) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, 64<<10), max: longest}
}

// next returns a line without its end. With long set, it was longer than the
// bound and data is its beginning. What follows the last LF is no line: pi ended
// while it wrote.
func (l *lineReader) next() (data []byte, long bool, err error) {
	var buf []byte
	for {
		part, err := l.r.ReadSlice('\n')
		switch {
		case long:
		case len(buf)+len(part) > l.max+1: // with its LF
			long = true
			buf = append(buf, part...)
			buf = bytes.Clone(buf[:min(len(buf), keepOfLong)])
		default:
			buf = append(buf, part...)
		}
		if err == nil {
			return bytes.TrimRight(buf, "\r\n"), long, nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return nil, false, err
		}
	}
}
