//go:build unix

package qemu_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"piwork/vmhost/qemu"
)

// What a program that was killed left running is ended by the next one.
func TestEndLeftover(t *testing.T) {
	record := func(t *testing.T, pid int, args ...string) string {
		t.Helper()
		dir := t.TempDir()
		b, err := json.Marshal(map[string]any{"pid": pid, "args": args})
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, qemu.RunningFile), b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		return dir
	}
	end := func(t *testing.T, dir string, want bool) {
		t.Helper()
		was, err := qemu.EndLeftover(soon(t), dir)
		if was != want || err != nil {
			t.Errorf("%v %v", was, err)
		}
		if _, err := os.Stat(filepath.Join(dir, qemu.RunningFile)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the record is left: %v", err)
		}
	}
	sleep := func(t *testing.T, seconds string) *exec.Cmd {
		t.Helper()
		c := exec.CommandContext(context.Background(), "/bin/sleep", seconds)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
		return c
	}

	t.Run("one that runs", func(t *testing.T) {
		c := sleep(t, "61")
		end(t, record(t, c.Process.Pid, c.Args...), true) // nobody waits for it: it is a zombie
		if err := c.Wait(); err == nil || c.ProcessState.ExitCode() != -1 {
			t.Errorf("%v", c.ProcessState)
		}
	})
	t.Run("another process with its number", func(t *testing.T) {
		c := sleep(t, "62")
		end(t, record(t, c.Process.Pid, "/bin/sleep", "63"), false)
		if !alive(c.Process.Pid) {
			t.Error("killed what was none of its business")
		}
	})
	t.Run("its sockets, and nothing else that a record names", func(t *testing.T) {
		run, _, err := qemu.NewRunDir()
		if err != nil {
			t.Fatal(err)
		}
		mine := filepath.Join(t.TempDir(), "piwork-mine")
		c := sleep(t, "65")
		_ = c.Process.Kill()
		_ = c.Wait()
		for _, dir := range []string{run, mine, run + "/../" + filepath.Base(t.TempDir()), "piwork-x", ""} {
			if err := os.MkdirAll(filepath.Join(mine, "x"), 0o700); err != nil {
				t.Fatal(err)
			}
			own := t.TempDir()
			b, err := json.Marshal(map[string]any{"pid": c.Process.Pid, "args": c.Args, "run": dir})
			if err = errors.Join(err, os.WriteFile(filepath.Join(own, qemu.RunningFile), b, 0o600)); err != nil {
				t.Fatal(err)
			}
			end(t, own, false)
		}
		if _, err := os.Stat(run); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the directory of its sockets is left: %v", err)
		}
		if _, err := os.Stat(filepath.Join(mine, "x")); err != nil {
			t.Errorf("removed what no machine has: %v", err)
		}
	})
	t.Run("none", func(t *testing.T) { end(t, t.TempDir(), false) })
	t.Run("one that has ended", func(t *testing.T) {
		c := sleep(t, "64")
		_ = c.Process.Kill()
		_ = c.Wait()
		end(t, record(t, c.Process.Pid, c.Args...), false)
	})
	for name, text := range map[string]string{"cut off": `{"pid":1`, "nobody": `{}`, "everybody": `{"pid":-1,"args":["x"]}`, "init": `{"pid":1,"args":["init"]}`} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, qemu.RunningFile), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			end(t, dir, false)
		})
	}

	t.Run("of a real start", func(t *testing.T) {
		dir := t.TempDir()
		p, err := qemu.Start(soon(t), qemu.StartOptions{Spec: machineSpec(t, "boots"), LogDir: dir})
		if err != nil {
			t.Fatal(err)
		}
		was, err := qemu.EndLeftover(soon(t), dir)
		if !was || err != nil {
			t.Errorf("%v %v", was, err)
		}
		<-p.Done()
		if e := p.Exit(); e.Status != "signal: killed" {
			t.Errorf("%+v", e)
		}
		if err := p.Stop(soon(t)); err != nil {
			t.Error(err)
		}
		end(t, dir, false)
	})
}

// A QEMU that somebody kills is gone with all that belonged to it.
func TestKilled(t *testing.T) {
	dir := t.TempDir()
	p, err := qemu.Start(soon(t), qemu.StartOptions{Spec: machineSpec(t, "boots"), LogDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	q, err := os.FindProcess(p.PID())
	if err == nil {
		err = q.Kill()
	}
	if err != nil {
		t.Fatal(err)
	}
	<-p.Done()
	if e := p.Exit(); e.Code != -1 || e.Status != "signal: killed" {
		t.Errorf("%+v", e)
	}
	if err := p.Stop(soon(t)); err != nil {
		t.Error(err)
	}
	names, err := os.ReadDir(dir)
	if err != nil || len(names) != 2 {
		t.Errorf("beside the logs: %v %v", names, err)
	}
}
