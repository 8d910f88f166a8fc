package vm

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"piwork/scripts/lib/smalldisk"
	"piwork/vmhost"
	"piwork/vmhost/qemu"
	"piwork/vmhost/vm/template"
)

// parentEnv makes a test the program that is killed; it says how its VM is to
// begin.
const parentEnv = "PIWORK_TEST_PARENT"

// parentSays is what such a program tells the one that kills it.
type parentSays struct {
	PID                    int
	Image                  qemu.Image
	Templates, Dir, RunDir string
}

// isGone tells whether a process has ended.
func isGone(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || strings.Contains(string(stat), ") Z ")
}

// killedProgram runs the calling test as a program, kills that when it has a
// VM, and returns what it said.
func killedProgram(t *testing.T, how string, patience time.Duration) parentSays {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	name, _, _ := strings.Cut(t.Name(), "/")
	parent := exec.CommandContext(ctx, exe, "-test.run=^"+name+"$")
	parent.Env = append(os.Environ(), parentEnv+"="+how, "TMPDIR="+t.TempDir(), "XDG_RUNTIME_DIR="+runDir(t))
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	var says parentSays
	lines := bufio.NewScanner(out)
	for lines.Scan() && json.Unmarshal(lines.Bytes(), &says) != nil {
		t.Log(lines.Text())
	}
	if says.PID == 0 {
		_ = parent.Process.Kill()
		_ = parent.Wait()
		t.Fatal("the program started no VM")
	}
	time.Sleep(100 * time.Millisecond) // in the middle of its work
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	killed := time.Now()
	_ = parent.Wait()
	for !isGone(says.PID) {
		if time.Since(killed) > 20*time.Second { // milliseconds, where nothing else is at work
			t.Errorf("QEMU is still there %v after the program", time.Since(killed))
			break
		}
		time.Sleep(time.Millisecond)
	}
	t.Logf("QEMU was gone %v after the program", time.Since(killed))
	return says
}

// The program is killed: its QEMU goes with it, and when it starts again
// nothing of before is in the way or left.
func TestDiesWithTheProgram(t *testing.T) {
	if how := os.Getenv(parentEnv); how != "" {
		beKilled(t, how)
	}
	for _, how := range []string{HowBooted, HowRestored, HowWaited, "waiting", "staging"} {
		t.Run(how, func(t *testing.T) {
			says := killedProgram(t, how, time.Minute)
			if left, err := filepath.Glob(filepath.Join(says.RunDir, "*")); err != nil || len(left) > 0 {
				t.Errorf("sockets are left: %v", left)
			}

			// Again, in the same places.
			f, err := NewFactory(FactoryOptions{Dir: says.Templates, Hardware: Hardware{Image: says.Image, Accel: qemu.AccelTCG, MemoryMB: 256, AppVersion: "test"}})
			if err != nil {
				t.Fatal(err)
			}
			f.timing = timingFor(says.Image)
			f.machineKey = func() (string, error) { return "this computer", nil }
			defer f.Close()
			if how == "waiting" || how == HowWaited {
				f.set(func(s *FactoryState) { s.Mode = ModeWaiting })
			}
			if err := f.Ensure(soon(t)); err != nil {
				t.Fatal(err)
			}
			entries, err := os.ReadDir(says.Templates)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				mine := f.waits() != nil && filepath.Join(says.Templates, e.Name()) == f.waits().m.dir
				if strings.HasPrefix(e.Name(), ".") || strings.HasPrefix(e.Name(), waitingName) && !mine {
					t.Errorf("left of before: %s", e.Name())
				}
			}
			c := Config{
				Hardware: Hardware{Image: says.Image, Accel: qemu.AccelTCG, MemoryMB: 256, AppVersion: "test"},
				Dir:      says.Dir, RunDir: runDir(t), Env: vmhost.ExecutionEnv{Cwd: "/"},
			}
			v := newVM(t, c)
			v.factory = f
			if err := v.Connect(soon(t)); err != nil || v.How() == HowBooted {
				t.Errorf("%s: %v", v.How(), err)
			}
			if err := errors.Join(v.Close(soon(t)), f.Close()); err != nil {
				t.Error(err)
			}
			if entries, err := os.ReadDir(says.Dir); err != nil && !errors.Is(err, fs.ErrNotExist) || slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == overlayFile }) {
				t.Errorf("left: %v %v", entries, err)
			}
			nobodyKnows(t, says.Dir, says.Templates)
		})
	}
}

// beKilled has a VM and waits.
func beKilled(t *testing.T, how string) {
	h := newFactory(t, "good")
	c := h.config()
	says := parentSays{Image: h.o.Image, Templates: h.o.Dir, Dir: c.Dir, RunDir: c.RunDir}
	if how == HowWaited || how == "waiting" {
		h.set(func(s *FactoryState) { s.Mode = ModeWaiting })
	}
	switch how {
	case "staging": // killed while a template is made
		key, err := h.Key()
		if err != nil {
			t.Fatal(err)
		}
		g, err := h.store.Stage(t.Context(), key, 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(g.Path(template.RAM), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		how = HowBooted
	case HowRestored, HowWaited, "waiting":
		h.ensured()
	}
	if how == "waiting" {
		says.PID = h.waits().m.proc.PID()
	} else {
		says.PID = h.connected(c, how).PID()
	}
	b, err := json.Marshal(says)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("%s\n", b)
	select {}
}

// A disk that cannot take the machine's is no fault of the template, and is
// said as what it is.
func TestDiskIsFullBeforeTheRestore(t *testing.T) {
	small := t.TempDir()
	smalldisk.Mount(t, small, 0, "size=128k")
	h := newFactory(t, "good").ensured()
	c := h.config()
	c.Dir = filepath.Join(small, "vm")
	v := h.vm(c)
	var e *vmhost.FailedError
	if err := v.Connect(soon(t)); !errors.As(err, &e) || e.Reason != vmhost.ReasonDiskFull || e.Step != StepDisk {
		t.Errorf("Connect: %v", err)
	}
	if got := h.phases(); got != "making ready" {
		t.Errorf("phases %s", got)
	}
}
