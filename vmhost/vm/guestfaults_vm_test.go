//go:build vm && linux

package vm

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/cavaliergopher/cpio"

	"piwork/scripts/lib/gobuild"
	"piwork/scripts/lib/tier"
	"piwork/vmhost"
	"piwork/vmhost/qemu"
	"piwork/vmhost/wire"
)

// A real guest goes wrong in the middle of its work: each way has its reason, in bounded
// time, and leaves nothing (newVM looks), and the next machine of the same template works.
func TestGuestFaultsForReal(t *testing.T) {
	tier.Rest(t, "TestMisbehaviour, by a stand-in, TestPanicForReal and TestFaultsForReal")
	f := faultyFactory(t)
	for _, tt := range []struct {
		name, word string
		reason     vmhost.Reason
	}{
		{"the agent is killed", "agent", vmhost.ReasonPanic}, // the kernel does not go on without its first program
		{"the kernel gives up in the work", "panic", vmhost.ReasonPanic},
		{"garbage to the host", "garbage " + wire.PortRPC, vmhost.ReasonProtocol},
	} {
		t.Run(tt.name, func(t *testing.T) {
			work := []string{"/bin/sh", "-c", "echo " + tt.word + " > /work/fault; sleep 60; cat /work/fault.said; exit 3"}
			fails(t, f, HowRestored, work, func(*VM) error { return nil }, tt.reason)
		})
	}
	v := restoredVM(t, f, func(c *Config) { c.Image = f.o.Image })
	obs, err := v.Execute(t.Context(), vmhost.Action{Exec: &wire.ExecParams{Argv: []string{"/bin/cat", "hello.txt"}}})
	if err != nil || string(obs.Exec.Stdout) != "hello" {
		t.Errorf("the next: %+v, %v", obs.Exec, err)
	}
}

// faultyFactory has machines of the real pack in which a process waits for a word to go
// wrong (faultguest).
func faultyFactory(t *testing.T) *Factory {
	t.Helper()
	dir := t.TempDir()
	f := closedAfter(t, openFactory(t, filepath.Join(dir, "templates"), func(i *qemu.Image) {
		i.Initrd, i.ID = faultyInitramfs(t, dir, i.Initrd), i.ID+" that goes wrong"
	}))
	if err := ensure(t, f); err != nil {
		t.Fatal(err)
	}
	return f
}

// faultyInitramfs lays faultguest over the pack's initramfs, with the agent beside it.
func faultyInitramfs(t *testing.T, dir, base string) string {
	t.Helper()
	program, out := filepath.Join(dir, "faultguest"), filepath.Join(dir, "initramfs.cpio")
	if err := gobuild.Program(program, "piwork/vmhost/vm/faultguest", "amd64", "-tags", "vm"); err != nil {
		t.Fatal(err)
	}
	under, err := os.Open(base)
	if err != nil {
		t.Fatal(err)
	}
	defer under.Close()
	var agent []byte
	for r := cpio.NewReader(under); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Name == "init" {
			if agent, err = io.ReadAll(r); err != nil {
				t.Fatal(err)
			}
		}
	}
	all, err := os.ReadFile(base)
	if err != nil {
		t.Fatal(err)
	}
	first, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	made, err := os.Create(out)
	if err != nil {
		t.Fatal(err)
	}
	defer made.Close()
	if _, err := made.Write(append(all, make([]byte, -len(all)&511)...)); err != nil {
		t.Fatal(err)
	}
	w := cpio.NewWriter(made)
	for name, data := range map[string][]byte{"init": first, "agent": agent} { // the last file of a name counts
		if err := w.WriteHeader(&cpio.Header{Name: name, Mode: cpio.TypeReg | 0o755, Size: int64(len(data)), Links: 1}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out
}
