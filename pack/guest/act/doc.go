// Package act does one action of a task inside, as a program of the task: it may what
// every other program of the task may, the share writes down what it changes, and its
// connections meet the same network. A browser may less: where the kernel has Landlock, it
// has no folder, and what is written of a page this process writes. One process does one action (cmd/piwork-operate with
// the argument act) and says what came of it (vmhost/wire: ActOrder, ActNews).
//
// # Files
//
// A path is opened by handles below one of the order's roots (os.Root): a link that leads out
// is refused, also one that is exchanged meanwhile. Only files and directories are opened;
// a pipe or a device holds nobody up. A file is replaced by a whole new one, and never
// through a link. Its digest is compared when the new content is complete, right before it
// takes the place of the old one: between the two a program of the task can still write,
// and that is lost. Whoever acts through piwork acts one after the other (app/actions).
//
// A watch hears the kernel of the place, so it sees what is changed there, and not what is
// changed on the computer that the folders are of.
package act
