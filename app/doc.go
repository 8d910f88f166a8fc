// Package app assembles the rooms of the controller: one per data directory, held by a
// lock. It does not know its callers: a window, a command line, a script.
//
// # Rooms
//
// Each room is a package that owns its state and its lock, is given what it needs, and
// knows no controller. [Open] makes them in an order in which each finds what it needs;
// [Controller] embeds them, so that it answers all that piwork/app/api asks (api.Service):
//
//   - settings, saved: what a person chose, chores to do again
//   - registry, tasks, history, consent: who works with which task, the life of a task,
//     what it did to folders, what a person allows
//   - health, machines, runtimepack: whether tasks can run, machines that wait for them,
//     the packs that they run on
//   - runtimes, remotes, sessions, actions: where a task works, other computers, what
//     stays in its place, and what others do in it
//   - services, mcpservers, access: services with a secret, MCP servers, tokens of other programs
//   - models, agent/program: what does AI tasks
//   - upkeep, samples, setup/wizard: this computer's side, and the way to the first chore
//   - telemetry: what is counted, and sent where a person chose that
//
// What stands below them (seams.go) has one adapter to the real thing, and a fake in the
// tests. A second program on the same data directory gets a [lock.HeldError]:
// piwork/app/background has the one process that opens it, and clients for all others.
//
// # Promises
//
//   - Nothing is executed that the audit log could not record before.
//   - A task never runs in a weaker place than was asked for: what a runtime
//     cannot enforce it refuses, and the slow mode is chosen by a person.
//   - A task that was not finished when the program ended is failed
//     ("interrupted") at the next start; its changes can still be undone.
//   - Right before a machine starts, what of the pack will be run is checked, unless it
//     was in the last seconds: all of it before a boot, QEMU before a restore, whose
//     kernel and first programs are in memory that the program saved itself. A restore
//     that becomes a boot checks the rest first.
//   - An idle program has one machine at most, which waits for the next task: 5 minutes
//     on computers that can restore, 15 on others.
//   - Errors are problems (app/problem) wherever a person could do
//     something about them.
package app
