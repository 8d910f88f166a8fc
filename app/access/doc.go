// Package access says what a program may ask for that comes with a token: another user's, one
// on another computer, or one that its person does not trust with everything.
//
// # Tokens
//
// A token is 256 random bits, shown once. What is kept of it is its SHA-256, its name, what it
// is for and when it ends. Each program gets one of its own, so that one can be revoked
// without the others; a request with a token that was revoked, or whose time is over, ends
// where it stands. That waits neither for data that moves nor for a disk that can be written.
//
// # What a token is for
//
//	read    see all tasks, what they changed and what they made
//	tasks   start tasks, sessions and chores, steer and undo its own
//	tools   run operations on files
//	ai      start tasks that a model works at, which can cost money, but no sessions in them
//	decide  answer questions, accept plans, apply changes, open the network, choose the place
//	manage  all of it, with any folder, and the settings but those that are the person's: by which
//	        something goes elsewhere (a prompt to another's account, by a key), or protects less
//	        (a host or a command that is allowed, or not denied any more, for longer than a task;
//	        an older runtime; less time for undo, or what undo needs deleted)
//
// Without read a client sees its own tasks alone, and without manage it does not know of
// settings, keys and packs, nor of events about them. Which operation takes which scope stands in
// the table of operations (package api); what stands nowhere takes manage.
//
// # What holds for the tasks of a client
//
// Nowhere do they work without being kept apart (vmhost.IsolationNamespace at least), and no
// client steers a task that does: what is not kept apart can ask as the person, by the socket.
// Package tasks requires the first of the place (task.RequireApart), and holds the second against
// the place that the task has when the client reaches it (task.MaySteer). So where tasks may work
// is the person's to choose, too. For a task that it did not start, no client says yes to a weaker
// place, or has what was said in it go to another provider of models.
//
// Of all but those with manage:
//
//   - Folders are those of the token, as a whole and with no more than its mode. They do not
//     overlap, none has a link in its path, and no path below one is followed on this computer,
//     so that no link in a folder leads out of it. A task that has another folder from the
//     person is not continued or started again by the client; no client gives one.
//   - A token of the same name that is made later is another client.
//   - Its tasks are asked about as those of a model, not as the person's own.
//   - An answer of a client, yes or no, holds no longer than its task; with manage a no may.
//   - No cache of a project, which other tasks use, too.
package access
