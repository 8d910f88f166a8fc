package sessions

import (
	"cmp"
	"errors"
	"os"
	"sync/atomic"
)

// Bounds of the output of one command, in bytes.
const (
	maxAnswer = 1 << 20   // in the answer, of each stream
	MaxFile   = 256 << 20 // in a file
	maxFiles  = 4 << 30   // in all files of a task
)

// cutLine is the end of a file that has not all.
const cutLine = "\n[piwork: the output went on; only its first 256 MiB are here]\n"

// errFull is why there is no file.
var errFull = errors.New("the task has no more room for outputs")

// capture takes one stream of a command: what fits into an answer, and all of it into a file
// once that is not all.
type capture struct {
	dir  string        // for the file
	room *atomic.Int64 // bytes that files of the task may still have
	most int64         // in the file; 0 is MaxFile
	data []byte
	size int64
	file *os.File
	has  int64 // bytes, the file
	err  error // why there is no file
}

func (c *capture) take(data []byte) {
	before, most := c.size, cmp.Or(c.most, MaxFile)
	c.size += int64(len(data))
	if c.size > maxAnswer && c.file == nil && c.err == nil {
		if c.file, c.err = os.CreateTemp(c.dir, ".session-*"); c.err == nil {
			c.put(c.data)
		}
	}
	c.data = append(c.data, data[:min(maxAnswer-len(c.data), len(data))]...)
	if c.file == nil || before > most {
		return
	}
	c.put(data[:min(int64(len(data)), most-before)])
	if c.file != nil && c.cut() {
		c.put([]byte(cutLine))
	}
}

// put writes to the file, which goes when it cannot have all that is to be in it.
func (c *capture) put(data []byte) {
	if c.file == nil {
		return
	}
	c.has += int64(len(data))
	if c.room.Add(-int64(len(data))) < 0 {
		c.err = errFull
	} else {
		_, c.err = c.file.Write(data)
	}
	if c.err != nil {
		c.drop()
	}
}

// cut reports whether the output is nowhere as a whole.
func (c *capture) cut() bool { return c.err != nil || c.size > cmp.Or(c.most, MaxFile) }

// keep makes the file, if there is one, a result by a function, and returns its name; "" when
// the task is over, or it could not be kept.
func (c *capture) keep(as func(file string) (string, error)) (name string) {
	if c.file == nil {
		return ""
	}
	if c.err = errors.Join(c.file.Sync(), c.file.Close()); c.err == nil {
		name, c.err = as(c.file.Name())
	}
	if name == "" {
		c.drop()
	}
	c.file = nil
	return name
}

// drop removes the file.
func (c *capture) drop() {
	if c.file != nil {
		_ = errors.Join(c.file.Close(), os.Remove(c.file.Name())) // a directory of the task, which is swept with it
		c.room.Add(c.has)
		c.file, c.has = nil, 0
	}
}
