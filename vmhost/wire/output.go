package wire

import (
	"bytes"
	"encoding/base64"
	"slices"
	"strings"
)

// What a NotifyExecOutput is made of. JSON libraries decode it at 40 MB/s, for they read the
// data as a text, as a part of the parameters and as a part of the message.
const (
	outputID     = `{"jsonrpc":"2.0","method":"` + NotifyExecOutput + `","params":{"id":"`
	outputStream = `","stream":"`
	outputData   = `","data":"`
	outputEnd    = `"}}`
)

// appendOutput appends a valid NotifyExecOutput, as encoding/json would write it.
func appendOutput(to []byte, o ExecOutput) []byte {
	to = append(append(to, outputID...), o.ID...)
	to = append(append(to, outputStream...), o.Stream...)
	to = append(to, outputData...)
	n := base64.StdEncoding.EncodedLen(len(o.Data))
	to = slices.Grow(to, n+len(outputEnd))
	base64.StdEncoding.Encode(to[len(to):len(to)+n], o.Data)
	return append(to[:len(to)+n], outputEnd...)
}

// ParseOutput decodes a message that is written exactly as SendOutput does, and valid. Of any
// other it reports false: it may be the same in other words, or anything else. The data is
// the caller's, not a part of msg.
func ParseOutput(msg []byte) (o ExecOutput, ok bool) {
	rest, ok := bytes.CutPrefix(msg, []byte(outputID))
	if !ok {
		return ExecOutput{}, false
	}
	// Nothing of an id or a stream is escaped: a valid one has no such characters.
	id, rest, ok := bytes.Cut(rest[:min(len(rest), MaxID+len(outputStream)+len(Control)+len(outputData))], []byte(outputStream))
	if !ok {
		return ExecOutput{}, false
	}
	stream, _, ok := bytes.Cut(rest, []byte(outputData))
	if !ok {
		return ExecOutput{}, false
	}
	data, ok := bytes.CutSuffix(msg[len(outputID)+len(id)+len(outputStream)+len(stream)+len(outputData):], []byte(outputEnd))
	if !ok || len(data) > base64.StdEncoding.EncodedLen(MaxChunk) || bytes.IndexByte(data, '\r') >= 0 { // which the decoder skips, and JSON refuses
		return ExecOutput{}, false
	}
	switch o.ID = string(id); string(stream) {
	case Stdout:
		o.Stream = Stdout
	case Stderr:
		o.Stream = Stderr
	default:
		o.Stream = strings.Clone(string(stream))
	}
	o.Data = make([]byte, base64.StdEncoding.DecodedLen(len(data)))
	n, err := base64.StdEncoding.Decode(o.Data, data)
	o.Data = o.Data[:n]
	if err != nil || o.Validate() != nil {
		return ExecOutput{}, false
	}
	return o, true
}
