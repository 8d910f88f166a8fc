package vm

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"piwork/pack/lazyregexp"
	"piwork/vmhost"
	"piwork/vmhost/qemu"
)

// supervise watches the parts of a machine until its life ends, and puts the
// VM into failed when one of them ends.
func (m *machine) supervise() {
	select {
	case <-m.life.Done():
	case <-m.proc.Console().Damaged():
		m.machineEnded()
	case <-m.proc.Console().Panicked():
		m.machineEnded()
	case <-m.proc.Done():
		m.machineEnded()
	case <-m.conv.Over():
		reason, err := m.conv.End()
		if reason == vmhost.ReasonProtocol {
			m.fail(reason, err)
			return
		}
		m.afterEvidence(reason, err)
	}
}

// What a guest says of a damaged image: the agent names an add-on, the kernel a
// disk by its number.
var (
	damagedLayer = lazyregexp.New(`^layer ([A-Za-z0-9][A-Za-z0-9._-]*): `)
	damagedDisk  = lazyregexp.New(`^[0-9]+:([0-9]+): `)
)

// minorsPerDisk is how many device numbers a virtio disk has in Linux
// (drivers/block/virtio_blk.c, PART_BITS).
const minorsPerDisk = 16

// damagedImage finds the name of an image that the guest complains of. Disks
// have their numbers in the order of their slots: root, work, add-ons.
func (m *machine) damagedImage(what string) string {
	m.mu.Lock()
	addOns := m.Image.AddOns
	m.mu.Unlock()
	if found := damagedLayer().FindStringSubmatch(what); found != nil {
		if slices.ContainsFunc(addOns, func(l qemu.Layer) bool { return l.Name == found[1] }) {
			return found[1]
		}
		return ""
	}
	found := damagedDisk().FindStringSubmatch(what)
	if found == nil {
		if len(addOns) == 0 {
			return vmhost.BaseImage
		}
		return ""
	}
	n, err := strconv.Atoi(found[1])
	switch disk := n / minorsPerDisk; {
	case err != nil:
		return ""
	case disk == 0:
		return vmhost.BaseImage
	case disk >= 2 && disk-2 < len(addOns):
		return addOns[disk-2].Name
	}
	return ""
}

// setAddOns says which add-ons a machine will have that was booted without.
func (m *machine) setAddOns(l []qemu.Layer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Image.AddOns = l
}

// machineEnded fails the machine for the first cause of its end: a damaged image
// may bring a panic of the guest's kernel, and both end QEMU.
func (m *machine) machineEnded() {
	console := m.proc.Console()
	switch {
	case over(console.Damaged()):
		image := m.damagedImage(console.Damage())
		m.failOf(vmhost.ReasonDamaged, image, fmt.Errorf("the image %q of the runtime is not what it was signed as: %s", image, console.Damage()))
	case over(console.Panicked()):
		m.fail(vmhost.ReasonPanic, errors.New("the guest's kernel gave up"))
	default:
		m.fail(vmhost.ReasonExited, m.proc.Exit())
	}
}

// over tells whether c is closed.
func over(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// afterEvidence waits a moment for a better reason before it fails the machine: when
// QEMU ends, its connections end a little earlier.
func (m *machine) afterEvidence(reason vmhost.Reason, err error) {
	t := time.NewTimer(m.timing.evidence)
	defer t.Stop()
	select {
	case <-m.life.Done():
	case <-m.proc.Done():
		m.machineEnded()
	case <-m.proc.Console().Damaged():
		m.machineEnded()
	case <-m.proc.Console().Panicked():
		m.machineEnded()
	case <-t.C:
		m.fail(reason, err)
	}
}

// ask finds out whether a silent agent is there, as long as the machine is a task's.
func (m *machine) ask() {
	if reason, err := m.conv.Watch(m.life, m.timing.ping, m.timing.hung); err != nil {
		m.fail(reason, err)
	}
}

// becomeReady makes the machine a task's for good; failed hears of its failure.
func (m *machine) becomeReady(failed func(*vmhost.FailedError)) {
	m.adopt(&owner{failed: failed})
	m.parts.Go(m.ask)
	if m.late {
		m.parts.Go(m.pushClock)
	}
}
