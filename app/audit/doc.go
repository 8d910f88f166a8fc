// Package audit is the log of what was executed, and where: one record before
// each execution and one after it, in a file that only grows.
//
// # The chain
//
// The log is a file of lines, each a JSON object (Record). The member "prev" of
// a line is the SHA-256, in hex, of the bytes of the line before it without its
// line feed; of the first line it is the SHA-256 of [Genesis]. The last member
// of a line, "sum", is the SHA-256 of the line's bytes before `,"sum"`, so that
// damage to the last line shows too. Beside the log stands its head: number and
// hash of the last line, so that lines missing from the end show.
//
// [Verify] follows the chain and names the first line where it does not hold.
// The chain shows damage and careless editing. It is no proof against somebody
// who may write the user's files and computes it anew.
//
// # Promises
//
//   - A record is on the disk when Append returns nil; what cannot be recorded
//     must not be executed.
//   - A line that a crash cut off is not a record: the next Open takes it away
//     and says so in a record of its own.
//   - No secret is written: of environments the names of the variables only, of
//     standard input nothing.
package audit
