// Package qemu starts and steers QEMU processes.
//
// # Parties
//
// A [Spec] says everything about one virtual machine; [CommandLine] alone turns it into
// an argv. [Start] runs it as a [Process] with its console, its ports
// and its QMP [Monitor]. [Prove] boots the pack's own kernel and says whether an
// accelerator works here; a [ProofCache] remembers that with the rung of the [Ladder].
//
// # Templates and folders
//
// A machine whose memory is a file (Spec.RAM) can be saved once, while it runs
// ([Process.Save]), and restored as often as wanted ([Process.Restore]): the memory is
// mapped copy-on-write, only devices are read. What differs is plugged afterwards
// ([Process.PlugLayer]). A state is taken only by the machine that it is of
// ([TemplateKey]); QEMU itself does not notice everything. No guest can write a
// template's memory. [CanTemplate] says where this does not go.
//
// Folders come to a 9p device (Spec.Folders), where QEMU has one: messages on a socket. It
// is in a machine from its start, and so in its template. On Linux a running machine can
// also be given virtio-fs ([Process.PlugFolders]), a device that reads and writes the
// guest's memory itself. That memory is [SharedRAM] then, into which a template's is
// copied while QEMU starts; such a machine cannot be saved.
//
// # Firmware
//
// QEMU loads the pack's kernel and initramfs itself: on x86-64 through SeaBIOS, on arm64
// without firmware. There is no boot loader for UEFI to start, and Secure Boot would check
// again what is verified already: kernel and initramfs before every start, the root image
// in the guest, block by block ([Verity]; the [Console] hears when it is damaged).
//
// # Promises
//
//   - QEMU gets as little as it can work with: no default devices, display, network card
//     or user configuration; on Linux a seccomp filter. Its monitor is its standard input
//     and output; its sockets are 0600 in a directory 0700, and QEMU connects to them (on
//     Windows they are pipes with secret names, which QEMU makes).
//   - What comes out of QEMU is treated as what a hostile guest wrote: bounded in length.
//   - A Process ends: by [Process.Stop], by itself, or with this program (parent-death
//     signal on Linux, job object on Windows, a reaper elsewhere). What is left when all
//     of that was killed at once, the next program ends ([EndLeftover]).
//   - Stop asks first (QMP quit) and kills after its deadline; then the process and its
//     sockets are gone.
//   - A guest cannot fill this computer's disk: its own has a size, logs are bounded, and
//     a machine is stopped while there is still room to work with.
//   - [Prove] measures: an accelerator gets a multiple of the time that emulation takes
//     to its first byte at this moment. It leaves no process behind.
package qemu
