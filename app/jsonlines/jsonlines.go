// Package jsonlines reads what programs write to a door of piwork, a message a line: bounded,
// and so that a line which is none costs the line and not the connection. It writes to programs
// that may have stopped to read. The doors are `serve --stdio`, `mcp` and `acp`.
package jsonlines

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// Each calls f with each line that is not empty, without its line feed, until the end of in or
// the first error of f. whole is false for a line of more than most bytes, of which line is the
// beginning. A line is f's own: the next one does not touch it.
func Each(in io.Reader, most int, f func(line []byte, whole bool) error) error {
	r := bufio.NewReaderSize(in, 64<<10)
	for {
		line, whole, err := read(r, most)
		if len(bytes.TrimSpace(line)) > 0 {
			if err := f(line, whole); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// read reads a line of at most n bytes. Of a longer one it keeps the beginning.
func read(r *bufio.Reader, n int) (line []byte, whole bool, err error) {
	whole = true
	for {
		part, err := r.ReadSlice('\n')
		if room := n - len(line); len(part) > room+1 || len(part) > room && err != nil {
			part, whole = part[:max(0, room)], false
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSuffix(line, []byte("\n")), whole, err
		}
	}
}

const maxID = 1 << 10 // bytes

// IDOf is the id of a JSON-RPC message of which the beginning alone is known; nil where it is
// not there.
func IDOf(head []byte) json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(head))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	for {
		key, err := d.Token()
		if err != nil {
			return nil
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil
		}
		if key == "id" && len(value) > 0 && value[0] != '{' && value[0] != '[' && len(value) <= maxID {
			return value
		}
	}
}
