package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestLines(t *testing.T) {
	in := "one\r\n\n{\"a\":\"\u2028\u2029\u0085\"}\n" + strings.Repeat("x", 100) + "\n" + strings.Repeat("y", 101) + "\n" + strings.Repeat("z", 300000) + "\nlast\nno end"
	r := newLineReader(iotestOneByte{strings.NewReader(in)}, 100)
	for i, want := range []struct {
		text string
		long bool
	}{{"one", false}, {"", false}, {"{\"a\":\"\u2028\u2029\u0085\"}", false}, {strings.Repeat("x", 100), false},
		{strings.Repeat("y", 101), true}, {strings.Repeat("z", keepOfLong), true}, {"last", false}} {
		got, long, err := r.next()
		if err != nil || string(got) != want.text && !(long && bytes.HasPrefix(got, []byte(want.text[:100]))) || long != want.long {
			t.Errorf("line %d: %.50q long %v, %v", i, got, long, err)
		}
		if len(got) > keepOfLong {
			t.Errorf("line %d: kept %d bytes", i, len(got))
		}
	}
	if _, _, err := r.next(); !errors.Is(err, io.EOF) {
		t.Errorf("after the last: %v", err)
	}
}

type iotestOneByte struct{ r io.Reader }

func (o iotestOneByte) Read(p []byte) (int, error) { return o.r.Read(p[:min(len(p), 7)]) }

func FuzzLines(f *testing.F) {
	f.Add([]byte("a\nb\r\n\n"), 3)
	f.Fuzz(func(t *testing.T, data []byte, longest int) {
		longest = min(max(longest, 1), 1<<16)
		r := newLineReader(bytes.NewReader(data), longest)
		want := bytes.Split(data, []byte("\n"))
		for _, w := range want[:len(want)-1] {
			got, long, err := r.next()
			if err != nil {
				t.Fatal(err)
			}
			w = bytes.TrimRight(w, "\r")
			if !long && !bytes.Equal(got, w) || !bytes.HasPrefix(w, bytes.TrimRight(got, "\r")) || len(got) > max(longest, keepOfLong)+1 {
				t.Fatalf("got %q long %v, want %q", got, long, w)
			}
		}
		if _, _, err := r.next(); !errors.Is(err, io.EOF) {
			t.Fatalf("at the end: %v", err)
		}
	})
}

func TestTail(t *testing.T) {
	entry := func(message string) json.RawMessage {
		return json.RawMessage(`{"type":"message","message":` + message + `}`)
	}
	user, result := entry(`{"role":"user","timestamp":1,"content":"x"}`), entry(`{"role":"toolResult"}`)
	answer := func(stop string) json.RawMessage { return entry(`{"role":"assistant","stopReason":"` + stop + `"}`) }
	for _, c := range []struct {
		entries    []json.RawMessage
		unfinished bool
	}{
		{nil, false},
		{[]json.RawMessage{user}, true},
		{[]json.RawMessage{user, answer("stop")}, false},
		{[]json.RawMessage{user, answer("aborted"), json.RawMessage(`{"type":"compaction"}`), json.RawMessage(`5`)}, false},
		{[]json.RawMessage{user, answer("toolUse")}, true},
		{[]json.RawMessage{user, answer("toolUse"), result}, true},
		{[]json.RawMessage{user, answer("error")}, true},
	} {
		last, unfinished := tail(c.entries)
		if unfinished != c.unfinished || (last != "") != (len(c.entries) > 0) {
			t.Errorf("%s: last %q, unfinished %v", c.entries, last, unfinished)
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add("\x1b[31mred\x1b]0;x\x07 \xff ä", 10)
	f.Fuzz(func(t *testing.T, s string, n int) {
		n = min(max(n, len(cut)), 1<<12)
		if got := start(s, n); len(got) > n {
			t.Errorf("the start of %q has %d bytes, at most %d", s, len(got), n)
		}
		if got := end(s, n); len(got) > n {
			t.Errorf("the end of %q has %d bytes, at most %d", s, len(got), n)
		}
	})
}
