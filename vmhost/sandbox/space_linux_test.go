package sandbox

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// TestADiskThatFillsUpEndsTheSandbox: what its programs write has no other bound.
func TestADiskThatFillsUpEndsTheSandbox(t *testing.T) {
	var left atomic.Uint64
	left.Store(spaceReserve - 1) // it was so before
	c := config(t)
	c.freeSpace = func(string) (uint64, error) { return left.Load(), nil }
	r := connected(t, c)
	if got := run(t, r, "echo here"); string(got.Stdout) != "here\n" {
		t.Fatalf("a disk that was full before: %+v", got)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	left.Store(spaceReserve - spaceStep - 1)
	_, err := r.Execute(ctx, vmhost.Action{Exec: &wire.ExecParams{Argv: []string{"/bin/sleep", "600"}}})
	if failed, is := errors.AsType[*vmhost.FailedError](err); !is || failed.Reason != vmhost.ReasonDiskFull {
		t.Errorf("%v", err)
	}
}

// TestNextLook is often enough that no disk fills between two looks, and no oftener.
func TestNextLook(t *testing.T) {
	for left, want := range map[uint64]time.Duration{
		0: spaceSoon, spaceReserve: spaceSoon, spaceReserve + 4<<30: time.Second, spaceReserve + 20<<30: spaceLate, 1 << 62: spaceLate,
	} {
		if got := nextLook(left); got != want {
			t.Errorf("%d: %v, not %v", left, got, want)
		}
	}
}
