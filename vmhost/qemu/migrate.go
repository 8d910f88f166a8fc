package qemu

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/digitalocean/go-qemu/qmp"
)

const (
	// saveTime is how long saving may take. Memory is where it belongs already,
	// so it is the writing of its file to the disk that takes long.
	saveTime = 5 * time.Minute

	// restoreTime is how long QEMU may take to read a state, some hundred
	// kilobytes. What the guest does then is the caller's to watch.
	restoreTime = 20 * time.Second
)

// Events and states of QMP (qapi/migration.json, qapi/run-state.json).
const (
	eventMigration = "MIGRATION"
	eventResume    = "RESUME"
	migrated       = "completed"
	migrateFailed  = "failed"
	migrateEnded   = "cancelled"
)

// ignoreShared leaves memory in shared files out of a state: the file is saved
// with it. The machine that is restored says the same, also when it copies the
// file on write.
func ignoreShared() qmp.Command {
	capability := func(name string) map[string]any { return map[string]any{"capability": name, "state": true} }
	return qmp.Command{Execute: "migrate-set-capabilities", Args: map[string]any{
		"capabilities": []any{capability("x-ignore-shared"), capability("events")},
	}}
}

// stateChannel is a state's file as QMP wants it.
func stateChannel(path string) []any {
	return []any{map[string]any{
		"channel-type": "main",
		"addr":         map[string]any{"transport": "file", "filename": path, "offset": stateHeader},
	}}
}

// Save writes the machine's state to a file, which must not exist, while it
// runs: one that was stopped would be stopped when it is restored. The machine
// ends running with it and can only be stopped afterwards; state and memory
// (Spec.RAM), and its overlay, are one thing from then on and are on the disk.
// When saving fails, the state's file is gone.
func (p *Process) Save(ctx context.Context, state string) (err error) {
	if p.spec.RAM == nil || p.spec.RAM.Private || p.spec.RAM.Handed || p.spec.Incoming {
		return fmt.Errorf("%w: its memory is in no file of its own", ErrNoTemplates)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, saveTime, fmt.Errorf("QEMU did not save the machine in %v", saveTime))
	defer cancel()
	f, err := os.OpenFile(state, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) // QEMU's would be readable to others
	if err != nil {
		return fmt.Errorf("save the machine: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("save the machine: %w", err), os.Remove(state))
		}
	}()
	if err := f.Close(); err != nil {
		return err
	}
	if err := p.migrate(ctx, qmp.Command{Execute: "migrate", Args: map[string]any{"channels": stateChannel(state)}}, ""); err != nil {
		return err
	}
	for _, path := range []string{p.spec.RAM.Path, p.spec.Overlay} {
		if err := syncFile(path); err != nil {
			return err
		}
	}
	return sealState(state, stateOf(p.spec))
}

// Restore gives an Incoming machine the state in a file and returns when it
// runs. The error is ErrBadState or ErrOtherMachine when the state cannot be
// this machine's; it has an *ExitError when QEMU ended over it. After an error
// the process can only be stopped.
func (p *Process) Restore(ctx context.Context, state string) error {
	if !p.spec.Incoming {
		return errors.New("restore a machine: this one was started")
	}
	ctx, cancel := context.WithTimeoutCause(ctx, restoreTime, fmt.Errorf("QEMU did not read the state in %v", restoreTime))
	defer cancel()
	if err := checkState(state, stateOf(p.spec)); err != nil {
		return fmt.Errorf("restore a machine: %w", err)
	}
	if err := p.migrate(ctx, qmp.Command{Execute: "migrate-incoming", Args: map[string]any{"channels": stateChannel(state)}}, eventResume); err != nil {
		return fmt.Errorf("restore a machine: %w", err)
	}
	return nil
}

// migrate runs a command that saves or restores, and waits for the event until,
// or for the end of the migration when there is none.
func (p *Process) migrate(ctx context.Context, cmd qmp.Command, until string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	events, err := p.monitor.Events(ctx)
	if err != nil {
		return p.whyEnded(err)
	}
	for _, c := range []qmp.Command{ignoreShared(), cmd} {
		if err := p.monitor.Do(ctx, c, nil); err != nil {
			return p.whyEnded(err)
		}
	}
	for {
		e, ok := <-events
		if !ok {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return p.whyEnded(ErrMonitorClosed)
		}
		if until != "" && e.Event == until {
			return nil
		}
		if e.Event != eventMigration {
			continue
		}
		switch status, _ := e.Data["status"].(string); status {
		case migrated:
			if until != "" { // it would have been resumed before
				return errors.New("the machine does not run: its disks were not given to it")
			}
			return nil
		case migrateFailed, migrateEnded:
			return p.whyFailed(ctx)
		}
	}
}

// whyFailed asks for the cause of a failed migration.
func (p *Process) whyFailed(ctx context.Context) error {
	var s struct {
		Desc string `json:"error-desc"`
	}
	if err := p.monitor.Do(ctx, qmp.Command{Execute: "query-migrate"}, &s); err != nil {
		return p.whyEnded(err)
	}
	return fmt.Errorf("QEMU failed: %.500s", s.Desc)
}

// whyEnded is how the process ended, when that is why its monitor did.
func (p *Process) whyEnded(err error) error {
	if !errors.Is(err, ErrMonitorClosed) {
		return err
	}
	t := time.NewTimer(quitTime)
	defer t.Stop()
	select {
	case <-p.done:
		e := p.exitError()
		return fmt.Errorf("%w: %s", e, lastLine(e.Output))
	case <-t.C:
		return err
	}
}

// Pause stops the machine's processors; its devices and its memory stay.
func (p *Process) Pause(ctx context.Context) error {
	return p.monitor.Do(ctx, qmp.Command{Execute: "stop"}, nil)
}

// Resume lets a paused machine run on. Its clock stood still.
func (p *Process) Resume(ctx context.Context) error {
	return p.monitor.Do(ctx, qmp.Command{Execute: "cont"}, nil)
}

// PlugLayer gives a running machine the disk of the i-th add-on, as the command
// line gives it one of Image.AddOns. The guest sees it a little later.
func (p *Process) PlugLayer(ctx context.Context, i int, l Layer) error {
	if i < 0 || i >= MaxLayers || p.spec.Overlay == "" {
		return fmt.Errorf("plug the add-on %s: the machine has no place %d for it", l.Name, i)
	}
	if err := p.monitor.Do(ctx, qmp.Command{Execute: "blockdev-add", Args: imageNode(LayerDisk(i), l.File).arguments()}, nil); err != nil {
		return fmt.Errorf("plug the add-on %s: %w", l.Name, err)
	}
	if err := p.monitor.Do(ctx, qmp.Command{Execute: "device_add", Args: p.spec.layerDevice(i).arguments()}, nil); err != nil {
		return fmt.Errorf("plug the add-on %s: %w", l.Name, err)
	}
	return nil
}

func syncFile(path string) error {
	if path == "" {
		return nil
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
