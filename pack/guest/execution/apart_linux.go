package execution

import (
	"errors"

	"golang.org/x/sys/unix"

	"piwork/pack/guest/landlock"
)

// apartScopes are what Landlock keeps apart of processes (since Linux 6.12).
const apartScopes = unix.LANDLOCK_SCOPE_SIGNAL | unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET

// standApart separates the calling thread from other processes of the same user by Landlock
// (landlock(7)): the thread, the program that it execs and all that they start can neither
// signal nor trace processes outside, nor read their memory, nor connect to their abstract
// sockets. So a command that the AI runs cannot reach the AI program beside it. Landlock
// restricts no files here. It needs no_new_privs.
//
// Landlock leaves three ways to other processes. The system call filter refuses to change
// their resource limits; [ownIPC] hides their shared memory and queues. Their priorities
// and processors can still be changed: those calls take threads and processes alike, so
// the filter could not tell a program's own threads.
//
// Why not a user for each program: every program must be able to change what an earlier
// one made in /folders, /work and /tmp.
func standApart() error {
	version := landlock.Version()
	if version < landlock.Scopes {
		return errors.ErrUnsupported
	}
	rules, err := landlock.New(version, landlock.Rights{Scopes: apartScopes})
	if err != nil {
		return err
	}
	defer rules.Close()
	return rules.Restrict()
}
