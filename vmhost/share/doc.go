// Package share decides which folders of the host a guest sees and what it may
// do with them. It is the one core under every front end (vmhost/share/ninep).
//
// # Parties
//
// A [Set] is the virtual root of one guest: its children are the folders that
// the person chose, by names that are unique in the set. A front end serves a
// Set to a guest; the journal (vmhost/share/journal) writes down what the
// guest changes before it is changed.
//
// # Promises
//
//   - Only chosen folders: everything is resolved by handle, one component at
//     a time, and no symbolic link is followed on the host. Links are data,
//     which the guest's own kernel resolves inside the guest.
//   - A read-only folder has no path to any call that changes something.
//   - [CheckFolder] refuses what nobody should hand out as a whole: the home
//     directory itself, a disk, system folders, piwork's own data.
package share
