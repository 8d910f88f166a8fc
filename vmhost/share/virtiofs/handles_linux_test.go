package virtiofs

import (
	"runtime"
	"testing"
	"time"

	"piwork/vmhost/share"
)

// A file is known to its node before it has a number, which the guest may guess: who
// closes it by that number closes it for the node, too.
func TestGuessedHandle(t *testing.T) {
	set := share.NewSet(share.Options{})
	defer set.Close()
	f := newFileSystem(set)
	n := &node{}
	open := func() int {
		f.nodes.mu.Lock()
		defer f.nodes.mu.Unlock()
		return len(n.open)
	}
	f.handles.mu.Lock() // it gets no number as yet
	done := make(chan error, 1)
	go func() {
		_, err := f.hold(n, &share.File{})
		done <- err
	}()
	for end := time.Now().Add(10 * time.Second); open() == 0; runtime.Gosched() {
		if time.Now().After(end) {
			f.handles.mu.Unlock()
			t.Fatal("it has a number before its node knows it")
		}
	}
	f.handles.mu.Unlock()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}
