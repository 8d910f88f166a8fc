// Package share gives a guest the folders that a person chose, and nothing
// else of this computer.
//
// # Parties
//
// A [Set] is the virtual root that a guest mounts: its children are the shared
// folders, each a [Tree]. Front ends translate a protocol into calls of Tree and
// [File]: vmhost/share/ninep on every system, over a device of a QEMU of our own,
// vmhost/share/virtiofs on Linux (package vmhost/vm says which is chosen when). These
// decide nothing, and vmhost/share/conformance holds both to the same answers.
// vmhost/share/copied is for places that can mount nothing. What a Tree changes goes
// through its [Store]: that of vmhost/share/journal writes down what was there before,
// that of vmhost/share/review keeps the changes beside the folder until a person applies
// them.
//
// # Promises
//
//   - A guest reaches no file outside of the folders: every path is resolved by
//     handle below the folder's root, names are single components, and no
//     symbolic link is followed on the host. Links are data for the guest, whose
//     own kernel resolves them.
//   - A read-only folder cannot be changed in any way ([ErrReadOnly]).
//   - Nothing crosses from one folder to another, not even a hard link.
//   - What the journal could not keep is not changed: the guest gets the error.
//   - What a folder's guard wants a person to be asked about is not changed before
//     they said so (vmhost/share/guard). Whoever waits for that holds nothing that
//     other calls need ([Waiter]); what is there when the answer comes is what is
//     looked at again.
//   - A file that is only with a cloud service is downloaded by nothing but reading it, deleting
//     it or changing its content, as far as the guard of bytes allows; one that cannot be
//     downloaded is not changed ([ErrFetch]).
//   - Devices, FIFOs and sockets are shown and never opened, made or removed.
//     No setuid or setgid bit is ever set.
//   - A guest cannot make the host hold more than the limits of [Options].
//   - What belongs to the task and not to a person ([Set.AddState]) is confined in
//     the same way, and bounded; nothing of it is journalled.
//   - The person may edit, rename or delete anything meanwhile. The guest sees
//     it at once, or what became of a directory itself some 20 ms later
//     (vmhost/share/virtiofs); at worst one of its calls fails.
//
// Names are bytes, kept as they are. Everything is reported as owned by the
// guest's user; on the host, the permissions of the person's own account hold.
package share
