// Package cli is the command line: thin commands over [client.Client].
//
// # Where the controller is
//
// A command is a client of the controller in the background, which it starts where there
// is none (piwork/app/background). A task that it waits for ends with it; one that was
// detached does not.
//
// # What a command promises
//
//   - Its exit code is one of [ExitDone] to [ExitCancelled]; commands that run or follow a
//     program end with that of the program.
//   - Its answer is on stdout, for people or (--json) for programs: one document,
//     or one event a line followed by the record. A failure is then a line of JSON
//     on stderr, in the form of RFC 9457 with the exit code.
//   - What is for the eye only (progress, questions) is on stderr, and progress
//     only on a terminal.
//   - A chore changes nothing in a folder before its plan was shown and accepted on a
//     terminal or by --yes.
//   - Names and words that came from files or from the workroom are printed so
//     that they cannot steer the terminal (terminal.PrintableText).
package cli
