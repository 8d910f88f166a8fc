// Package audit is the log of what was executed, where, for whom, and what left this computer:
// one record before each execution and one after it, each decision, and the bytes that went
// to each host, in a file that only grows until its oldest records expire.
//
// # The chain
//
// The log is a file of lines, each a JSON object (Record). The member "prev" of
// a line is the SHA-256, in hex, of the bytes of the line before it without its
// line feed; of the first line it is the SHA-256 of [Genesis]. The last member
// of a line, "sum", is the SHA-256 of the line's bytes before `,"sum"`, so that
// damage to the last line shows too.
//
// Beside the log stands its head: number and hash of the last line, number of the first line
// and its "prev", signed with a key of this computer (Ed25519). Lines missing from the end,
// a head of another log and a chain computed anew show by it. The head is written after its
// line: one line, which a crash may have left, can stand behind it when the program starts. While
// it runs it knows the end itself.
//
// [Verify] follows the chain and names the first record where it does not hold. What was wrong
// when the program started is written down as a record (EventBroken), so that it goes on to
// show; records behind a break are shown all the same. Somebody who reads the user's key can
// sign a forgery; who keeps an old log with its head can put both back before the program starts,
// and who removes the whole directory has the log begin anew: copies elsewhere ([Log.Export]) are
// proof against that. A line that stood behind the head when the program started is named by a record.
//
// # What is in a record
//
// Names and contents of the person's files, arguments of commands and addresses of pages are
// not in it: in their place stand digests, HMAC-SHA-256 under a secret of this computer, cut to
// 128 bits. Who knows a path can find its records ([Filter]); who has only the log cannot guess
// it. The names are in the record of the task. In plain words are kinds of actions, names of
// operations, programs of the system, variables, hosts, and what a question or a rule was about,
// of an address its host. A record has at most 64 KiB.
//
//	{"v":2,"n":7,"time":"…","prev":"…","event":"begin","exec":"0193…/1","task":"0193…",
//	 "client":"ci@9f2c01aa","action":"exec","program":"grep","args":"5c0f…","runtime":"vm",
//	 "isolation":"hardware","folders":[{"path":"90ab…","mode":"ro"}],"sum":"…"}
//
// Records of version 1, of earlier programs, had paths and arguments; they stay until they
// expire.
//
// # How long
//
// Records are kept for as long as the person chose, and 64 MiB of them at most; the oldest go
// first. The signed head says with which record the log begins. Before anything goes the chain
// is followed: of a log that does not hold nothing goes for its age, which may be forged.
//
// # Promises
//
//   - A record is on the disk when Append returns nil; what cannot be recorded
//     must not be executed.
//   - A line that a crash cut off is not a record: the next Open takes it away
//     and says so in a record of its own.
//   - A kill at any moment leaves a log that holds.
//   - Bytes to a host are recorded when the place of a task closes: a kill before loses them.
//   - No secret is written: of environments the names of the variables only, of
//     standard input nothing.
package audit
