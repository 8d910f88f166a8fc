package wire

import (
	"bytes"
	"encoding/base64"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// What a NotifyExecOutput is made of. JSON libraries decode it at 40 MB/s, for they read the
// data as a text, as a part of the parameters and as a part of the message.
const (
	outputID     = `{"jsonrpc":"2.0","method":"` + NotifyExecOutput + `","params":{"id":"`
	outputStream = `","stream":"`
	outputData   = `","data":"`
	outputEnd    = `"}}`

	// In the place of the data its size, where it follows the message as it is: base64 there and
	// back is a third of what the way of output takes.
	outputSize = `","size":`
	sizeEnd    = `}}`
)

// OutputWeight is what a piece of so many bytes counts of ExecParams.Ahead: small ones cost
// their receiver more than their bytes.
func OutputWeight(n int) int64 { return max(int64(n), MinWeight) }

// MinWeight is the least weight of a piece.
const MinWeight = 4 << 10

// appendHead appends a NotifyExecOutput up to its data.
func appendHead(to []byte, o ExecOutput) []byte {
	to = append(append(to, outputID...), o.ID...)
	return append(append(to, outputStream...), o.Stream...)
}

// appendOutput appends a valid NotifyExecOutput, as encoding/json would write it.
func appendOutput(to []byte, o ExecOutput) []byte {
	to = append(appendHead(to, o), outputData...)
	n := base64.StdEncoding.EncodedLen(len(o.Data))
	to = slices.Grow(to, n+len(outputEnd))
	base64.StdEncoding.Encode(to[len(to):len(to)+n], o.Data)
	return append(to[:len(to)+n], outputEnd...)
}

// appendRaw appends a valid NotifyExecOutput with its end, and the data behind it.
func appendRaw(to []byte, o ExecOutput) []byte {
	to = strconv.AppendInt(append(appendHead(to, o), outputSize...), int64(len(o.Data)), 10)
	return append(append(append(to, sizeEnd...), '\n'), o.Data...)
}

// parseHead decodes a message up to its data.
func parseHead(msg []byte) (o ExecOutput, rest []byte, ok bool) {
	rest, ok = bytes.CutPrefix(msg, []byte(outputID))
	if !ok {
		return o, nil, false
	}
	// Nothing of an id or a stream is escaped: a valid one has no such characters.
	id, _, ok := bytes.Cut(rest[:min(len(rest), MaxID+len(outputStream))], []byte(outputStream))
	if !ok {
		return o, nil, false
	}
	rest = rest[len(id)+len(outputStream):]
	end := bytes.IndexByte(rest[:min(len(rest), len(Control)+1)], '"')
	if end < 0 {
		return o, nil, false
	}
	switch o.ID = string(id); string(rest[:end]) {
	case Stdout:
		o.Stream = Stdout
	case Stderr:
		o.Stream = Stderr
	default:
		o.Stream = string(rest[:end])
	}
	return o, rest[end:], true
}

// ParseOutput decodes a message that is written exactly as SendOutput does without Raw, and
// valid. Of any other it reports false: it may be the same in other words, or anything
// else. The data is the caller's, not a part of msg.
func ParseOutput(msg []byte) (o ExecOutput, ok bool) {
	o, rest, ok := parseHead(msg)
	if !ok {
		return ExecOutput{}, false
	}
	data, begins := bytes.CutPrefix(rest, []byte(outputData))
	data, ends := bytes.CutSuffix(data, []byte(outputEnd))
	if !begins || !ends || len(data) > base64.StdEncoding.EncodedLen(MaxChunk) || bytes.IndexByte(data, '\r') >= 0 { // which the decoder skips, and JSON refuses
		return ExecOutput{}, false
	}
	o.Data = make([]byte, base64.StdEncoding.DecodedLen(len(data)))
	n, err := base64.StdEncoding.Decode(o.Data, data)
	o.Data = o.Data[:n]
	if err != nil || o.Validate() != nil {
		return ExecOutput{}, false
	}
	return o, true
}

// parseRaw decodes a message that is written exactly as SendOutput does with Raw, and valid.
// Its data is to be read yet.
func parseRaw(msg []byte) (o ExecOutput, ok bool) {
	o, rest, ok := parseHead(msg)
	if !ok {
		return ExecOutput{}, false
	}
	text, begins := strings.CutPrefix(string(rest[:min(len(rest), maxShort)]), outputSize)
	text, ends := strings.CutSuffix(text, sizeEnd)
	size, err := strconv.ParseUint(text, 10, 32)
	if !begins || !ends || err != nil || size > MaxChunk {
		return ExecOutput{}, false
	}
	o.Data = newData(int(size))
	return o, o.Validate() == nil
}

// dataSize is the size of the buffers that are used again: what an agent reads from a full
// pipe.
const dataSize = 64 << 10

// buffers are those of output that nobody needs any more. As garbage, the output of a program
// kept the collector busy for longer than it took to arrive.
var buffers = sync.Pool{New: func() any { return new([dataSize]byte) }}

func newData(n int) []byte {
	if n <= dataSize/2 || n > dataSize {
		return make([]byte, n)
	}
	return buffers.Get().(*[dataSize]byte)[:n]
}

// Free says that nobody will read the data any more. Who does not say it leaves it to the
// garbage collector.
func (o ExecOutput) Free() {
	if cap(o.Data) == dataSize {
		buffers.Put((*[dataSize]byte)(o.Data[:dataSize]))
	}
}
