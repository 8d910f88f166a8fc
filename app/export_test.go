package app

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"piwork/app/capacity"
	"piwork/app/chore/choretest"
	"piwork/app/machines"
	"piwork/vmhost"
	"piwork/vmhost/vm"
	"piwork/vmhost/wire"
)

// What tests of whole processes need, which cannot be in this package: the command line
// imports it.

// StallFile in the directory above the data has the machines of [OpenStandIn] come to no end.
const StallFile = "stall"

// KillAfter is how many results a chore has then.
const KillAfter = killAfter

// Scans, FilesOf, HalfDone and Compress are those of the tests here.
var (
	Scans    = scans
	FilesOf  = files
	HalfDone = halfDone
	Compress = compress
)

// AfterTests are called when all tests of this package are over.
var AfterTests []func() error

// OpenStandIn opens a controller whose machines are this process: everything else is real.
// A program in a machine, and a chore with [KillAfter] results, wait as long as StallFile is there.
func OpenStandIn(ctx context.Context, o Options) (*Controller, error) {
	o = o.WithDefaults()
	w := &world{host: capacity.Host{MemoryMB: 64 << 10, FreeMB: 60 << 10, CPUs: 32}, diskMB: 100 << 10}
	w.settle.Store(int64(machines.WarmSettle))
	stall := filepath.Join(filepath.Dir(o.DataDir), StallFile)
	work := filepath.Join(filepath.Dir(stall), "work")
	if err := os.MkdirAll(work, 0o700); err != nil {
		return nil, err
	}
	return open(ctx, o, func(ctx context.Context, o Options) (seams, error) {
		s, err := w.seams(ctx, o)
		s.machine = func(c vm.Config) (vmhost.Runtime, error) {
			dir, err := os.MkdirTemp(work, "")
			if err != nil {
				return nil, err
			}
			rt, made := machineIn(dir, c), 0
			rt.Programs = choretest.Programs
			rt.Exec = func(ctx context.Context, _ wire.ExecParams, _ func(wire.ExecOutput)) (wire.ExecResult, error) {
				await(ctx, stall)
				return wire.ExecResult{}, context.Cause(ctx)
			}
			rt.Before = func(ctx context.Context, p wire.ToolParams) (*wire.ToolResult, error) {
				if p.Out == "" {
					return nil, nil
				}
				if made++; made > killAfter {
					await(ctx, stall)
				}
				return nil, context.Cause(ctx)
			}
			return rt, nil
		}
		return s, err
	})
}

// await waits until a file is gone.
func await(ctx context.Context, file string) {
	for again := time.NewTicker(10 * time.Millisecond); ; {
		if _, err := os.Lstat(file); err != nil {
			return
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return
		}
	}
}
