package vm

import (
	"fmt"
	"time"

	"piwork/vmhost"
)

// Steps of connecting, as Status.Step says them.
const (
	StepRestore = "restore" // a saved machine, or one that waited, becomes this task's
	StepDisk    = "disk"    // the overlay is made
	StepMachine = "machine" // QEMU starts
	StepKernel  = "kernel"  // the guest has not said anything yet
	StepAgent   = "agent"   // the agent has not answered yet
	StepPrepare = "prepare" // time, randomness and names; the guest mounts its root
	StepMount   = "mount"   // the folders
)

// requirement is what a step waits for, and what to look at when it does not
// come. The words are for logs; a person is told by reason and step.
type requirement struct{ what, hint string }

var requirements = map[string]requirement{
	StepRestore: {"the saved machine runs and its agent answers",
		"a machine is booted instead, and when that does better the template is made anew; the computer may be very busy"},
	StepDisk: {"an empty disk for the task",
		"look at the free space and at the rights of the data directory"},
	StepMachine: {"QEMU runs and has connected its sockets",
		"look at qemu.log; a security program may hold it up, or the runtime is damaged"},
	StepKernel: {"the first byte on the console",
		"the accelerator runs no guest: let it be proven again, or choose the slow mode"},
	StepAgent: {"the agent's hello",
		"the kernel runs: look at the end of console.log; the runtime may be damaged, or the computer very busy"},
	StepPrepare: {"the guest has put its root together",
		"look at console.log: an add-on may be damaged or missing"},
	StepMount: {"the guest has mounted the folders",
		"look whether the folders can be read at all: a network drive or a disk that sleeps may hold it up"},
}

// stalled is the error of a step in which nothing happened for too long.
func stalled(step string, after time.Duration) *stepError {
	r := requirements[step]
	return &stepError{reason: vmhost.ReasonStalled, err: fmt.Errorf("waiting for this: %s; neither console nor agent said anything in %v", r.what, after)}
}

// stepError is an error of a step of connecting that knows its reason.
type stepError struct {
	reason vmhost.Reason
	step   string // "" is the one that is under way
	err    error
}

func (e *stepError) Error() string { return e.err.Error() }
func (e *stepError) Unwrap() error { return e.err }
