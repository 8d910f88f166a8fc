package audit

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"piwork/app/durable"
)

// Report is the outcome of following the chain.
type Report struct {
	OK      bool   `json:"ok"`                // the whole chain holds
	Records int64  `json:"records"`           // that hold
	First   int64  `json:"first,omitempty"`   // number of the first record; those before it expired
	BadLine int64  `json:"badLine,omitempty"` // number of the first record that does not hold; 0 when all do
	Reason  string `json:"reason,omitempty"`  // why it does not, in English
	Key     string `json:"key,omitempty"`     // that the head is signed with, in base64
}

// brokenBefore begins the reason of what was found when the program started.
const brokenBefore = "found at an earlier start: "

var errStop = errors.New("stop")

// follower follows a chain line by line.
type follower struct {
	rep   Report
	head  head
	at    state
	begun bool
	fn    func(Record)
}

func follow(h head, fn func(Record)) *follower {
	f := &follower{head: h, at: h.start(), fn: fn}
	f.rep.Key = h.Key
	return f
}

// bad ends the following at a record.
func (f *follower) bad(n int64, why error) error {
	f.rep.BadLine, f.rep.Reason = n, why.Error()
	return errStop
}

// line is the next line.
func (f *follower) line(line []byte) error {
	if !f.begun && f.head.expired(line) {
		return nil
	}
	f.begun = true
	r, err := f.at.next(line)
	switch {
	case err != nil:
		return f.bad(f.at.n+1, err)
	case r.N == f.head.N && f.at.prev != f.head.Hash:
		return f.bad(r.N, errHead)
	case r.Event == EventBroken:
		return f.bad(r.N, errors.New(brokenBefore+r.Reason))
	}
	if f.rep.Records == 0 {
		f.rep.First = r.N
	}
	f.rep.Records++
	if f.fn != nil {
		f.fn(r)
	}
	return nil
}

// end judges what only the last line shows. The head is to be signed with key.
func (f *follower) end(torn bool, key PublicKey) error {
	h, n := f.head, f.at.n
	switch {
	case h.N < 0:
		return f.bad(max(1, n), errHead)
	case n < h.N:
		return f.bad(n+1, errMissing)
	case torn:
		return f.bad(n+1, errCutOff)
	case h.N == 0 && n > 1: // the first line may be there before its head
		return f.bad(n, errNoHead)
	case n > h.N+1:
		return f.bad(h.N+2, errBehind)
	case h.N == 0 && h.Sig == nil || key == nil:
		return nil
	}
	if err := h.check(key); err != nil {
		return f.bad(n, err)
	}
	return nil
}

// over is the report, once err ended the following.
func (f *follower) over(err error) (Report, error) {
	if err != nil && !errors.Is(err, errStop) {
		return f.rep, fmt.Errorf("read the audit log: %w", err)
	}
	f.rep.OK = f.rep.BadLine == 0
	return f.rep, nil
}

// Verify follows the chain of a log whose head is signed with key; nil accepts any head, also
// one that is not signed. fn, where it is not nil, gets every record that holds. An error means
// that the log could not be read.
func Verify(file string, key PublicKey, fn func(Record)) (Report, error) {
	h, err := readHead(headFile(file))
	if err != nil {
		return Report{}, fmt.Errorf("read the head of the audit log: %w", err)
	}
	data, err := os.Open(file)
	if errors.Is(err, os.ErrNotExist) {
		return follow(h, fn).read(strings.NewReader(""), key)
	}
	if err != nil {
		return Report{}, fmt.Errorf("read the audit log: %w", err)
	}
	defer data.Close()
	return follow(h, fn).read(data, key)
}

// VerifyExport follows the chain of what [Log.Export] wrote, on any computer. key is nil where
// only the report says which it was signed with.
func VerifyExport(r io.Reader, key PublicKey) (Report, error) {
	in := bufio.NewReader(r)
	line, err := in.ReadSlice('\n')
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
		return Report{}, fmt.Errorf("read the export: %w", err)
	}
	h := parseHead(line)
	if key == nil {
		if key, err = ParsePublicKey(h.Key); err != nil {
			key = PublicKey{} // the check fails
		}
	}
	return follow(h, nil).read(in, key)
}

// read follows all lines of a log. What has no line feed behind it is not a line.
func (f *follower) read(r io.Reader, key PublicKey) (Report, error) {
	torn := false
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, durable.MaxLine)
	lines.Split(func(data []byte, last bool) (int, []byte, error) {
		if i := bytes.IndexByte(data, '\n'); i >= 0 {
			return i + 1, data[:i], nil
		}
		if !last {
			return 0, nil, nil
		}
		torn = len(data) > 0
		return len(data), nil, nil
	})
	var err error
	for err == nil && lines.Scan() {
		err = f.line(lines.Bytes())
	}
	if err == nil {
		err = lines.Err()
	}
	if errors.Is(err, bufio.ErrTooLong) {
		err = f.bad(f.at.n+1, errNotJSON)
	}
	if err == nil {
		err = f.end(torn, key)
	}
	return f.over(err)
}
