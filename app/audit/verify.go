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

// brokenBefore begins the reason of what was found when the program started, or removed old
// records.
const brokenBefore = "found earlier: "

// follower follows a chain line by line. After one that does not hold it goes on with the next:
// what was recorded later is shown, too.
type follower struct {
	rep   Report
	head  head
	at    state
	begun bool
	fresh bool // something does not hold of which no record says so
	fn    func(Record)
}

func follow(h head, fn func(Record)) *follower {
	f := &follower{head: h, at: h.start(), fn: fn}
	f.rep.Key = h.Key
	return f
}

// bad notes that the chain does not hold at a record.
func (f *follower) bad(n int64, why error) {
	f.fresh = true
	if f.rep.BadLine == 0 {
		f.rep.BadLine, f.rep.Reason = n, why.Error()
	}
}

// line is the next line.
func (f *follower) line(line []byte) {
	if !f.begun && f.head.expired(line) {
		return
	}
	f.begun = true
	r, err := f.at.next(line)
	if err != nil {
		f.bad(f.at.n+1, err)
		f.at = state{n: f.at.n + 1, prev: hash(line)}
		if errors.Is(err, errNotJSON) || errors.Is(err, errSum) {
			return
		}
		f.at.n = max(f.at.n, r.N) // a whole record, in another place
	}
	switch {
	case r.N == f.head.N && f.at.prev != f.head.Hash:
		f.bad(r.N, errHead)
	case r.Event == EventBroken:
		f.bad(r.N, errors.New(brokenBefore+r.Reason))
		f.fresh = false
	}
	if f.rep.Records == 0 {
		f.rep.First = r.N
	}
	f.rep.Records++
	if f.fn != nil {
		f.fn(r)
	}
}

// end judges what only the last line shows. The head is to be signed with key; ahead lines may
// stand behind it.
func (f *follower) end(torn bool, key PublicKey, ahead int64) {
	h, n := f.head, f.at.n
	switch {
	case h.N < 0:
		f.bad(max(1, n), errHead)
	case h.N == 0 && h.Sig == nil && (key != nil || n > 1):
		f.bad(max(1, n), errNoHead) // without a key, the first line may be there before its head
	case n < h.N:
		f.bad(n+1, errMissing)
	case torn:
		f.bad(n+1, errCutOff)
	case n > h.N+ahead && (h.Sig != nil || n > 1):
		f.bad(h.N+ahead+1, errBehind)
	case key == nil:
	default:
		if err := h.check(key); err != nil {
			f.bad(max(1, n), err)
		}
	}
}

// Verify follows the chain of a log whose head is signed with key; nil accepts any head, also
// one that is not signed. fn, where it is not nil, gets every record that holds. An error means
// that the log could not be read.
func Verify(file string, key PublicKey, fn func(Record)) (Report, error) {
	h, err := readHead(headFile(file))
	if err != nil {
		return Report{}, fmt.Errorf("read the head of the audit log: %w", err)
	}
	f := follow(h, fn)
	data, err := os.Open(file)
	if errors.Is(err, os.ErrNotExist) {
		return f.read(strings.NewReader(""), key, 1)
	}
	if err != nil {
		return Report{}, fmt.Errorf("read the audit log: %w", err)
	}
	defer data.Close()
	return f.read(data, key, 1)
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
	return follow(h, nil).read(in, key, 0)
}

// read follows all lines of a log. What has no line feed behind it is not a line.
func (f *follower) read(r io.Reader, key PublicKey, ahead int64) (Report, error) {
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
	for lines.Scan() {
		f.line(lines.Bytes())
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		f.bad(f.at.n+1, errNotJSON)
	case err != nil:
		return f.rep, fmt.Errorf("read the audit log: %w", err)
	default:
		f.end(torn, key, ahead)
	}
	f.rep.OK = f.rep.BadLine == 0
	return f.rep, nil
}
