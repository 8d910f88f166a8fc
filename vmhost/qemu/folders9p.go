package qemu

import "net"

// folders9PID names the 9p device and its connection.
const folders9PID = "folders-9p"

// foldersBuffer is what the connection of that device is to hold at once, bytes: a message
// and more.
const foldersBuffer = 1 << 20

// folders9PDevice is a device whose requests, messages of 9p, go to a connection
// (recipe/patches/all of pack/image/qemu). It is in a machine from its start, and
// so in a template: plugged later, it would be found, and mounted, half a second after a
// restored machine runs. Nobody uses it before a task, so nothing of it is saved but that
// it is there.
func (s Spec) folders9PDevice() options {
	d := s.device("virtio-9p-chardev-pci", slot9P, option{"id", folders9PID}, option{"chardev", folders9PID}, option{"mount_tag", FoldersTag})
	if s.Accel == AccelTCG {
		// The emulated processor sends a request by itself, which takes less than
		// waking another thread for it. A real one would have to leave the guest.
		d = append(d, option{"ioeventfd", false})
	}
	return d
}

// Folders returns the connection with the 9p client of the guest: what Spec.Folders names,
// nil without. It knows no deadlines. The Process closes it in Stop. When it ends earlier,
// the guest's requests fail.
func (p *Process) Folders() net.Conn { return p.conns[p.spec.Folders] }
