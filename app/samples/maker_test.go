package samples

import (
	"context"
	"errors"
	"testing"

	"piwork/app/problem"
	"piwork/app/task"
)

// Who goes away waits no longer for the pictures of others, and nobody paints for them.
func TestSamplesAreLeft(t *testing.T) {
	m := NewMaker(t.TempDir(), func() ([]task.Task, error) { return nil, nil })
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	m.turn <- struct{}{}
	if _, err := m.Samples(gone, FolderRequest{}); problem.From(err).Code != problem.CodeCancelled {
		t.Errorf("%v", err)
	}
	<-m.turn
	if err := Fill(gone, t.TempDir(), English); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if made, err := m.Samples(t.Context(), FolderRequest{}); err != nil || made.Files != Count() {
		t.Errorf("%+v %v", made, err)
	}
}
