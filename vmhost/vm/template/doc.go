// Package template keeps saved machines: the memory, the devices and the disk
// of a virtual machine at one moment, from which others begin. It knows files
// and nothing of machines.
//
// # On disk
//
//	<dir>/lock                  held while a template is made
//	<dir>/<key>/                a template: RAM, State, Disk and template.json
//	<dir>/<key>.failed          why the last attempts to make it failed
//	<dir>/.staging-<random>/    one that is being made, of a process that holds lock
//	<dir>/.gone-<random>/       one that is being removed
//
// A key is a hash of everything that a template depends on, so that a template
// is never changed: another pack, program or processor means another key.
//
// # Promises
//
//   - A template is there whole or not at all: it is staged, its files are
//     synced, then it is renamed into its place. A kill or a power cut at any
//     step leaves a whole template or none, and what [Store.Sweep] removes.
//   - What is there was checked for its sizes by [Store.Lookup]; [Template.Verify]
//     reads every byte of it.
//   - A template can be removed while machines run from it (its files stay theirs
//     until they end, as POSIX has it).
//   - Attempts that fail are remembered and become rarer ([Store.MayTry]).
//
// Templates are a cache: losing one costs one slow start.
package template
