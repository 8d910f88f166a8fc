// Package qemu starts and steers QEMU processes.
//
// # Parties
//
// A [Spec] says everything about one virtual machine; [CommandLine] turns it
// into an argv and nothing else does. [Start] owns the process that runs it: a
// [Process] with its console, its ports and its QMP [Monitor]. [Prove] boots
// the pack's own kernel and says whether an accelerator works on this machine;
// a [ProofCache] remembers the answer, with the rung of the [Ladder] that worked.
//
// Images are handed to the guest as they are; that they are what was signed is
// checked in it, block by block ([Verity]), and it stops when they are not: the
// [Console] hears of it.
//
// # Firmware
//
// No guest needs UEFI, so a pack has no OVMF: QEMU loads the pack's own kernel and
// initramfs itself, on x86-64 through SeaBIOS, on arm64 without any firmware. UEFI would
// bring a boot loader from a disk, which there is none of, and Secure Boot, which would
// check again what the pack's signature covers: kernel and initramfs are verified on this
// computer before every start, the root image in the guest (Verity). A guest that does
// need UEFI, another system's installed disk, would be another product.
//
// # Templates
//
// A machine whose memory is a file (Spec.RAM) can be saved once, while it runs
// ([Process.Save]), and be restored as often as wanted ([Process.Restore]): the
// memory is mapped copy-on-write from the one file, only devices are read, some
// hundred kilobytes. What differs between the machines is plugged afterwards
// ([Process.PlugLayer]). A state is only taken by the machine that it is of:
// [TemplateKey] names it, and the state has it in its first bytes, because QEMU
// itself does not notice everything. The template's memory is opened only for
// reading, so that no guest can change it for others, also not by giving memory
// back. [CanTemplate] says where this does not go.
//
// # Folders
//
// On Linux a running machine can be given a device for folders
// ([Process.PlugFolders]), whose other side is no part of QEMU and reads and
// writes the guest's memory itself. That memory is not a file then but
// [SharedRAM], into which a template's is copied while QEMU starts; a device is
// never plugged into a machine whose memory it would not see. It forbids saving.
//
// # Confinement
//
// QEMU is what stands between a hostile guest and this computer, so it gets as
// little as it can work with: no default devices, no display, no network card
// unless asked for, no configuration of the user's, on Linux a seccomp filter
// that forbids it to start programs. Its monitor is its own standard input and
// output; its other ends are sockets, 0600 in a directory 0700, on which piwork
// listens and QEMU connects: nothing of it can be reached over a network, and
// nothing has to be polled.
//
// What comes out of QEMU (console, ports, QMP, its messages) is treated as what
// a hostile guest may have written: bounded in length everywhere.
//
// # Promises
//
//   - A Process that was started ends: by [Process.Stop], by its own end, or
//     with this program, however that ends (parent-death signal on Linux, job
//     object on Windows, a reaper that waits on a pipe on other systems, and is
//     replaced when it is killed). What is left when all of that was killed at
//     once, the next program ends ([EndLeftover]).
//   - [Process.Stop] asks first (QMP quit) and kills after its deadline; when it
//     returns, the process is gone and its sockets are removed.
//   - A guest cannot fill this computer's disk: its own has a size, logs are
//     bounded, and a machine is stopped while there is still room to work with.
//     What it deletes on its disk, and what it frees of its memory on Linux, is
//     this computer's again.
//   - [Prove] never decides by a constant: how long the first byte of the
//     console may take is a multiple of what emulation takes on this machine at
//     this moment. It leaves nothing behind, whatever happens.
package qemu
