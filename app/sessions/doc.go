// Package sessions keeps programs in the places where tasks work, for as long as the task
// does: a shell that is told commands, or any program, with or without a terminal.
//
// # Parties
//
// A [Set] has all sessions. Each is one program that runs in a [Place] (a task's runtime,
// which the owner of the tasks lends). Clients attach to it ([attach.Conn]): any number
// read, one at a time has the lease to write. Pages in a window, where a WebSocket cannot pass,
// have no connection: each has a name of its own, and asks again and again for output from an
// offset ([Set.ReadSession], [Set.WriteSession]). A shell without a terminal takes commands by
// [Set.RunInSession], which waits for their end and returns what they wrote.
//
// # States
//
//	creating → idle ⇄ running → terminated (with a reason)
//
// A shell is idle while no command runs in it; on a terminal only bash tells. Whatever is no
// shell is running until its end. A session that ended by itself is kept to be read until it
// is closed, or for [Options.Linger]; its place is not, where nothing else runs there
// ([Options.Spare]).
//
// # Promises
//
//   - A client that goes ends nothing. The end of the task ends its sessions.
//   - Commands of one session follow each other in the same shell: directory, variables,
//     functions and background programs stay, but a function named command, which would end
//     what piwork tells the shell.
//   - The end of a command is what the shell says on a descriptor of its own, which commands
//     do not have, with a number that is new for each command. Nothing is read out of output.
//   - Output is kept up to a bound, of one session and of all together. A client that reads
//     so slowly that something was dropped is told how many bytes; the program never waits.
//   - A client that takes over the lease types alone from then on: what the one before wrote,
//     and the program did not take yet, is dropped.
//   - Long outputs of commands become files of the task, 4 GiB of them at most. One that cannot
//     is cut, and its command has a result all the same.
//   - Each command of [Set.RunInSession] is in the audit log before it is done, and how it ended.
//     What is typed in a terminal is not: only that its program ran.
//   - Values of secrets are in the message that starts the program and nowhere else: no file,
//     no argument of a program, no log, no record.
//
// # Locks
//
//	Set.mu       the table of sessions     never held together with a session's
//	session.mu   one session
package sessions
