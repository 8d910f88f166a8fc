package sessions

import (
	"cmp"
	"errors"
	"os"
)

// Bounds of the output of one command, in bytes.
const (
	maxAnswer = 1 << 20   // in the answer, of each stream
	MaxFile   = 256 << 20 // in a file
)

// cutLine is the end of a file that has not all.
const cutLine = "\n[piwork: the output went on; only its first 256 MiB are here]\n"

// capture takes one stream of a command: what fits into an answer, and all of it into a file
// once that is not all.
type capture struct {
	dir  string // for the file
	most int64  // in it; 0 is MaxFile
	data []byte
	size int64
	file *os.File
	err  error
}

func (c *capture) take(data []byte) {
	before, most := c.size, cmp.Or(c.most, MaxFile)
	c.size += int64(len(data))
	if c.size > maxAnswer && c.file == nil && c.err == nil {
		if c.file, c.err = os.CreateTemp(c.dir, ".session-*"); c.err == nil {
			_, c.err = c.file.Write(c.data)
		}
	}
	c.data = append(c.data, data[:min(maxAnswer-len(c.data), len(data))]...)
	if c.file == nil || c.err != nil || before > most {
		return
	}
	_, c.err = c.file.Write(data[:min(int64(len(data)), most-before)])
	if c.err == nil && c.cut() {
		_, c.err = c.file.WriteString(cutLine)
	}
}

// cut reports whether its file has not all.
func (c *capture) cut() bool { return c.size > cmp.Or(c.most, MaxFile) }

// drop removes the file.
func (c *capture) drop() {
	if c.file != nil {
		_ = errors.Join(c.file.Close(), os.Remove(c.file.Name())) // a directory of the task, which is swept with it
		c.file = nil
	}
}
