// Package mcp is the door for programs that speak the Model Context Protocol: assistants and
// editors whose model is to work with files without being let loose on the computer. It is a
// client of the controller, as the command line is; the protocol is
// github.com/modelcontextprotocol/go-sdk.
//
// # What is given
//
// Tools: one for each operation of the catalogue (image_convert …), a shell in a workroom
// (run_command), its files (read_file, write_file, list_files), ready-made chores, AI tasks,
// and what tasks changed, with undo and redo. Files that are kept with a task are resources:
// piwork://tasks/ID/results/N.
//
// All paths are those of the workroom: /folders/NAME/… Where a folder is on this computer,
// the model need not know.
//
// # What is kept
//
//   - A model reaches the folders that the person named when the door was opened, as far as
//     their mode lets it, and nothing else of this computer, unless the person chose a place
//     that keeps nothing apart. Folders are shared as a whole: no path below one is followed
//     on the host, so that no link in a folder leads out of it.
//   - It sees the tasks that came through this door, and no others.
//   - Questions of piwork are the person's to answer: in the window, at the command line, or
//     in the assistant, where that can ask ("elicitation"): its program, which the person
//     runs, is trusted to put them to the person and not to its model. No tool answers one,
//     and none applies changes that wait to be looked at.
//   - What the model does to files is asked about as with piwork's own AI.
//   - AI tasks, which can cost money, only where the person lets it start them, each within the
//     person's limit. A chore with a part for an AI is one.
//   - Over HTTP, a program that comes with a token of its own (package access) has a door of its
//     own, with the folders and the scopes of that one, and ends with it. On a network, which is
//     with TLS, nobody else comes in.
//   - What the door began ends with it. A call that is cancelled ends its task, or the
//     command with its shell.
//   - Texts for a model are bounded: see maxText.
package mcp
