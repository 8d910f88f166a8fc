package conversation

import (
	"errors"
	"strings"
	"testing"

	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// What an action's program says comes in any pieces; what breaks the protocol ends it.
func TestNews(t *testing.T) {
	ready, change := `{"change":{"what":"ready"}}`+"\n", `{"change":{"what":"created","path":"/a"}}`+"\n"
	last := `{"file":{"size":4}}` + "\n"
	for _, tt := range []struct{ name, said, changes, data, bad string }{
		{"an answer", last + "data", "", "data", ""},
		{"with lines in what follows", last + "\n{}\n", "", "\n{}\n", ""},
		{"changes, then an answer", ready + change + change + last, "ready created created", "", ""},
		{"a failure", `{"failed":{"code":"missing"}}` + "\n", "", "", ""},
		{"no JSON", "hello\n", "", "", "invalid"},
		{"nothing that is known", "{}\n", "", "", "news"},
		{"a hostile path", `{"change":{"what":"created","path":"../x"}}` + "\n", "", "", "path"},
		{"more changes than were asked for", ready + strings.Repeat(change, 3), "ready created created", "", "more than 2"},
		{"a change that nobody asked for", ready, "", "", "nobody asked"},
		{"two answers in one line", `{"file":{},"fetch":{}}` + "\n", "", "", "2 things"},
		{"more data than there may be", last + strings.Repeat("x", 17), "", "", "more than 16"},
		{"a line without an end", strings.Repeat("x", wire.MaxActLine+1), "", "", wire.ErrLineTooLong.Error()},
	} {
		for _, piece := range []int{1, 7, 1 << 20} {
			if piece == 1 && len(tt.said) > 1000 {
				continue
			}
			var heard []string
			stopped := false
			n := news{most: 16, limit: 2, on: func(n wire.ActNews) { heard = append(heard, n.Change.What) }, stop: func(error) { stopped = true }}
			if tt.bad == "nobody asked" {
				n.on, n.limit = nil, 0 // as fetch and page have it
			}
			for rest := tt.said; rest != ""; {
				k := min(piece, len(rest))
				n.output(wire.ExecOutput{Stream: wire.Stdout, Data: []byte(rest[:k])})
				rest = rest[k:]
			}
			var protocol *ProtocolError
			switch {
			case tt.bad != "" && (!stopped || !errors.As(n.err, &protocol) || !strings.Contains(n.err.Error(), tt.bad)):
				t.Errorf("%s: %v", tt.name, n.err)
			case tt.bad == "" && (n.err != nil || stopped || n.last == nil || string(n.data) != tt.data):
				t.Errorf("%s: %v %+v %q", tt.name, n.err, n.last, n.data)
			case strings.Join(heard, " ") != tt.changes:
				t.Errorf("%s: %q", tt.name, heard)
			}
		}
	}
	words := news{}
	for range 3 {
		words.output(wire.ExecOutput{Stream: wire.Stderr, Data: make([]byte, maxActWords/2+1)})
	}
	if len(words.words) != maxActWords {
		t.Errorf("%d bytes of words", len(words.words))
	}
}

// unasked is the bit of FuzzNews's piece for an action that asked for no changes.
const unasked = 64

// FuzzNews feeds what an action's program may say.
func FuzzNews(f *testing.F) {
	for _, s := range []string{`{"file":{"size":1}}` + "\nx", `{"change":{"what":"ready"}}` + "\n", `{"failed":{"code":"x"}}` + "\n", "\xff\n", ""} {
		f.Add([]byte(s), 3)
		f.Add([]byte(s), 3|unasked)
	}
	f.Add([]byte(`{"file":{},"page":{}}`+"\n"), 3)
	f.Fuzz(func(t *testing.T, said []byte, piece int) {
		told := 0
		n := news{most: 64, limit: 2, on: func(wire.ActNews) { told++ }, stop: func(error) {}}
		if piece&unasked != 0 {
			n.on, n.limit = nil, 0
		}
		for piece = max(1, piece&63); len(said) > 0; {
			k := min(piece, len(said))
			n.output(wire.ExecOutput{Stream: wire.Stdout, Data: said[:k]})
			said = said[k:]
		}
		if told > n.limit+1 || len(n.data) > 64 {
			t.Errorf("%d changes, %d bytes", told, len(n.data))
		}
	})
}

// A runtime that fails just now may not say why yet: what breaks the protocol has an error all the
// same, and nobody is given a result that is none.
func TestBrokenWithoutAWhy(t *testing.T) {
	failed := 0
	x := Executor{Fail: func(vmhost.Reason, error) { failed++ }, Ended: func() error { return nil }}
	a := action{x: x, id: "x", what: "x"}
	if r, err := checked(a, &wire.ExecResult{}, "", nil); r != nil || err == nil {
		t.Errorf("a result that is none: %+v %v", r, err)
	}
	if err := a.failure(&ProtocolError{errors.New("x")}); err == nil {
		t.Error("an answer that cannot be read has no error")
	}
	if err := x.unfit("fetch"); err == nil {
		t.Error("an answer that does not fit has no error")
	}
	if failed != 3 {
		t.Errorf("%d failures", failed)
	}
}
