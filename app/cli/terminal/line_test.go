package terminal

import (
	"context"
	"io"
	"testing"
	"time"
)

// A line that is typed after its question was over answers no later one.
func TestLineOfAnEarlierQuestion(t *testing.T) {
	in, keys := io.Pipe()
	term := &Terminal{Stdin: in}
	over, end := context.WithCancel(t.Context())
	end()
	if line, err := term.Line(over); err == nil {
		t.Fatalf("%q", line)
	}
	if _, err := io.WriteString(keys, "late\n"); err != nil {
		t.Fatal(err)
	}
	for len(term.reading) == 0 {
		time.Sleep(time.Millisecond)
	}
	go func() { _, _ = io.WriteString(keys, "now\n") }()
	if line, err := term.Line(t.Context()); err != nil || line != "now" {
		t.Errorf("%q %v", line, err)
	}
	// One that is typed for the next question is its answer, though the read began before.
	if _, err := term.Line(over); err == nil {
		t.Fatal("nobody typed")
	}
	go func() { time.Sleep(50 * time.Millisecond); _, _ = io.WriteString(keys, "next\n") }()
	if line, err := term.Line(t.Context()); err != nil || line != "next" {
		t.Errorf("%q %v", line, err)
	}
}
