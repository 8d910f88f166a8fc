// Package projectcache keeps disks between tasks: what programs of a project fetched or
// built (packages, builds, models), so that later tasks of the same project find it.
//
// A project is a name that the person gives, or a set of folders ([Project]). A task stays with
// the set that it began with, whatever folders it has later. What one task puts there, later
// tasks of the same project use, and only these: whatever a task did to its disk, it can harm
// only them. That is said wherever a cache is chosen. Nothing on this computer ever reads the
// file system in it; it is mounted in workrooms alone, and not executed by their root.
//
// # Files
//
// Each cache has a directory, named after its id:
//
//	c-build/base.qcow2     all of it but the last changes; made of the pack's empty disk
//	c-build/layer-7.qcow2  what a task changed, over what is before it
//	c-build/run-8.qcow2    what a task that is at work changes
//	c-build/state.json     {"v":1,"project":{"name":"build"},"layers":["base.qcow2","layer-7.qcow2"],"next":9,…}
//
// A task works on a file of its own over the layers, which are its snapshot: it begins with
// them, and they stay as they are. When the task ended well, its file becomes a layer
// ([Lease.Keep]); otherwise it is removed. state.json says what counts, is replaced as a
// whole, and is written only when all that it names is on the disk. So a kill at any moment
// leaves the cache as it was before the task or as it was after it. What state.json does not
// name is removed by the next task, and when piwork starts ([Caches.Sweep]).
//
// A cache whose files are damaged or gone begins anew, empty, and its task says so. One that cannot
// be read at the moment, or that a later piwork wrote, stays, and its task fails.
//
// Older layers are merged into the base when no task uses the cache ([Caches.Tidy]); the next
// task breaks the merge off. Layers cover what is below them, so a merge that was broken off
// changed nothing, as long as its layer stays: state.json says "merging" meanwhile, and
// [Caches.Back] leaves that layer until it is merged.
//
// # Two tasks at once
//
// The first one that comes is the one whose changes are kept. Others begin with the same
// snapshot, and what they change is removed with them ([Lease.Kept] tells).
//
// # Limits
//
// A disk has a bound (Options.Limit) that the guest keeps. A guest that does not is bounded by the
// size of the disk, and what it wrote is not kept when that takes more than twice the bound. When
// all files together do, Tidy merges the last layer, too: then there is no step back. Until it has,
// nothing more is kept.
package projectcache
