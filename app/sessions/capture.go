package sessions

import (
	"errors"
	"os"
)

// Bounds of the output of one command, in bytes.
const (
	maxAnswer = 1 << 20   // in the answer, of each stream
	maxFile   = 256 << 20 // in a file
)

// capture takes one stream of a command: what fits into an answer, and all of it into a file
// once that is not all.
type capture struct {
	dir  string // for the file
	data []byte
	size int64
	file *os.File
	err  error
}

func (c *capture) take(data []byte) {
	c.size += int64(len(data))
	if c.size <= maxAnswer {
		c.data = append(c.data, data...)
		return
	}
	if c.file == nil && c.err == nil {
		if c.file, c.err = os.CreateTemp(c.dir, ".session-*"); c.err == nil {
			_, c.err = c.file.Write(c.data)
		}
	}
	if room := maxAnswer - len(c.data); room > 0 {
		c.data = append(c.data, data[:min(room, len(data))]...)
		data = data[:len(data):len(data)]
		if c.err == nil {
			_, c.err = c.file.Write(data)
		}
		return
	}
	if c.err == nil && c.size <= maxFile {
		_, c.err = c.file.Write(data)
	}
}

// drop removes the file.
func (c *capture) drop() {
	if c.file != nil {
		_ = errors.Join(c.file.Close(), os.Remove(c.file.Name())) // a directory of the task, which is swept with it
		c.file = nil
	}
}
