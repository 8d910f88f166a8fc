package client

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"piwork/app/problem"
	"piwork/app/task"
)

func TestReadStream(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"one", "data: a\n\n", "a"},
		{"with id and comment", ": hi\n\nid: 1\ndata: a\n\n", "a"},
		{"without the space", "data:a\n\n", "a"},
		{"of two lines", "data: a\ndata: b\n\n", "a\nb"},
		{"carriage returns", "data: a\r\n\r\n", "a"},
		{"two", "data: a\n\ndata: b\n\n", "a|b"},
		{"cut off", "data: a\n\ndata: b\n", "a"},
		{"unknown field", "foo: x\nevent: y\ndata: a\n\n", "a"},
		{"nothing", "", ""},
	} {
		var got []string
		err := ReadStream(strings.NewReader(tt.in), func(_ string, _ int64, d []byte) error { got = append(got, string(d)); return nil })
		if err == nil || strings.Join(got, "|") != tt.want {
			t.Errorf("%s: %q %v, want %q", tt.name, got, err, tt.want)
		}
	}
}

// Data gets the type of its kind; what is not known passes as it is.
func TestDecodeEvent(t *testing.T) {
	now := time.Now().UTC()
	for _, e := range []task.Event{
		{V: 1, Seq: 4, Time: now, Task: "a", Kind: task.EventState, Data: task.StateData{State: task.StateFailed, Error: &problem.Problem{Code: "x", Fix: []problem.Fix{}}}},
		{V: 1, Time: now, Task: "a", Kind: task.EventOutput, Data: task.OutputData{Stream: "stdout", Data: []byte{0, 255}}},
		{V: 1, Time: now, Kind: "new-kind", Data: map[string]any{"x": 1}},
	} {
		line, _ := json.Marshal(e)
		got, err := DecodeEvent(line)
		if err != nil {
			t.Fatal(err)
		}
		again, _ := json.Marshal(got)
		if string(again) != string(line) {
			t.Errorf("%s became %s", line, again)
		}
		if _, raw := got.Data.(json.RawMessage); raw != (e.Kind == "new-kind") {
			t.Errorf("data of %s is a %T", e.Kind, got.Data)
		}
	}
	for _, bad := range []string{"", "[]", "{", `{"kind":"state","data":[]}`} {
		if e, err := DecodeEvent([]byte(bad)); err == nil {
			t.Errorf("%q gave %+v", bad, e)
		}
	}
}

func FuzzReadStream(f *testing.F) {
	f.Add("data: {\"kind\":\"state\",\"data\":{\"state\":\"done\"}}\n\n")
	f.Add(": x\n\nid: 3\ndata: a\ndata\n\r\n\n")
	f.Fuzz(func(t *testing.T, in string) {
		if err := ReadStream(strings.NewReader(in), func(_ string, _ int64, d []byte) error {
			_, _ = DecodeEvent(d)
			return nil
		}); err == nil {
			t.Error("a stream has no good end")
		}
	})
}
