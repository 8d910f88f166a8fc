package wire

import (
	"errors"

	"github.com/creachadair/jrpc2"
)

// Error codes beyond those that JSON-RPC reserves.
const (
	CodeVersion    = jrpc2.Code(1001) // the other side speaks another protocol version
	CodeNotFound   = jrpc2.Code(1002) // no such session, execution or file
	CodeExists     = jrpc2.Code(1003) // the id is taken
	CodeInvalid    = jrpc2.Code(1004) // parameters are well-formed and wrong
	CodeStart      = jrpc2.Code(1005) // the program could not be started
	CodeMount      = jrpc2.Code(1006) // the share could not be mounted
	CodeUnknownOp  = jrpc2.Code(1007) // no such tool operation in this pack
	CodeBusy       = jrpc2.Code(1008) // try again later
	CodeGuestFault = jrpc2.Code(1009) // something in the guest is broken
	CodeUnprepared = jrpc2.Code(1010) // guest.prepare comes first
	CodeLink       = jrpc2.Code(1011) // the gateway or the network card could not be set up
)

// ErrLineTooLong ends a conversation in which a side sent more than [MaxLine]
// bytes without a line feed.
var ErrLineTooLong = errors.New("wire: message longer than the limit")

// ErrorData is the data member of every error the agent answers with.
type ErrorData struct {
	Retryable bool   `json:"retryable"`
	Hint      string `json:"hint,omitempty"` // what to look at, for a log, in English

	// Errno is why a program could not be found or executed, of CodeStart, as Linux
	// counts errors; 0 for other reasons.
	Errno int `json:"errno,omitempty"`
}
