package tasks

import (
	"testing"
	"time"

	"piwork/app/projectcache"
	"piwork/app/task"
)

// A conversation goes on with the cache that it began with, whatever folders it has by then; a task
// that asks for the same anew has that of its own folders.
func TestCacheStaysWithTheTask(t *testing.T) {
	began := task.Task{Kind: task.KindAI, AI: &task.AI{Pending: []task.Pending{{}}}, Folders: []task.Folder{{ID: "f1", Path: "/home/a"}}}
	r := StartRequest{MachineChoice: MachineChoice{Cache: projectcache.OfFolders}}
	began.Asked = asked(began, r)
	first, err := projectcache.OfTask(r.Cache, began)
	if err != nil {
		t.Fatal(err)
	}
	more := began
	more.Folders = []task.Folder{{ID: "f1", Path: "/home/a", Removed: new(time.Time)}, {ID: "f2", Path: "/home/b"}}
	for _, folders := range [][]task.Folder{more.Folders, more.Folders[:1]} {
		more.Folders = folders
		if now, err := projectcache.OfTask(r.Cache, more); err != nil || now.ID() != first.ID() {
			t.Errorf("with %+v: %s, not %s: %v", folders, now.ID(), first.ID(), err)
		}
	}
	again := task.Task{Kind: task.KindAI, AI: began.AI, Folders: []task.Folder{{ID: "f2", Path: "/home/b"}}}
	again.Asked = asked(again, r)
	if other, err := projectcache.OfTask(r.Cache, again); err != nil || other.ID() == first.ID() {
		t.Errorf("%s %v", other.ID(), err)
	}
	if named := asked(began, StartRequest{MachineChoice: MachineChoice{Cache: "app"}}); named.CacheOf != nil {
		t.Errorf("%+v", named)
	}
}
