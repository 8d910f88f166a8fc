//go:build vm && linux

package vm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"piwork/pack/packtest"
	"piwork/scripts/lib/tier"
	"piwork/vmhost"
	"piwork/vmhost/qemu"
	"piwork/vmhost/qemu/qemutest"
	"piwork/vmhost/wire"
)

// beginnings are the ways in which machines begin that tests of every run have; that a
// boot does the same ./scripts/test all shows.
var beginnings = tier.Pick([]string{HowRestored}, nil, []string{HowBooted, HowRestored})

// The machine goes wrong, a booted one and a restored one: each way has its
// reason, in bounded time, and leaves nothing (newVM looks).
func TestFaultsForReal(t *testing.T) {
	f := realFactory(t)
	for _, tt := range []struct {
		name   string
		do     func(*VM) error
		reason vmhost.Reason
	}{
		{"QEMU is killed", func(v *VM) error { return syscall.Kill(v.PID(), syscall.SIGKILL) }, vmhost.ReasonExited},
		{"QEMU stands still", func(v *VM) error { return syscall.Kill(v.PID(), syscall.SIGSTOP) }, vmhost.ReasonHung},
		{"the port is closed", func(v *VM) error { return v.m.proc.Port(wire.PortRPC).Close() }, vmhost.ReasonClosed},
		{"the share is closed", func(v *VM) error { return v.m.proc.Folders().Close() }, vmhost.ReasonShare},
	} {
		for _, how := range beginnings {
			t.Run(tt.name+", "+how, func(t *testing.T) {
				if tt.reason != vmhost.ReasonExited {
					tier.Rest(t, "a QEMU that is killed")
				}
				if tt.reason == vmhost.ReasonShare {
					packtest.Needs9P(t)
				}
				fails(t, f, how, []string{"/bin/sleep", "600"}, tt.do, tt.reason)
			})
		}
	}
}

// fails starts a machine with a folder, has it work, and then go wrong: the work hears the
// reason, in bounded time.
func fails(t *testing.T, f *Factory, how string, work []string, do func(*VM) error, reasons ...vmhost.Reason) {
	t.Helper()
	c := realConfig(t)
	c.Image, c.MemoryMB = f.o.Image, 512
	withFolder(t, &c)
	v := realVM(t, c)
	v.timing.ping, v.timing.hung = 200*time.Millisecond, 3*time.Second
	if how == HowRestored {
		v.factory = f
	}
	ctx, cancel := context.WithTimeout(context.Background(), stall)
	defer cancel()
	if err := v.Connect(ctx); err != nil || v.How() != how {
		t.Fatal(v.How(), err)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := v.Execute(ctx, vmhost.Action{Exec: &wire.ExecParams{Argv: work}})
		ended <- err
	}()
	time.Sleep(500 * time.Millisecond)
	began := time.Now()
	if err := do(v); err != nil {
		t.Fatal(err)
	}
	var e *vmhost.FailedError
	if err := <-ended; !errors.As(err, &e) || !slices.Contains(reasons, e.Reason) {
		t.Errorf("Execute: %v", err)
	}
	<-v.life.Ended()
	t.Logf("ended after %v: %v", time.Since(began), e)
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
}

// A kernel that finds nothing to run panics; that is said, at the step at which
// it happens.
func TestPanicForReal(t *testing.T) {
	c := realConfig(t)
	c.BootTime = 0
	c.Image.Initrd = filepath.Join(t.TempDir(), "empty.cpio")
	trailer := "07070100000000000000000000000000000000000000010000000000000000000000000000000000000000000000000000000B00000000TRAILER!!!\x00\x00\x00\x00"
	if err := os.WriteFile(c.Image.Initrd, []byte(trailer), 0o600); err != nil {
		t.Fatal(err)
	}
	var e *vmhost.FailedError
	if err := connectError(t, c); !errors.As(err, &e) || e.Reason != vmhost.ReasonPanic || e.Step != StepAgent || e.Detail == "" || e.Hint == "" {
		t.Errorf("Connect: %+v", e)
	}
}

// The program is killed: one second later its QEMU is gone.
func TestDiesWithTheProgramForReal(t *testing.T) {
	if how := os.Getenv(parentEnv); how != "" {
		c := realConfig(t)
		c.MemoryMB, c.RunDir = 512, runDir(t)
		var v *VM
		var err error
		if how == HowRestored {
			v, err = realFactory(t).New(c)
		} else {
			v, err = New(c)
		}
		if err == nil {
			err = v.Connect(context.Background())
		}
		if err != nil || v.How() != how {
			t.Fatal(v.How(), err)
		}
		b, err := json.Marshal(parentSays{PID: v.PID(), Image: c.Image, Dir: c.Dir, RunDir: c.RunDir})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Printf("%s\n", b)
		_, err = v.Execute(context.Background(), vmhost.Action{Exec: &wire.ExecParams{Argv: []string{"/bin/sleep", "600"}}})
		t.Fatal(err)
	}
	qemutest.PackImage(t)
	for _, how := range beginnings {
		t.Run(how, func(t *testing.T) {
			says := killedProgram(t, how, stall)
			if left, err := filepath.Glob(filepath.Join(says.RunDir, "*")); err != nil || len(left) > 0 {
				t.Errorf("sockets are left: %v", left)
			}
			if left, err := qemu.EndLeftover(t.Context(), says.Dir); left || err != nil {
				t.Errorf("a machine is left: %v", err)
			}
		})
	}
}

// A template whose memory was damaged since does not do: the same Connect boots.
func TestDamagedTemplateForReal(t *testing.T) {
	tier.Rest(t, "TestVerify of vmhost/vm/template")
	f := freshFactory(t)
	tpl, err := f.lookup()
	if err != nil {
		t.Fatal(err)
	}
	ram, err := os.OpenFile(tpl.Path("ram"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	// All of the kernel's text and data, and whatever is beside them.
	junk := make([]byte, 1<<20)
	for i := range junk {
		junk[i] = 0xf4
	}
	for at := int64(1 << 20); at < 128<<20; at += int64(len(junk)) {
		if _, err := ram.WriteAt(junk, at); err != nil {
			t.Fatal(err)
		}
	}
	if err := ram.Close(); err != nil {
		t.Fatal(err)
	}
	v := connectedVM(t, f, HowBooted)
	if got := shell(t, v, "cat hello.txt"); got != "hello" {
		t.Errorf("the folder: %q", got)
	}
	for began := time.Now(); f.State().Phase != PhaseReady; time.Sleep(50 * time.Millisecond) {
		if time.Since(began) > stall {
			t.Fatalf("not made anew: %+v", f.State())
		}
	}
	connectedVM(t, f, HowRestored)
}
