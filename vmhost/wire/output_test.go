package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
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

// Output that follows its message comes as it is, whatever is in it and however it arrives, and
// what comes after it is a message again. One that is cut off is dropped.
func TestRawOutput(t *testing.T) {
	want := []ExecOutput{
		{ID: "a", Stream: Stdout, Data: []byte("x")}, {ID: strings.Repeat("a", MaxID), Stream: Stderr, Data: bytes.Repeat([]byte("\x18\n{}\r\n"), MaxChunk/6)},
		{ID: "a", Stream: Control, Data: []byte("\n")}, {ID: "b", Stream: Stdout, Data: make([]byte, MaxChunk)},
	}
	var sent bytes.Buffer
	ch, cut := Channel(&sent, nil), 0
	for _, o := range want {
		cut = sent.Len() + MaxChunk/2 // of the last one
		plain := o
		o.Raw = true
		if err := errors.Join(ch.SendOutput(o), ch.Send([]byte(`{"a":1}`)), ch.SendOutput(plain)); err != nil {
			t.Fatal(err)
		}
	}
	for how, r := range map[string]io.Reader{"whole": bytes.NewReader(sent.Bytes()), "halved": iotest.HalfReader(bytes.NewReader(sent.Bytes())), "cut": bytes.NewReader(sent.Bytes()[:cut])} {
		ch := Channel(pipe{r, nil}, nil)
		for i := range len(want) * 3 {
			if how == "cut" && i == len(want)*3-3 {
				break
			}
			msg, o, err := ch.RecvOutput()
			if w := want[i/3]; err != nil || i%3 == 1 && string(msg) != `{"a":1}` || i%3 != 1 && (msg != nil || o.ID != w.ID || o.Stream != w.Stream || !bytes.Equal(o.Data, w.Data)) {
				t.Fatalf("%s: message %d: %.80q %s %d bytes, %v", how, i, msg, o.Stream, len(o.Data), err)
			}
		}
		if msg, _, err := ch.RecvOutput(); !errors.Is(err, io.EOF) {
			t.Errorf("%s: %.80q %v", how, msg, err)
		}
	}
}

// What is no output as SendOutput has it is a message like any other, and takes nothing of what
// follows.
func TestNoRawOutput(t *testing.T) {
	for _, msg := range []string{
		outputID + "a" + outputStream + "stdout" + outputSize + "0" + sizeEnd, outputID + "a" + outputStream + "stdout" + outputSize + "262145" + sizeEnd,
		outputID + "a" + outputStream + "stdout" + outputSize + "-1" + sizeEnd, outputID + "a" + outputStream + "stdout" + outputSize + "1" + sizeEnd + "}",
		outputID + "a" + outputStream + "x" + outputSize + "1" + sizeEnd, outputID + "" + outputStream + "stdout" + outputSize + "1" + sizeEnd,
		outputID + "a" + outputStream + "stdout" + outputSize + strings.Repeat("1", 400) + sizeEnd, outputID + "a" + outputStream + "stdout", outputID,
	} {
		ch := Channel(pipe{strings.NewReader(msg + "\nnext\n"), nil}, nil)
		for _, want := range []string{msg, "next"} {
			if got, _, err := ch.RecvOutput(); err != nil || string(got) != want {
				t.Errorf("%.80q: %.80q %v", msg, got, err)
			}
		}
	}
}
