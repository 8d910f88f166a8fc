//go:build unix

package qemu_test

import (
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/digitalocean/go-qemu/qmp"

	"piwork/vmhost/qemu"
)

// A machine whose disk grows is stopped before this computer's is full, and not
// before, and not because nobody knows how full that is.
func TestStopsBeforeTheDiskIsFull(t *testing.T) {
	ctx := soon(t)
	s := machineSpec(t, "grows")
	s.Overlay = filepath.Join(t.TempDir(), "overlay")
	if err := os.WriteFile(s.Overlay, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var asked atomic.Int32
	events := make(chan qmp.Event, 100)
	p, err := qemu.Start(ctx, qemu.WithFreeSpace(qemu.StartOptions{Spec: s, OnEvent: func(e qmp.Event) {
		if e.Event != "BLOCK_WRITE_THRESHOLD" {
			events <- e
		}
	}}, func() (uint64, error) {
		switch asked.Add(1) {
		case 1:
			return 1 << 30, nil
		case 2:
			return 0, errors.New("no answer")
		}
		return 1<<30 - 1, nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Stop(ctx)
	for _, want := range []string{"STOP", "BLOCK_IO_ERROR"} {
		select {
		case e := <-events:
			if nospace, _ := e.Data["nospace"].(bool); e.Event != want || nospace != (want == "BLOCK_IO_ERROR") {
				t.Errorf("%+v, want %s", e, want)
			}
		case <-ctx.Done():
			t.Fatalf("no %s", want)
		}
	}
	if n := asked.Load(); n != 3 {
		t.Errorf("asked %d times", n)
	}
}
