// Package app is the controller: one per data directory, held by a lock. It
// owns the pack, the machine and the tasks, and assembles the rooms below.
// Who looks at it (a window, a command line, a script) it does not know.
package app
