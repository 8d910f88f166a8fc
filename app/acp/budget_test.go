package acp

import (
	"testing"

	"piwork/app/task"
)

// A task that may spend more than the door is no session of it.
func TestOfferedWithinTheBudget(t *testing.T) {
	for _, tt := range []struct {
		door, task int64
		offered    bool
	}{{0, 0, true}, {0, 9, true}, {5, 5, true}, {5, 4, true}, {5, 6, false}, {5, 0, false}} {
		d, err := Open(nil, Options{Budget: tt.door})
		if err != nil {
			t.Fatal(err)
		}
		one := task.Task{Kind: task.KindAI, AI: &task.AI{Budget: tt.task}, Folders: []task.Folder{{Path: "/home/kim/Notes", Mode: task.ModeReadOnly}}}
		if got := d.offers(one); got != tt.offered {
			t.Errorf("%+v: %v", tt, got)
		}
	}
}
