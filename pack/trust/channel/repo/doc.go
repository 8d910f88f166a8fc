// Package repo makes and changes the repositories that package channel reads:
// for publishing releases, for developers, for tests.
//
// # Parties
//
// A [Repo] is a directory that any web server can serve as it is (all of it but
// "staged"). Changes are staged first: metadata of root, targets and channels
// that more than one person may have to sign. [Repo.Publish] adds the signatures
// it has keys for; when every threshold is met it makes snapshot and timestamp
// and puts all in place, else it keeps what is signed so far and says what is
// missing ([PendingError]). So keys never have to meet on one machine.
//
// # Invariants
//
//   - Given the same keys, times and files, the same bytes come out.
//   - A published file is never changed, but for timestamp.json, which is
//     replaced atomically after everything that it leads to is on the disk. A
//     kill at any point leaves readers the old state or the new one (after new
//     keys of timestamp: until it is published again, an error), and the same
//     call ends what was begun.
//   - Nothing is published that a client of this version would refuse for its
//     form, its signatures or its versions. Publishing does not ask a client;
//     [Repo.Check] does.
//   - Private keys are only ever used through [signature.Signer]; none is stored.
package repo
