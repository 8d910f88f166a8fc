//go:build vm && linux

package app

import (
	"os"
	"path/filepath"
	"testing"

	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/pack/durable"
	"piwork/vmhost"
	"piwork/vmhost/container/enginetest"
)

// What tasks do in a real container of Podman over the real pack is what they do in a machine:
// programs, operations and chores, guards, undo, review, a cancel, and nothing is left. When
// Podman is lost in the middle, the task says so and goes on in another place.
func TestRealContainer(t *testing.T) {
	enginetest.Need(t)
	dir, err := os.MkdirTemp("", "e") // Podman takes no longer path than one of 50 characters
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	engine, err := enginetest.Start("podman", dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(engine.Remove)
	t.Setenv("DOCKER_HOST", "unix://"+engine.Socket)
	o := realOptions(t)
	keepTrees(t, o.CacheDir)
	c := openReal(t, o)
	status, err := c.TestRuntime(t.Context(), vmhost.KindContainer)
	if err != nil || !status.Works {
		t.Fatalf("%+v %+v %v", status, status.Problem, err)
	}
	if e := status.Engine; e == nil || e.Name != "Podman" || e.Version == "" || e.Rootless || e.Socket != engine.Socket {
		t.Errorf("%+v", e)
	}
	inPlace(t, c, realPlace{kind: vmhost.KindContainer, lost: filepath.Join(o.CacheDir, treesDir)})
	if left := engine.Run("ps", "--all", "--quiet") + engine.Run("volume", "ls", "--quiet"); left != "" {
		t.Errorf("left: %s", left)
	}
	if b, err := os.ReadFile("/proc/self/mountinfo"); err != nil || len(durable.MountsIn(string(b), c.o.DataDir)) > 0 {
		t.Errorf("mounted: %+v %v", durable.MountsIn(string(b), c.o.DataDir), err)
	}
	if images := engine.Run("images", "--quiet", "--no-trunc"); len(images) != len("sha256:")+64 {
		t.Errorf("one image is to be kept for the next task: %q", images)
	}
	if _, err := os.Stat(filepath.Join(o.CacheDir, "container-images.json")); err != nil {
		t.Error(err)
	}

	t.Run("the engine is lost", func(t *testing.T) {
		made, err := c.StartTask(t.Context(), tasks.StartRequest{
			Kind: task.KindExec, MachineChoice: tasks.MachineChoice{Runtime: vmhost.KindContainer}, Detached: true, Argv: []string{"sh", "-c", "test ! -e /piwork/guest || sleep 3600"},
		})
		if err != nil {
			t.Fatal(err)
		}
		meanwhile(t, c, made.ID, func(now task.Task) bool { return now.State == task.StateRunning })
		engine.Kill()
		now := ended(t, c, made.ID)
		if now.State != task.StateFailed || now.Error == nil || now.Error.Cause != string(vmhost.ReasonEngineLost) {
			t.Errorf("%+v %+v", now, now.Error)
		}
		again, err := c.StartAgain(t.Context(), made.ID, tasks.AgainRequest{Runtime: vmhost.KindSandbox, Detached: true})
		if err != nil {
			t.Fatal(err)
		}
		if now := ended(t, c, again.ID); now.Error == nil && now.Runtime != vmhost.KindSandbox {
			t.Errorf("%+v", now)
		}
		if err := engine.Start(); err != nil {
			t.Fatal(err)
		}
	})
}
