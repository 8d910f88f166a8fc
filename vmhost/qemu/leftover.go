package qemu

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/shirou/gopsutil/v4/process"
)

// RunningFile says in StartOptions.LogDir which process runs there. It is gone
// when that has ended, unless this program was killed.
const RunningFile = "running.json"

const maxRunning = 1 << 20 // bytes of a RunningFile that are read

// running is a QEMU, recognised by its whole command line: in that are paths
// that no other process was given.
type running struct {
	PID  int      `json:"pid"`
	Args []string `json:"args"`
	Run  string   `json:"run,omitempty"` // the directory of its sockets, if NewRunDir made it
}

func writeRunning(dir string, r running) error {
	b, err := json.Marshal(r)
	if err != nil {
		return err
	}
	// No sync: after a crash of the computer no process is left.
	return os.WriteFile(filepath.Join(dir, RunningFile), b, 0o600)
}

// EndLeftover ends the QEMU that a killed program left running with its logs in
// dir, and reports whether there was one. QEMU dies with its program, so there
// is one only when what sees to that was killed too. A process that merely has
// its number is left alone. The directory of its sockets is removed. It returns
// when the process is gone or ctx ends.
func EndLeftover(ctx context.Context, dir string) (bool, error) {
	path := filepath.Join(dir, RunningFile)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for a machine of before: %w", err)
	}
	var r running
	err = json.NewDecoder(io.LimitReader(f, maxRunning)).Decode(&r)
	if err := f.Close(); err != nil {
		return false, err
	}
	if err != nil || r.PID <= 1 || len(r.Args) == 0 { // cut off when it was written
		return false, os.Remove(path)
	}
	was := false
	for wait := time.Millisecond; r.runs(ctx); wait = min(2*wait, 100*time.Millisecond) {
		if !was {
			was = true
			p, err := os.FindProcess(r.PID)
			if err == nil {
				err = p.Kill()
			}
			if err != nil && !errors.Is(err, os.ErrProcessDone) {
				return was, fmt.Errorf("end a machine of before, process %d: %w", r.PID, err)
			}
		}
		t := time.NewTimer(wait)
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return was, fmt.Errorf("end a machine of before, process %d: %w", r.PID, context.Cause(ctx))
		}
	}
	if isRunDir(r.Run) {
		if err := os.RemoveAll(r.Run); err != nil {
			return was, fmt.Errorf("remove the sockets of a machine of before: %w", err)
		}
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) { // its owner may have, if it lives
		return was, err
	}
	return was, nil
}

// runs tells whether the process is there. One that has ended and that nobody
// has asked how has no command line.
func (r running) runs(ctx context.Context) bool {
	p, err := process.NewProcessWithContext(ctx, int32(r.PID)) //nolint:gosec // the system's process ids fit
	if err != nil {
		return false
	}
	args, err := p.CmdlineSliceWithContext(ctx)
	return err == nil && slices.Equal(args, r.Args)
}
