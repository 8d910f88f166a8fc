package resume

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Streams of a place on another computer.
const (
	StreamRPC  = "rpc"  // the conversation with the agent
	StreamFUSE = "fuse" // messages of FUSE, whole ones one after the other: each says its length
)

// Actions of a [Request].
const (
	ActionStart  = "start"  // make a place with an agent in it
	ActionAttach = "attach" // frames of a Link follow the answer
	ActionEnd    = "end"    // end a place; the answer comes when nothing of it is left
	ActionSend   = "send"   // have the programs of a pack there; unless the answer is that they are, the rest of them follows
	ActionSent   = "sent"   // the last line of that
)

// Request is the first line, as JSON, to a program on another computer.
type Request struct {
	Action string `json:"action"`
	Token  string `json:"token,omitempty"`  // what only those have who may attach to the place
	ID     string `json:"id,omitempty"`     // of the place; of ActionAttach and ActionEnd
	Stream string `json:"stream,omitempty"` // of ActionAttach

	// Of ActionStart.
	Online     bool  `json:"online,omitempty"`
	Folders    bool  `json:"folders,omitempty"`
	State      bool  `json:"state,omitempty"`
	PatienceMS int64 `json:"patienceMs,omitempty"` // without a connection it ends after that

	// Pack names the programs of a pack. Of ActionSend; of ActionStart it is what programs of
	// the place see in place of the computer's own.
	Pack string `json:"pack,omitempty"`

	SHA256 string `json:"sha256,omitempty"` // of ActionSent: of all that was sent, with what was there before
}

// Answer is the first line back.
type Answer struct {
	ID     string `json:"id,omitempty"`
	SHA256 string `json:"sha256,omitempty"` // of the program that answers
	User   int    `json:"user,omitempty"`   // whose files are, in the place
	Ready  bool   `json:"ready,omitempty"`  // the programs of the pack are there
	Have   int64  `json:"have,omitempty"`   // else how many bytes of them are
	Error  string `json:"error,omitempty"`
	Code   string `json:"code,omitempty"` // of Error
}

// Codes of an Answer.
const (
	CodeNamespaces = "namespaces" // the computer gives people no namespaces of their own
	CodeFUSE       = "fuse"       // it has no FUSE, or not for this user
	CodeGone       = "gone"       // there is no such place any more
	CodeDisk       = "disk"       // no space is left there
	CodeBusy       = "busy"       // somebody else is sending the programs, or works with those that are to go
	CodeDamaged    = "damaged"    // what arrived is not what was sent, and is gone again
	CodeUnsafe     = "unsafe"     // the directory that is piwork's there could be another's
)

// MaxIO is how much one request of FUSE reads or writes, in bytes: where folders are served,
// messages go through a socket, which carries no larger ones.
const MaxIO = 128 << 10

// MaxMessage bounds a message of FUSE, in bytes.
const MaxMessage = MaxIO + 8<<10

// maxLine bounds the lines of Requests and Answers.
const maxLine = 16 << 10

// WriteLine writes v as one line.
func WriteLine(w io.Writer, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(b, '\n'))
	return err
}

// ReadLine reads one line into v, and nothing that follows.
func ReadLine(r io.Reader, v any) error {
	var line []byte
	for one := make([]byte, 1); len(line) < maxLine; {
		if _, err := io.ReadFull(r, one); err != nil {
			return err
		}
		if one[0] == '\n' {
			if err := json.Unmarshal(line, v); err != nil {
				return fmt.Errorf("%w: %w", ErrProtocol, err)
			}
			return nil
		}
		line = append(line, one[0])
	}
	return errors.Join(ErrProtocol, errors.New("a line that is too long"))
}
