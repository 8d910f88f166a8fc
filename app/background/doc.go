// Package background is the process that has the controller: `piwork serve`. It alone owns
// data, machines and tasks; windows, command lines and programs are clients of its socket,
// and start it when it is not there.
//
//	Open ── answers? ──yes─────────────────────────────► Session
//	           │no
//	           └─ Launch: piwork serve --background ── ready line ──► Session
//
// # Start
//
// [Launch] starts this program in a session of its own, so that no terminal's signal and no
// log-out of a terminal reaches it, and waits for its ready line: a [Ready] as JSON on
// standard output. Of many that start at once the lock of the data directory lets one
// through (package lock); the others wait until that one answers, say its socket in their
// ready line, and end. What it logs goes to vm/controller.log in the data directory, as of one
// that somebody starts in a terminal ([Logger]).
//
// # From another computer
//
// A piwork on another computer is a client, too: over SSH it runs `piwork dial-stdio` for each
// connection, which starts the controller where it is not there and joins its own input and
// output with the socket ([Relay]).
//
// # End
//
// A [Server] that was launched ends by itself when for [IdleEnd] nobody who may asked it
// anything, no stream is open, nothing is at work with folders or the data (package registry:
// a task, an undo, a redo, an apply, an upload, a move), and no update is on its way. It ends at
// once, and its tasks in order, by a signal, by `piwork serve --stop`,
// and when its data was moved to another place; whoever needs it next starts another. From the
// moment at which it decides to end, it answers 503, so that nobody begins what would be
// cancelled.
//
// # Another version, another environment
//
// A client whose program was installed over the one that runs, or is newer, or whose
// environment says other things than that was started with (another runtime pack, the slow
// mode), ends one that was launched, and starts its own. While anything is at work there, and with
// another environment while windows and others use it, the client uses the old one;
// [Session.Outdated] says so. One that somebody started in a terminal is used as it is.
package background
