package acp

import (
	"testing"

	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/vmhost"
)

// A task that may spend more than the door, or works elsewhere, is no session of it.
func TestOfferedWithinTheFlags(t *testing.T) {
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
	for _, tt := range []struct {
		door, task string
		offered    bool
	}{{"", vmhost.KindHost, true}, {vmhost.KindVM, vmhost.KindVM, true}, {vmhost.KindVM, vmhost.KindHost, false}, {"remote:lab", "remote:attic", false}} {
		d, err := Open(nil, Options{Machine: tasks.MachineChoice{Runtime: tt.door}})
		if err != nil {
			t.Fatal(err)
		}
		one := task.Task{Kind: task.KindAI, AI: &task.AI{}, Place: task.Place{Runtime: tt.task}, Folders: []task.Folder{{Path: "/home/kim/Notes", Mode: task.ModeReadOnly}}}
		if got := d.offers(one); got != tt.offered {
			t.Errorf("%+v: %v", tt, got)
		}
	}
}
