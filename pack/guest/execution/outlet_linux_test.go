package execution

import (
	"errors"
	"os"
	"testing"
	"time"
)

// What is in a pipe when the time for it is over is output all the same: where much else runs,
// nobody may have looked.
func TestOutputIsReadWhenItsTimeIsOver(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	o := newOutlet(r)
	defer o.close()
	got := ""
	read := func(want string, end error) {
		t.Helper()
		got = ""
		n, err := o.read(make([]byte, 16), func(b []byte) { got += string(b) })
		if got != want || n != len(want) || !errors.Is(err, end) {
			t.Errorf("%d %q %v, want %q %v", n, got, err, want, end)
		}
	}
	if _, err := w.WriteString("late"); err != nil {
		t.Fatal(err)
	}
	if err := r.SetReadDeadline(time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	read("late", nil)
	read("", os.ErrDeadlineExceeded)
	w.Close()
	read("", os.ErrClosed)
}
