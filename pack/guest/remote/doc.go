// Package remote is what runs on another computer, of somebody who has a login there: it
// makes a place for an agent, keeps that while connections come and go, and leaves nothing
// of the place. The agent's program and the pack's stay for the next one.
//
// # Parties
//
//	piwork-guest remote         one request on standard input, over SSH ([Main]): start,
//	                            attach, end, send a pack
//	piwork-guest remote-hold    holds one place, in a session of its own ([Hold])
//	piwork-guest remote-place   becomes the agent in its namespaces ([Place])
//
// The holder carries two streams (vmhost/wire/resume) over whatever attaches to its socket:
// the conversation with the agent and, where there are folders, the messages of the kernel's
// FUSE. The files themselves are on the computer that the task is of.
//
// # What programs see
//
//	/usr /bin /lib… /opt /etc   those of the computer, read-only; no passwords, no keys: where
//	/nix/store /gnu/store       the login is root, only what everybody may read
//	/work                       in the directory of the place
//	/tmp, the home, /dev/shm    in memory
//	/folders, /state            over the connection
//
// For chores and operations the first line is that of the pack's own tree: it is sent once, in
// parts where the connection breaks, compared with what was sent, and unpacked (receivePack), for
// everybody to read who gets there. When something in it was touched since, it is sent again, once
// no place works with it.
// Where the login is root, programs are a user whom that computer has nobody of, with either.
//
// Nothing else of the computer is there: no homes, no /run, no /var, no other processes, and
// unless asked for no network; then that of the computer, all of it. A socket that a service has
// in /usr, /etc or /opt when the place begins is hidden; one that comes later can be reached. It
// takes user namespaces, for every login, and Linux 5.12.
//
// # Files
//
// All are in ~/.cache/piwork: agent/<sha256>, pack/<digest> with sum-<digest> (what the file
// system says of it), use-<digest> (locked by places that use it) and part-<digest> (what came
// so far), and run/<id> for each place, which nobody else may enter. Directories that are
// links, or another's, are refused. Programs of a pack that no place used for two weeks go
// with the next one that comes.
//
// # Life
//
// A place ends when it is asked to, when its agent ends, when it is killed, and when nobody
// was attached for its patience. Everything in it ends with it, and its directory goes; that
// of a holder that was killed goes with the next one that starts.
package remote
