package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
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

// Reasons why a record is bad.
var (
	errNotJSON   = errors.New("not a record")
	errNumber    = errors.New("the numbers do not follow each other")
	errPrevious  = errors.New("not made for the line before it")
	errSum       = errors.New("changed after it was written")
	errMissing   = errors.New("lines are missing from the end")
	errNoHead    = errors.New("the file beside the log that knows its last line is missing")
	errHead      = errors.New("the last line is not the one that the head names")
	errBehind    = errors.New("lines stand behind the one that the head names")
	errUnsigned  = errors.New("the head is not signed")
	errOtherKey  = errors.New("the head was signed with another key than this computer's")
	errSignature = errors.New("the signature of the head is wrong")
	errCutOff    = errors.New("cut off")
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
