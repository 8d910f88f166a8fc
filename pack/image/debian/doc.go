// Package debian gets Debian packages in exactly the versions that a lock file
// names.
//
// # Parties
//
//   - A mirror of the Debian archive: whichever the machine's own apt is
//     configured with ([FindMirrors]), reached by the machine's own apt with its
//     proxies and credentials, but with a configuration, a state and an empty
//     list of installed packages of our own ([Apt]).
//   - An archive of snapshots ([Snapshots]), if the environment names one: it has
//     what left the mirror.
//   - A [Lock] is a list of packages with version, path in the archive, size and
//     SHA-256. It names no mirror, so that it means the same everywhere.
//   - A [Store] is a directory of package files by SHA-256.
//   - [WriteRepository] makes a small archive of stored packages, from which
//     mmdebstrap installs without a network.
//
// # Promises
//
//   - What is resolved comes from indexes signed by the Debian archive's keys;
//     what is fetched later is held to the lock's SHA-256 alone.
//   - A version that has left the mirror is a [GoneError], and
//     [Store.FetchSnapshot] may still get it. It never becomes another version.
//   - Nothing of the machine is changed: neither its package lists nor its
//     caches, and no hook of its configuration is run.
package debian
