// Package remote is the runtime that runs a task's programs on another computer, over SSH, on
// folders that are here. For folders that are there it is the way to the piwork there.
//
// # Parties
//
// [New] returns a vmhost/hosted runtime. Its place is on a Linux computer on which the person
// has a login: the agent of the pack is sent there once (~/.cache/piwork/agent/<sha256>), and
// makes the place and holds it (pack/guest/remote). The conversation, and the folders as the
// messages of FUSE, are two streams (vmhost/wire/resume), each on a channel of one connection.
// This package knows nothing of files; its maker serves the folders (Config.ServeFUSE): they,
// their journal and their guards stay here.
//
// # The connection
//
// It is made with golang.org/x/crypto/ssh. What the person's configuration says of a computer
// is asked of their own ssh ("ssh -G"), since no library knows Match and Include as that does:
// name, port, user, keys with certificates, known hosts, ProxyJump. A ProxyCommand is refused. Keys
// are those of the person's agent and unlocked files. The agent is never forwarded, and no
// terminal, port or variable is.
//
// A host key is one of known_hosts, or certified by an authority in it, or the one that a person
// confirmed (Computer.HostKeys). Another one, or one of RevokedHostKeys, stops everything.
//
// # What keeps programs in
//
//	namespaces   user, process, mount, IPC, host name; network: only loopback, unless asked for.
//	             Then it is that computer's, unfiltered: its services and private addresses,
//	             and before Linux 6.12 abstract sockets (unix(7)), too
//	files        programs of that computer, or of the pack that is sent there (Config.Root),
//	             read-only; /work, /tmp and the home are the task's
//	rights       none: no capabilities, no new privileges
//	calls        the filter of pack/guest/execution; no more processes than so many
//
// # Promises
//
//   - A connection that is lost comes again by itself, for Patience; programs go on meanwhile,
//     and nothing that they say is lost. After that both sides give up.
//   - What the other computer says is bounded, in bytes and in time, and never run here.
//   - After Close nothing of the place is left there but the agent and the programs of the
//     pack, which [Computer.Clean] removes. When this program is killed, or the other computer
//     cannot be reached, the place goes after Patience.
//
// # Folders there
//
// A piwork that is installed on the other computer does the whole work on its folders: plan,
// journal, review, undo, audit, rules. This one is its client ([Piwork]), as of the one here;
// the models are `docker -H ssh://` and `docker system dial-stdio`:
//
//	client (HTTP) ─ Piwork.Dial ─ channel of SSH ─► piwork dial-stdio ─ socket ─► controller
//
// It is looked for once (a path that a person gave, PATH, the usual places); paths go there as
// input, never in a command line. Each stream is a channel; a connection that is lost is made again
// for Patience, and a task goes on there meanwhile. What that computer answers is bounded and made
// fit to be shown. Where none is installed, InstallPiwork sends this program (~/.cache/piwork/program);
// Clean ends and removes that one, never its data.
//
// # What it does not promise
//
// Whoever governs the other computer sees and can change what is done there, and sees the
// folders of the task as far as programs may. The disk and the memory there are not bounded.
package remote
