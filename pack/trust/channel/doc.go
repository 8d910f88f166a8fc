// Package channel asks an update channel which release of the runtime is
// current, and believes only what is signed.
//
// A channel is a repository of The Update Framework (TUF, specification 1.0):
// plain files on any web server, mirror or disk. Nothing that serves them is
// trusted; what they say is verified from a root that is compiled into the
// program. go-tuf does the cryptography and the rules of the specification, this
// package drives it, and refuses more than it does.
//
// # Parties
//
//	root       says which keys and thresholds the other roles have, and the next root
//	timestamp  signs every few days what the newest snapshot is; its expiry bounds a freeze
//	snapshot   signs which version of every file of metadata belongs together
//	targets    holds keys.json (which keys may sign packs, which versions are
//	           withdrawn) and delegates the channels
//	<channel>  holds one small file per platform, the [Release]
//
// The keys of a channel can name another release, but cannot make a pack
// trusted: packs carry signatures of their own, by keys that only the keys of
// targets can add or revoke (keys.json, [KeyList]).
//
// # The repository
//
//	metadata/timestamp.json
//	metadata/<version>.{root,snapshot,targets,<channel>}.json
//	targets/<sha256>.keys.json
//	targets/<channel>/<sha256>.<os>-<arch>.json
//	targets/packs/<sha256>.<archive>      fetched by others, by [Target]
//
// # What is refused, and how it is named
//
//	rollback       older than what was seen before                  [KindRollback]
//	freeze         the clock, or the newest clock seen, says old    [KindExpired]
//	mix-and-match  a file that the snapshot does not name by hash   [KindWrongContent]
//	forgery        fewer signatures than the threshold              [KindBadSignature]
//	odd forms      what the maker of a repository never writes      [KindMalformed]
//	endless data   more than the bound of a file                    [KindTooLarge]
//	slow delivery  more than [Options].Timeout in all               [KindUnreachable]
//
// Every file is bounded and walked before go-tuf parses it (parse, walk). Of all files only root
// and timestamp are parsed before something signed vouches for their bytes.
//
// # Invariants
//
//   - What was learnt is one file (trusted.json), replaced atomically and synced.
//     A kill at any point leaves the state before or after a verified step.
//   - That file is verified again, from the root, every time it is read: a release
//     by way of all roles, the key list by way of targets alone ([Keys]). Three
//     things in it are taken as they are, and can only reduce trust: the revoked
//     key ids, the withdrawn versions, and the newest clock seen.
//   - The newest clock never lies beyond the expiry of a timestamp that was
//     accepted, so a clock that was wrong once strands nobody.
//   - A refusal changes nothing but what was verified before it.
package channel
