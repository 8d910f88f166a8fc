package app

import (
	"context"
	"sync"
	"testing"

	"piwork/app/chore/choretest"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/vmhost/wire"
)

// TestLimitsOfAnOperation: what its caller bounds an operation by reaches the guest,
// also when it is started again; what is out of bounds is refused, and so is a network.
// What is said of its programs reaches the caller.
func TestLimitsOfAnOperation(t *testing.T) {
	w := newWorld(t)
	var mu sync.Mutex
	var told []wire.Limits
	w.onMachine = func(rt *choretest.Runtime) error {
		rt.Before = func(_ context.Context, p wire.ToolParams) (*wire.ToolResult, error) {
			mu.Lock()
			defer mu.Unlock()
			told = append(told, p.Limits)
			return nil, nil
		}
		return nil
	}
	dir := w.pictures("1.png")
	c := w.open()
	info := func(l wire.Limits) *wire.ToolParams {
		return &wire.ToolParams{Op: "image.info", In: []string{"/folders/Fotos ä/1.png"}, Limits: l}
	}
	short, long := wire.Limits{WallMS: 5000}, wire.Limits{WallMS: 9000, MemoryMB: 200}
	for _, tt := range []struct {
		r    tasks.StartRequest
		want wire.Limits
	}{
		{tasks.StartRequest{Tool: info(wire.Limits{}), Limits: short}, short},
		{tasks.StartRequest{Tool: info(long)}, long},
		{tasks.StartRequest{Tool: info(long), Limits: short}, long},
	} {
		tt.r.Kind, tt.r.Folders = task.KindTool, []task.FolderRequest{{Path: dir}}
		first, err := c.StartTask(t.Context(), tt.r)
		if err != nil {
			t.Fatal(err)
		}
		<-c.liveOver(first.ID)
		again, err := c.StartAgain(t.Context(), first.ID, tasks.AgainRequest{Accept: true, Detached: true})
		if err != nil {
			t.Fatal(err)
		}
		<-c.liveOver(again.ID)
		mu.Lock()
		if len(told) != 2 || told[0] != tt.want || told[1] != tt.want {
			t.Errorf("the guest was told %+v, want twice %+v", told, tt.want)
		}
		told = nil
		mu.Unlock()
	}
	events, stop := c.Subscribe(task.EventFilter{})
	defer stop()
	one := tasks.StartRequest{Kind: task.KindTool, Tool: info(wire.Limits{}), Folders: []task.FolderRequest{{Path: dir}}}
	began, err := c.StartTask(t.Context(), one)
	if err != nil {
		t.Fatal(err)
	}
	<-c.liveOver(began.ID)
	var said []byte
	for _, e := range queued(events) {
		if d, ok := e.Data.(task.OutputData); ok && e.Task == began.ID && d.Stream == wire.Log {
			said = append(said, d.Data...)
		}
	}
	if string(said) != "info ended, exit 0\n" {
		t.Errorf("its caller heard %q", said)
	}
	for _, network := range []task.Network{task.NetworkOn, task.NetworkRestricted} {
		one.Network = network
		if _, err := c.StartTask(t.Context(), one); codeOf(err) != problem.CodeBadRequest {
			t.Errorf("an operation with network %s: %v", network, err)
		}
	}
	for _, l := range []wire.Limits{{WallMS: -1}, {IOBytes: -1}, {WallMS: wire.MaxWallMS + 1}, {MemoryMB: 1 << 50}} {
		if _, err := c.StartTask(t.Context(), tasks.StartRequest{Kind: task.KindTool, Tool: info(wire.Limits{}), Limits: l, Folders: []task.FolderRequest{{Path: dir}}}); codeOf(err) != problem.CodeBadRequest {
			t.Errorf("%+v: %v", l, err)
		}
	}
}
