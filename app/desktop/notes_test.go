package desktop

import (
	"errors"
	"os"
	"reflect"
	"testing"

	"piwork/app/api"
	"piwork/app/problem"
)

// board is a system that shows messages.
type board struct {
	begun, ended int
	fail         error
	shown        [][3]string
	click        func(map[string]any)
}

func (b *board) begin(clicked func(map[string]any)) error {
	b.begun++
	b.click = clicked
	return b.fail
}
func (b *board) send(id, title, body string, _ map[string]any) error {
	b.shown = append(b.shown, [3]string{id, title, body})
	return nil
}
func (b *board) end() { b.ended++ }

func TestNotes(t *testing.T) {
	b, opened := &board{}, []string{}
	n := &notes{by: b, clicked: func(id string) { opened = append(opened, id) }}
	if n.close(); b.ended != 0 {
		t.Error("what never began was ended")
	}
	for range 2 {
		if err := n.send(api.Notice{Title: "<b>Done</b> & \u202egood\x1b", Body: "a\nb", Task: someTask}); err != nil {
			t.Fatal(err)
		}
	}
	if want := [3]string{someTask, "‹b›Done‹/b› ＆ good", "a b"}; b.begun != 1 || len(b.shown) != 2 || b.shown[0] != want {
		t.Errorf("%d %q", b.begun, b.shown)
	}
	for _, data := range []map[string]any{{taskKey: someTask}, {taskKey: "../x"}, {taskKey: 7}, nil} {
		b.click(data)
	}
	if !reflect.DeepEqual(opened, []string{someTask, "", "", ""}) {
		t.Errorf("%q", opened)
	}
	if n.close(); b.ended != 1 {
		t.Errorf("ended %d times", b.ended)
	}
	n = &notes{by: &board{fail: errors.New("no bus")}}
	var p *problem.Problem
	if err := n.send(api.Notice{Title: "x"}); !errors.As(err, &p) || p.Code != problem.CodeUnsupported {
		t.Errorf("%v", err)
	}
}

// The program ends while the system still asks whether messages may be shown.
func TestNotesDoNotHoldTheEnd(t *testing.T) {
	asks, answered, sent := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	n := &notes{by: slow{asks: asks, answered: answered}}
	go func() { sent <- n.send(api.Notice{Title: "x"}) }()
	<-asks
	n.close()
	close(answered)
	if err := <-sent; err != nil {
		t.Error(err)
	}
}

// slow is a system whose person thinks.
type slow struct {
	asks, answered chan struct{}
}

func (s slow) begin(func(map[string]any)) error {
	close(s.asks)
	<-s.answered
	return nil
}
func (slow) send(string, string, string, map[string]any) error { return nil }
func (slow) end()                                              {}

// What starts another window is understood by it.
func TestWindowArgs(t *testing.T) {
	for _, id := range []string{"", someTask} {
		dir, _ := os.Getwd()
		got, window, err := ParseArgs(windowArgs(id), dir)
		if err != nil || !window || got.Task != id || got.New != (id == "") {
			t.Errorf("%q: %+v %v %v", id, got, window, err)
		}
	}
}
