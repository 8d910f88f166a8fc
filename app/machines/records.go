package machines

import (
	"piwork/app/capacity"
	"piwork/app/problem"
)

// Settings are a person's choices about the virtual machines that tasks
// work in. Zero leaves a number to the size of this computer. Memory is in MiB.
type Settings struct {
	MemoryMB int  `json:"memoryMb"` // of one machine
	CPUs     int  `json:"cpus"`     // of one machine
	TotalMB  int  `json:"totalMb"`  // of all machines together
	AtOnce   int  `json:"atOnce"`   // machines at the same time
	Instant  bool `json:"instant"`  // keep what lets a machine be there at once

	Share ShareKind `json:"share,omitempty" enum:"auto,9p,virtiofs"` // how folders reach a machine; "" is ShareAuto

	CacheMB int `json:"cacheMb,omitempty"` // that a cache between tasks may hold; 0 is projectcache.DefaultLimitMB
}

func (s Settings) choice() capacity.Choice {
	return capacity.Choice{MemoryMB: s.MemoryMB, CPUs: s.CPUs, TotalMB: s.TotalMB, Machines: s.AtOnce}
}

// Machines is how this computer is shared out. It is also the data of
// task.EventMachines.
type Machines struct {
	Host     capacity.Host `json:"host"`
	Size     capacity.Size `json:"size"`    // of a machine whose task asks for nothing else
	TotalMB  int           `json:"totalMb"` // that all machines together may come to use, MiB
	AtOnce   int           `json:"atOnce"`  // machines at the same time
	Running  int           `json:"running"` // machines that tasks have now
	Queued   int           `json:"queued"`  // machines that tasks wait for
	Instant  WarmStart     `json:"instant"`
	Share    Share         `json:"share"`
	Settings Settings      `json:"settings"`
}

// WarmState is whether machines are there at once.
type WarmState string

// States of what lets machines be there at once. In all but ready they start the
// ordinary way, with the same result.
const (
	WarmOff     WarmState = "off"     // by choice
	WarmPending WarmState = "pending" // will be made ready; Reason says what that waits for
	WarmMaking  WarmState = "making"  // is being made ready
	WarmReady   WarmState = "ready"
	WarmFailed  WarmState = "failed" // cannot be done here; Problem says why
)

// WarmReason is what making it ready waits for.
type WarmReason string

// Reasons.
const (
	WarmSetup   WarmReason = "setup"   // this computer was not looked at yet, or cannot work yet
	WarmTasks   WarmReason = "tasks"   // tasks are at work
	WarmSoon    WarmReason = "soon"    // nothing: it begins in a moment
	WarmUnused  WarmReason = "unused"  // somebody who needs it: nobody did for a while
	WarmMemory  WarmReason = "memory"  // free memory
	WarmDisk    WarmReason = "disk"    // free disk space
	WarmBattery WarmReason = "battery" // the mains: the battery is low
)

// WarmMode is how machines are there at once.
type WarmMode string

// Modes.
const (
	WarmTemplate WarmMode = "template" // each is a copy of one that was saved
	WarmSpare    WarmMode = "spare"    // one waits, started in advance: this computer cannot restore
)

// WarmStart says how things stand.
type WarmStart struct {
	State   WarmState        `json:"state"`
	Said    string           `json:"said,omitempty" words:"shown"` // State, and why
	Reason  WarmReason       `json:"reason,omitempty"`             // in pending
	Mode    WarmMode         `json:"mode,omitempty"`               // "" while it is not known
	Bytes   int64            `json:"bytes,omitempty"`              // on the disk
	Problem *problem.Problem `json:"problem,omitempty"`
}

// ShareKind is a way in which folders reach a machine.
type ShareKind string

// Ways.
const (
	ShareAuto     ShareKind = "auto"     // virtio-fs where that was proven, else 9p
	Share9P       ShareKind = "9p"       // on every system, with QEMU of our own
	ShareVirtioFS ShareKind = "virtiofs" // the fast way, on Linux
)

// ShareReason is why folders reach machines in that way.
type ShareReason string

// Reasons. None is that the fast way was proven.
const (
	ShareChosen  ShareReason = "chosen"  // by a person
	ShareNotHere ShareReason = "system"  // this system has no fast way
	ShareUntried ShareReason = "untried" // whether the fast way works is found out when no task is at work
	ShareOnly    ShareReason = "only"    // the runtime knows no other way
	ShareFailed  ShareReason = "failed"  // the fast way did not work; Detail says what happened
)

// Share says how folders reach the machines of tasks.
type Share struct {
	Kind   ShareKind   `json:"kind" enum:"9p,virtiofs"`
	Said   string      `json:"said,omitempty" words:"shown"` // Kind, and why
	Reason ShareReason `json:"reason,omitempty"`
	Detail string      `json:"detail,omitempty"` // for a log, in English
}
