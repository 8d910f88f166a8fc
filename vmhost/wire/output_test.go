package wire

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// notified is what encoding/json makes of a message, as the general way reads it.
func notified(msg []byte) (o ExecOutput, ok bool) {
	var m struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  string          `json:"method"`
		Params  json.RawMessage `json:"params"`
	}
	if json.Unmarshal(msg, &m) != nil || m.Version != "2.0" || m.ID != nil || m.Method != NotifyExecOutput {
		return o, false
	}
	return o, json.Unmarshal(m.Params, &o) == nil && o.Validate() == nil
}

// What the short way reads, the general one reads as the same.
func FuzzParseOutput(f *testing.F) {
	for _, o := range []ExecOutput{{ID: "a", Stream: Stdout, Data: []byte("x")}, {ID: "a-1_b.c", Stream: Stderr, Data: []byte("xy")}, {ID: "a", Stream: Control, Data: []byte{0, 255, '\n'}}} {
		f.Add(appendOutput(nil, o))
	}
	for _, msg := range []string{
		outputID + `a` + outputStream + `stdout` + outputData + "eA==\r" + outputEnd, outputID + `a` + outputStream + `stdout` + outputData + "eB==" + outputEnd,
		outputID + `a` + outputStream + `stdout` + outputData + `eA==","id":"b` + outputEnd, outputID + `a","stream":"stderr` + outputStream + `stdout` + outputData + outputEnd,
		outputID + `\u0061` + outputStream + `stdout` + outputData + "eA==" + outputEnd, outputID + `a` + outputStream + `x` + outputData + "eA==" + outputEnd, outputID + outputEnd, "",
	} {
		f.Add([]byte(msg))
	}
	f.Fuzz(func(t *testing.T, before []byte) {
		msg := bytes.Clone(before)
		o, ok := ParseOutput(msg)
		if !bytes.Equal(msg, before) {
			t.Fatal("the message was changed")
		}
		if !ok {
			return
		}
		if want, good := notified(msg); !good || want.ID != o.ID || want.Stream != o.Stream || !bytes.Equal(want.Data, o.Data) {
			t.Errorf("%q: %+v, in general %+v %v", msg, o, want, good)
		}
		clear(msg)
		if again, _ := ParseOutput(before); !bytes.Equal(again.Data, o.Data) || again.ID != o.ID || again.Stream != o.Stream {
			t.Error("it is a part of the message")
		}
	})
}

// Whatever is valid is written as encoding/json would, and read again.
func TestOutput(t *testing.T) {
	for _, o := range []ExecOutput{
		{ID: "a", Stream: Stdout, Data: []byte("x")}, {ID: strings.Repeat("a", MaxID), Stream: Stderr, Data: bytes.Repeat([]byte{0xFF}, MaxChunk)},
		{ID: "a", Stream: Control, Data: []byte("\x18\n\r\"")},
	} {
		if err := o.Validate(); err != nil {
			t.Fatal(err)
		}
		msg := appendOutput(nil, o)
		params, err := json.Marshal(o)
		if want := slices.Concat([]byte(`{"jsonrpc":"2.0","method":"`+NotifyExecOutput+`","params":`), params, []byte("}")); err != nil || !bytes.Equal(msg, want) {
			t.Errorf("%.200s, want %.200s %v", msg, want, err)
		}
		if got, ok := ParseOutput(msg); !ok || got.ID != o.ID || got.Stream != o.Stream || !bytes.Equal(got.Data, o.Data) {
			t.Errorf("%.200s is %+v %v", msg, got, ok)
		}
	}
	for _, o := range []ExecOutput{{}, {ID: "a\"", Stream: Stdout, Data: []byte("x")}, {ID: "a", Stream: `x","a":"`, Data: []byte("x")}, {ID: "a", Stream: Stdout, Data: make([]byte, MaxChunk+1)}} {
		var b bytes.Buffer
		if err := Channel(&b, nil).SendOutput(o); err == nil || b.Len() > 0 {
			t.Errorf("%.200q is sent: %.200s", o.ID, b.String())
		}
	}
}
