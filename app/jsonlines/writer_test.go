package jsonlines

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"
)

// A program that reads nothing any more ends the door, and nobody waits for it a second time.
func TestStalledReader(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, out := io.Pipe()
	defer out.Close()
	w := NewWriter(ctx, cancel, out)
	w.Stall = 20 * time.Millisecond
	for range 2 {
		if _, err := w.Write([]byte("{}\n")); !errors.Is(err, ErrStalled) {
			t.Error(err)
		}
	}
	if <-ctx.Done(); !errors.Is(w.Err(), ErrStalled) {
		t.Error(w.Err())
	}
}
