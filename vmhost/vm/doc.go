// Package vm is the runtime that runs a task in a virtual machine of its own.
//
// # Parties
//
// A [VM] is what a task has. It owns one machine at a time: a QEMU process
// (vmhost/qemu), the conversation with the agent in it (vmhost/conversation), and the
// connections on which its maker serves folders, a gateway and a network. This package
// knows nothing of files, keys and addresses. A [Factory] has machines ahead of the
// tasks; vmhost/vm/template stores their templates.
//
// # Life
//
//	Connect: restore ─────────────────────────────────────────────► ready
//	           └─► disk → machine → kernel → agent → prepare → mount ──┘
//	Close:   guest.shutdown → QMP quit → SIGKILL, each with its time
//	Ensure:  key → stage → boot, warm, save → restore and ask → sync, rename
//
// A restored machine's memory is the template's, copied on write (with virtio-fs: as a
// whole); its disk is a copy. One that was expected ([Factory.Expect]) was restored before
// and waited, its processors stopped. Time, randomness, names, add-ons and folders reach it
// when it becomes a task's. When it fails, the same Connect boots another one, and a template
// that is to blame is made anew. Where none can be made, one booted VM waits instead.
//
// A boot may take as long as it takes. Silence of console and agent together ends it:
// how much is too much follows from this computer's proof boot. Patience is counted on
// the machine's own clock, which stands still while the machine is paused ([VM.Pause]),
// this computer sleeps or this program is stopped; then the guest is given the time.
//
// # Folders and links
//
// Folders reach the guest in one of two ways ([VM.Share]):
//
//	pack   way        where         when, and why
//	both   virtio-fs  Linux         Config.ServeDevice is there; it sees the guest's memory: the fastest
//	own    9p         every system  otherwise; a device of our QEMU (qemu.Limits)
//	stock  none       Linux         otherwise (ErrNoWay); Debian's QEMU and kernel lack our patches for 9p
//
// Virtio-fs is chosen before the machine starts (app/machines has it proven first), and
// plugged when it runs: templates know nothing of it. The 9p device is in every machine of
// a QEMU that has it. When virtio-fs fails before the VM is ready, the same Connect goes the
// other way, where there is one. The server of virtio-fs ends after the machine, because a
// guest waits for that device for ever; over 9p its calls fail. A gateway (Config.ServeNet)
// and a network card (Config.NIC) are plugged when the machine runs. A link that ends later
// is told (Config.OnLink) and ends no machine. A cache (Config.Cache) is a disk that is
// plugged likewise; its files are whole when the guest switched the machine off ([VM.PoweredOff]).
//
// # Promises
//
//   - What the guest says is bounded and checked. A guest that breaks the protocol
//     loses its machine, nothing else.
//   - Output waits for a slow receiver; it is not cut for that within its action's
//     limit of time.
//   - Booted and restored VMs are the same to a task. Two restored ones share no random
//     number, identity, or byte of disk or memory that either has written.
//   - When QEMU, the guest's kernel, an image, the agent, its connection, the file
//     server or this computer's disk gives out, the VM fails with that reason
//     ([vmhost.FailedError]) and the machine is ended at once.
//   - After Close, and after a failed Connect, no process, socket, overlay or goroutine
//     is left. Logs stay. What a killed program left is removed by the next VM in the
//     same place and by the next factory.
package vm
