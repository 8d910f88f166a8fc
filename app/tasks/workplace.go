package tasks

import (
	"slices"
	"sync"
	"sync/atomic"

	"piwork/app/capacity"
	"piwork/app/history"
	"piwork/app/machines"
	"piwork/app/problem"
	"piwork/app/setup"
	"piwork/vmhost"
	"piwork/vmhost/qemu"
)

// workplace is what a task works with: its place in the queue, the computer's
// runtime, the machine and the journal that are open.
type workplace struct {
	kind       string                         // of its place, as runtimes.Kind has it
	machine    setup.Machine                  // what the task runs on; set before its first environment
	release    func()                         // lets go of machine; nil before
	size       capacity.Size                  // of the machine
	claim      *machines.Slot                 // its place; nil while it needs none
	room       room                           // it, for sessions
	machineNow atomic.Pointer[vmhost.Runtime] // that it works in; nil before

	opened atomic.Pointer[environment] // that is ready, until it is closed

	foldersMu   sync.Mutex   // held while folders are added or removed, and while the share is opened
	environment *environment // whose share is open; guarded by foldersMu

	journalMu sync.RWMutex
	journal   history.Journal // while the task can change something
}

// exit gives the room back. Nothing runs in it any more.
func (w *workplace) exit() {
	if w.claim != nil {
		w.claim.Release()
		w.claim = nil
	}
}

// Machine is that in which the task works; nil before.
func (w *workplace) Machine() vmhost.Runtime {
	if rt := w.machineNow.Load(); rt != nil {
		return *rt
	}
	return nil
}

// setJournal shows the journal to those who ask for the changes meanwhile. With
// nil it waits until none of them uses it.
func (w *workplace) setJournal(j history.Journal) {
	w.journalMu.Lock()
	defer w.journalMu.Unlock()
	w.journal = j
}

// WithJournal lends the journal to those who ask for the changes meanwhile.
func (w *workplace) WithJournal(do func(history.Journal) error) (open bool, err error) {
	w.journalMu.RLock()
	defer w.journalMu.RUnlock()
	if w.journal == nil {
		return false, nil
	}
	return true, do(w.journal)
}

// needs is the problem of an add-on that the machine of the task does not have.
// What it has is held until the task is over.
func (w *workplace) needs(addOns []string) error {
	for _, name := range addOns {
		if !slices.ContainsFunc(w.machine.Pack.Image.AddOns, func(a qemu.Layer) bool { return a.Name == name }) {
			return problem.New(problem.CodeAddOnMissing).With("name", name)
		}
	}
	return nil
}
