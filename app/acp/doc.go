// Package acp is the door for editors that speak the Agent Client Protocol: they drive an AI
// task of piwork as they drive other agents. It is a client of the controller, as the command
// line is; the protocol is github.com/coder/acp-go-sdk.
//
// # What is given
//
// A session is an AI task. It starts with the first prompt, under the session's id, and each
// later prompt has it go on. What it says, thinks and does is streamed, with the paths of the
// editor where the task has /folders/NAME. Any AI task of piwork that has a folder can be loaded
// as a session. Models are those of piwork. piwork has no modes of sessions, and gives tasks no
// MCP servers of an editor: what an editor says of these is left out.
//
// # What is kept
//
//   - The person chose a folder by opening it in the editor and having piwork work there: the
//     directory of a session becomes the task's folder, reviewed first unless the person chose
//     otherwise for it. piwork refuses a home folder, a disk and system folders, as for
//     everybody. Folders on the command line are a bound: a session has to lie in one of them,
//     and has its mode. Without that bound the editor can name any folder; it is a program of the
//     person that can read them all anyway, and what the AI does there waits for a review.
//   - A task that may write more, reach more or spend more than the command line says, or works in
//     another place, is no session of the door.
//   - Paths are compared and never followed here. What a link in a folder leads to is not the
//     task's, see package share.
//   - Questions of piwork are the person's to answer: in the editor, whose program is trusted
//     to put them to the person (it shows what an agent asks, and no model is between), or in
//     piwork, whoever is first. One that takes a text is for piwork alone.
//   - Changes that wait are applied by a yes of the person to a list of them, and only what is on
//     the list. Otherwise they go on waiting in piwork.
//   - What the door began ends with it. A turn that is cancelled ends what the AI does.
//   - Messages, their number, sessions and texts are bounded, see serve.go and door.go. An
//     editor that reads nothing for stallWithin is gone.
//
// # What is weaker
//
// The id of a task is of the hour in which it starts. A session whose first prompt comes later
// than idFor has a task of another id: this door finds it by the session, another finds it only
// in its list.
//
// A task that was there before, and was not asked to be in the place that the command line says,
// can go on in another one that the settings allow. What the command line requires of a place is
// required for new sessions alone.
package acp
