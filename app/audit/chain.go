package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"piwork/app/durable"
)

// Genesis is what the first record's "prev" is the hash of.
const Genesis = "piwork audit log, version 1"

// sumStart begins the last member of every line.
const sumStart = `,"sum":"`

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// seal makes the line of a record: its JSON with the sum as last member.
func seal(r Record) ([]byte, error) {
	data, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	data = data[:len(data)-1] // the closing brace
	sum := hash(data)
	return append(append(append(data, sumStart...), sum...), `"}`...), nil
}

// Reasons why a line is bad.
var (
	errNotJSON  = errors.New("not a record")
	errNumber   = errors.New("the numbers do not follow each other")
	errPrevious = errors.New("not made for the line before it")
	errSum      = errors.New("changed after it was written")
	errMissing  = errors.New("lines are missing from the end")
	errNoHead   = errors.New("the file beside the log that knows its last line is missing")
	errHead     = errors.New("the last line is not the one that the head names")
	errCutOff   = errors.New("cut off")
)

// state is where a chain stands after some lines.
type state struct {
	n    int64
	prev string
}

func genesis() state { return state{prev: hash([]byte(Genesis))} }

// next checks a line and moves the state behind it.
func (s *state) next(line []byte) (Record, error) {
	var r Record
	at := bytes.LastIndex(line, []byte(sumStart))
	if at < 0 || json.Unmarshal(line, &r) != nil || r.V < 1 {
		return r, errNotJSON
	}
	if string(line[at:]) != sumStart+hash(line[:at])+`"}` {
		return r, errSum
	}
	if r.N != s.n+1 {
		return r, errNumber
	}
	if r.Prev != s.prev {
		return r, errPrevious
	}
	*s = state{n: r.N, prev: hash(line)}
	return r, nil
}

// head is the content of the file beside the log.
type head struct {
	N    int64  `json:"n"`
	Hash string `json:"hash"` // of line N
}

func readHead(file string) (head, error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return head{}, nil
	}
	if err != nil {
		return head{}, err
	}
	var h head
	if json.Unmarshal(data, &h) != nil || h.N < 1 {
		return head{N: -1}, nil // damaged: no line matches it
	}
	return h, nil
}

func writeHead(file string, s state) error {
	data, err := json.Marshal(head{N: s.n, Hash: s.prev})
	if err != nil {
		return err
	}
	return durable.WriteFile(file, append(data, '\n'))
}

// Report is the outcome of following the chain.
type Report struct {
	OK      bool   `json:"ok"`                // the whole chain holds
	Records int64  `json:"records"`           // that hold
	BadLine int64  `json:"badLine,omitempty"` // the first line that does not, from 1; 0 when all do
	Reason  string `json:"reason,omitempty"`  // why it does not, in English
}

var errStop = errors.New("stop")

// Verify follows the chain of a log. fn, where it is not nil, gets every record
// that holds. An error means that the log could not be read.
func Verify(file string, fn func(Record)) (Report, error) {
	s := genesis()
	var rep Report
	h, err := readHead(headFile(file))
	if err != nil {
		return rep, fmt.Errorf("read the head of the audit log: %w", err)
	}
	bad := func(line int64, why error) error {
		rep.BadLine, rep.Reason = line, why.Error()
		return errStop
	}
	err = durable.ReadLines(file, func(n int64, line []byte) error {
		r, err := s.next(line)
		if err != nil {
			return bad(n, err)
		}
		if n == h.N && s.prev != h.Hash {
			return bad(n, errHead)
		}
		rep.Records = n
		if fn != nil {
			fn(r)
		}
		return nil
	})
	if err == nil && rep.Records < h.N {
		err = bad(rep.Records+1, errMissing)
	}
	// The first line of a log may be there before its head, when piwork was killed in between.
	if err == nil && h.N == 0 && rep.Records > 1 {
		err = bad(rep.Records, errNoHead)
	}
	if err == nil && h.N < 0 {
		err = bad(max(1, rep.Records), errHead)
	}
	if err == nil && !endsWhole(file) {
		err = bad(rep.Records+1, errCutOff)
	}
	if err != nil && !errors.Is(err, errStop) {
		return rep, fmt.Errorf("read the audit log: %w", err)
	}
	rep.OK = rep.BadLine == 0
	return rep, nil
}

// endsWhole reports whether a file is empty, absent or ends with a line feed.
func endsWhole(file string) bool {
	f, err := os.Open(file)
	if err != nil {
		return errors.Is(err, os.ErrNotExist)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return err == nil
	}
	last := make([]byte, 1)
	_, err = f.ReadAt(last, info.Size()-1)
	return err == nil && last[0] == '\n'
}
