//go:build unix

package qemu_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/digitalocean/go-qemu/qmp"

	"piwork/vmhost/qemu"
)

// saved makes a template of a fake machine and returns its files and a Spec for
// one that is restored from it.
func saved(t *testing.T, guest string) (ram, state string, restored qemu.Spec) {
	t.Helper()
	ctx, dir := soon(t), t.TempDir()
	ram, state = filepath.Join(dir, "ram"), filepath.Join(dir, "state")
	s := machineSpec(t, guest)
	s.RAM = &qemu.RAMFile{Path: ram}
	p, err := qemu.Start(ctx, qemu.StartOptions{Spec: s})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Stop(ctx)
	if err := p.Save(ctx, state); err != nil {
		t.Fatal(err)
	}
	restored = machineSpec(t, guest)
	restored.RAM, restored.Incoming = &qemu.RAMFile{Path: ram, Private: true}, true
	return ram, state, restored
}

func TestSaveAndRestore(t *testing.T) {
	ctx := soon(t)
	ram, state, s := saved(t, "boots")
	for path, size := range map[string]int64{ram: qemu.DefaultMemoryMB << 20, state: 4096 + 16} {
		fi, err := os.Stat(path)
		if err != nil || fi.Mode().Perm() != 0o600 || fi.Size() != size {
			t.Errorf("%v %v", fi, err)
		}
	}
	for range 2 { // as often as wanted
		p, err := qemu.Start(ctx, qemu.StartOptions{Spec: s})
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Restore(ctx, state); err != nil {
			t.Error(err)
		}
		if err := p.Save(ctx, filepath.Join(t.TempDir(), "again")); !errors.Is(err, qemu.ErrNoTemplates) {
			t.Errorf("saved a machine whose memory is another's: %v", err)
		}
		if err := p.Stop(ctx); err != nil {
			t.Error(err)
		}
	}
}

// Whatever is wrong with a saved machine, it is said, and soon.
func TestRestoreFails(t *testing.T) {
	write := func(path string, change func([]byte) []byte) {
		b, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, change(b), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name  string
		wrong func(ram, state string, s *qemu.Spec)
		want  error
	}{
		{"no state", func(_, state string, _ *qemu.Spec) { _ = os.Remove(state) }, fs.ErrNotExist},
		{"an empty state", func(_, state string, _ *qemu.Spec) { _ = os.Truncate(state, 0) }, qemu.ErrBadState},
		{"no header", func(_, state string, _ *qemu.Spec) { write(state, func(b []byte) []byte { return b[4096:] }) }, qemu.ErrBadState},
		{"a header of zeros", func(_, state string, _ *qemu.Spec) { write(state, func(b []byte) []byte { clear(b[:4096]); return b }) }, qemu.ErrBadState},
		{"a short state", func(_, state string, _ *qemu.Spec) { write(state, func(b []byte) []byte { return b[:len(b)-1] }) }, qemu.ErrBadState},
		{"only a header", func(_, state string, _ *qemu.Spec) { write(state, func(b []byte) []byte { return b[:4096] }) }, qemu.ErrBadState},
		{"a long state", func(_, state string, _ *qemu.Spec) { write(state, func(b []byte) []byte { return append(b, 0) }) }, qemu.ErrBadState},
		{"a changed state", func(_, state string, _ *qemu.Spec) { write(state, func(b []byte) []byte { b[len(b)-1]++; return b }) }, qemu.ErrBadState},
		{"no memory", func(ram, _ string, _ *qemu.Spec) { _ = os.Remove(ram) }, qemu.ErrBadState},
		{"short memory", func(ram, _ string, _ *qemu.Spec) { _ = os.Truncate(ram, 1<<20) }, qemu.ErrBadState},
		{"a directory as memory", func(ram, _ string, s *qemu.Spec) { s.RAM.Path = filepath.Dir(ram) }, qemu.ErrBadState},
		{"another size of memory", func(_, _ string, s *qemu.Spec) { s.MemoryMB = 512 }, qemu.ErrBadState},
		{"another size of memory, and the file has it", func(ram, _ string, s *qemu.Spec) {
			s.MemoryMB = 512
			_ = os.Truncate(ram, 512<<20)
		}, qemu.ErrOtherMachine},
		{"another processor", func(_, _ string, s *qemu.Spec) { s.CPU = "qemu64" }, qemu.ErrOtherMachine},
		{"more processors", func(_, _ string, s *qemu.Spec) { s.CPUs = 2 }, qemu.ErrOtherMachine},
		{"another pack", func(_, _ string, s *qemu.Spec) { s.Image.ID = "other" }, qemu.ErrOtherMachine},
		{"a port less", func(_, _ string, s *qemu.Spec) { s.Ports = nil }, qemu.ErrOtherMachine},
		{"a system that cannot", func(_, _ string, s *qemu.Spec) { s.Host = "windows" }, qemu.ErrNoTemplates},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx := soon(t)
			ram, state, s := saved(t, "boots")
			tt.wrong(ram, state, &s)
			p, err := qemu.Start(ctx, qemu.StartOptions{Spec: s})
			if err == nil {
				err = p.Restore(ctx, state)
				if stopErr := p.Stop(ctx); stopErr != nil {
					t.Error(stopErr)
				}
			}
			if !errors.Is(err, tt.want) {
				t.Errorf("%v, want %v", err, tt.want)
			}
		})
	}

	t.Run("QEMU ends over it", func(t *testing.T) {
		ctx := soon(t)
		_, state, s := saved(t, "chokes")
		p, err := qemu.Start(ctx, qemu.StartOptions{Spec: s})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Stop(ctx)
		var exit *qemu.ExitError
		if err := p.Restore(ctx, state); !errors.As(err, &exit) || exit.Code != 1 || !strings.Contains(err.Error(), "load of migration failed") {
			t.Error(err)
		}
	})
	t.Run("QEMU says nothing", func(t *testing.T) {
		ctx := soon(t)
		_, state, s := saved(t, "silent restore")
		p, err := qemu.Start(ctx, qemu.StartOptions{Spec: s})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Stop(ctx)
		patience := errors.New("no more time")
		short, cancel := context.WithTimeoutCause(ctx, 100*time.Millisecond, patience)
		defer cancel()
		if err := p.Restore(short, state); !errors.Is(err, patience) {
			t.Error(err)
		}
	})
	t.Run("not a machine that waits", func(t *testing.T) {
		ctx := soon(t)
		_, state, s := saved(t, "boots")
		s.RAM, s.Incoming = nil, false
		p, err := qemu.Start(ctx, qemu.StartOptions{Spec: s})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Stop(ctx)
		if err := p.Restore(ctx, state); err == nil {
			t.Error("restored into a machine that runs")
		}
	})
}

func TestSaveFails(t *testing.T) {
	for _, tt := range []struct {
		guest, want string
		prepare     func(state string, s *qemu.Spec)
	}{
		{guest: "refuses to save", want: "State blocked"},
		{guest: "boots", want: "file exists", prepare: func(state string, _ *qemu.Spec) { _ = os.WriteFile(state, []byte("precious"), 0o600) }},
		{guest: "boots", want: qemu.ErrNoTemplates.Error(), prepare: func(_ string, s *qemu.Spec) { s.RAM = nil }},
	} {
		ctx, dir := soon(t), t.TempDir()
		state, s := filepath.Join(dir, "state"), machineSpec(t, tt.guest)
		s.RAM = &qemu.RAMFile{Path: filepath.Join(dir, "ram")}
		if tt.prepare != nil {
			tt.prepare(state, &s)
		}
		p, err := qemu.Start(ctx, qemu.StartOptions{Spec: s})
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Save(ctx, state); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", tt.guest, err)
		}
		if err := p.Stop(ctx); err != nil {
			t.Error(err)
		}
		if b, err := os.ReadFile(state); err == nil && !bytes.Equal(b, []byte("precious")) {
			t.Errorf("%s: a state is left", tt.guest)
		}
	}
}

// A machine that does not start leaves no file for its memory; one that was
// there is not touched.
func TestMemoryOfNoMachine(t *testing.T) {
	ram := filepath.Join(t.TempDir(), "ram")
	s := machineSpec(t, "refuses")
	s.RAM = &qemu.RAMFile{Path: ram}
	if _, err := qemu.Start(soon(t), qemu.StartOptions{Spec: s}); err == nil {
		t.Fatal("started")
	}
	if _, err := os.Stat(ram); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("left: %v", err)
	}
	if err := os.WriteFile(ram, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := qemu.Start(soon(t), qemu.StartOptions{Spec: s}); !errors.Is(err, fs.ErrExist) {
		t.Error(err)
	}
	if b, err := os.ReadFile(ram); err != nil || string(b) != "precious" {
		t.Errorf("%q %v", b, err)
	}
}

func TestPauseAndPlug(t *testing.T) {
	ctx := soon(t)
	s := machineSpec(t, "boots")
	s.Overlay = "/nowhere/overlay"
	events := make(chan qmp.Event, 8)
	p, err := qemu.Start(ctx, qemu.StartOptions{Spec: s, OnEvent: func(e qmp.Event) { events <- e }})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Stop(ctx)
	if err := errors.Join(p.Pause(ctx), p.Resume(ctx)); err != nil {
		t.Error(err)
	}
	for _, want := range []string{"STOP", "RESUME"} {
		if e := <-events; e.Event != want {
			t.Errorf("event %s, want %s", e.Event, want)
		}
	}
	l := qemu.Layer{Name: "media", File: "/m.img"}
	if err := p.PlugLayer(ctx, 0, l); err != nil {
		t.Error(err)
	}
	for _, i := range []int{-1, qemu.MaxLayers} {
		if p.PlugLayer(ctx, i, l) == nil {
			t.Errorf("place %d", i)
		}
	}
}
