// Package diagnostics puts together what helps somebody else to find a fault on
// this computer, and nothing that is none of their business.
//
// # Parties
//
//   - app gathers named parts: texts, and values that become JSON ([Collector]).
//   - [Redactor] takes out what must not leave the computer.
//   - [Bundle] is the result: files as they were shown, byte for byte as they are
//     written ([Bundle.Write]).
//
// # Promises
//
//   - No secret: keys, tokens, passwords, all of a URL but its scheme, and values of
//     the environment are taken out by their form, wherever they stand. The same host
//     gets the same placeholder.
//   - No names of the person's files: every path outside of the system's own
//     directories becomes a placeholder, the same one for the same path in a bundle.
//     Where a path stands in free text without quotes, nobody can say where it ends:
//     it is taken to the end of the line, and only an ending that is one of the
//     system's own error messages is kept. A line with the name of a document is
//     taken out as a whole.
//   - Nobody's name: home directory, account and name of the computer are
//     placeholders, and so are names that the caller knows ([Known]).
//   - Everything is bounded: each file by [MaxFile], all of them by [MaxBundle].
//
// The rules take too much rather than too little. What is known to be about a
// person's files is not passed here to begin with: of a task's record app gives
// numbers, codes and times.
//
// The package knows no room of piwork and touches the disk only in Write.
package diagnostics
