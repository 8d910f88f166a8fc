// Package workshop builds programs from source, in a room that is the same on
// every machine.
//
// # Parties
//
//   - A [Job] says which packages the room has (a lock), what lies in it, and
//     which script makes the result.
//   - mmdebstrap makes the room: a chroot with exactly the packages of the lock,
//     from an archive of our own without a network, as root or in a user
//     namespace. The script runs in it as one of mmdebstrap's hooks, and the room
//     is removed afterwards.
//
// # What a script finds
//
//	/in      what the job brought, readable
//	/build   empty, for everything in between
//	/out     empty, for the result
//
// It runs with sh as the room's root, without a network where the system can
// take it away, with an environment that has PATH, HOME, LC_ALL, TZ,
// SOURCE_DATE_EPOCH and what the job adds. Its paths are the same everywhere, so
// that they may show in what it makes.
//
// # Promises
//
//   - The result has regular files and directories only, below the directory that
//     was asked for, with modes 0644 and 0755, whatever the script left in /out.
//   - Nothing runs on after [Job.Run] returned. Left are the log, and in Job.Scratch
//     the archives of what went in and came out.
package workshop
