package vm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"time"

	"piwork/vmhost"
	"piwork/vmhost/qemu"
	"piwork/vmhost/wire"
)

// supervise watches the parts of a machine until its life ends, and puts the
// VM into failed when one of them ends.
func (v *VM) supervise() {
	v.parts.Go(v.ask)
	select {
	case <-v.life.Done():
	case <-v.proc.Console().Damaged():
		v.gaveUp()
	case <-v.proc.Console().Panicked():
		v.gaveUp()
	case <-v.proc.Done():
		v.machineEnded()
	case <-v.conv.over:
		reason, err := vmhost.ReasonClosed, v.conv.err
		var protocol *ProtocolError
		switch {
		case errors.As(err, &protocol):
			v.fail(vmhost.ReasonProtocol, err)
			return
		case v.conv.filter.deaf.Load():
			reason, err = vmhost.ReasonHung, fmt.Errorf("the agent did not take a message in %v", v.timing.write)
		case err == nil || errors.Is(err, io.EOF):
			err = errors.New("the agent's port was closed")
		default:
			err = fmt.Errorf("the agent's port: %w", err)
		}
		v.afterEvidence(reason, err)
	}
}

// gaveUp says why the guest stopped itself.
func (v *VM) gaveUp() {
	select {
	case <-v.proc.Console().Damaged(): // before the panic that it may come with
		what := v.proc.Console().Damage()
		image := v.damagedImage(what)
		v.failOf(vmhost.ReasonDamaged, image, fmt.Errorf("the image %q of the runtime is not what it was signed as: %s", image, what))
	default:
		v.fail(vmhost.ReasonPanic, errors.New("the guest's kernel gave up"))
	}
}

// What a guest says of a damaged image: the agent names an add-on, the kernel a
// disk by its number.
var (
	damagedLayer = regexp.MustCompile(`^layer ([A-Za-z0-9][A-Za-z0-9._-]*): `)
	damagedDisk  = regexp.MustCompile(`^[0-9]+:([0-9]+): `)
)

// minorsPerDisk is how many device numbers a virtio disk has in Linux
// (drivers/block/virtio_blk.c, PART_BITS).
const minorsPerDisk = 16

// damagedImage finds the name of an image that the guest complains of. Disks
// have their numbers in the order of their slots: root, work, add-ons.
func (v *VM) damagedImage(what string) string {
	addOns := v.cfg.Image.AddOns
	if m := damagedLayer.FindStringSubmatch(what); m != nil {
		if slices.ContainsFunc(addOns, func(l qemu.Layer) bool { return l.Name == m[1] }) {
			return m[1]
		}
		return ""
	}
	m := damagedDisk.FindStringSubmatch(what)
	if m == nil {
		if len(addOns) == 0 {
			return vmhost.BaseImage
		}
		return ""
	}
	n, err := strconv.Atoi(m[1])
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

// machineEnded tells a guest that stopped itself, after which the machine ends
// too, from an end for another reason.
func (v *VM) machineEnded() {
	select {
	case <-v.proc.Console().Damaged():
		v.gaveUp()
	case <-v.proc.Console().Panicked():
		v.gaveUp()
	default:
		v.fail(vmhost.ReasonExited, v.proc.Exit())
	}
}

// afterEvidence fails the VM for a reason that may only be a consequence: when
// a machine ends, its connections end a little before.
func (v *VM) afterEvidence(reason vmhost.Reason, err error) {
	t := time.NewTimer(v.timing.evidence)
	defer t.Stop()
	select {
	case <-v.life.Done():
	case <-v.proc.Done():
		v.machineEnded()
	case <-v.proc.Console().Damaged():
		v.gaveUp()
	case <-v.proc.Console().Panicked():
		v.gaveUp()
	case <-t.C:
		v.fail(reason, err)
	}
}

// ask asks a silent agent whether it is there. It begins when the VM is ready:
// until then silence is counted by connect.
func (v *VM) ask() {
	t := time.NewTicker(v.timing.ping)
	defer t.Stop()
	for n := 0; ; n++ {
		select {
		case <-v.life.Done():
			return
		case <-t.C:
		}
		if v.Status().State != vmhost.StateReady || time.Since(v.conv.filter.activity()) < v.timing.ping {
			continue
		}
		asked := time.Now()
		ctx, cancel := context.WithTimeout(v.life, v.timing.hung)
		want := strconv.Itoa(n)
		var echo wire.EchoParams
		err := v.conv.call(ctx, wire.MethodEcho, wire.EchoParams{Data: want}, &echo)
		late := ctx.Err() != nil
		cancel()
		switch {
		case v.life.Err() != nil:
			return
		case late && v.conv.filter.activity().After(asked): // busy, and alive
		case late:
			v.fail(vmhost.ReasonHung, fmt.Errorf("the agent said nothing in %v", v.timing.hung))
			return
		case errors.Is(err, errConversationOver):
			return // supervise says why
		case err == nil && echo.Data != want:
			v.fail(vmhost.ReasonProtocol, &ProtocolError{fmt.Errorf("guest.echo of %q: %.64q", want, echo.Data)})
			return
		}
	}
}
