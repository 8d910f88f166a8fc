// Package update fetches runtime packs and what belongs to them, over networks
// as they are.
//
// # Parties
//
//   - [Client] speaks HTTP with the mirrors of a channel, through the proxy of
//     this computer ([piwork/pack/update/proxy]). A mirror can be a directory, too.
//   - [Client.Fetch] gets a small file into memory: it is the fetcher of
//     [piwork/pack/trust/channel].
//   - [Client.Head] gets and verifies the head of an archive; [NewPlan] then says
//     what an update costs, before anything starts.
//   - [Client.Get] gets what is missing of an archive into a [pack.Assembly].
//   - [Client.Save] gets a whole archive into a file.
//   - [File] says what a file is that a person already has; [Beside] finds one
//     beside the program.
//
// # Promises
//
//   - Nothing that arrives is believed: lengths, ranges, types and encodings are
//     checked against what is known, and every chunk is verified as it arrives,
//     before it is kept. What is kept is not read again.
//   - A chunk that was kept is never fetched again, whatever happens: a pause, a
//     lost connection, another mirror, a kill of the program. A chunk that was on
//     its way is begun again after a kill or at another mirror; [Client.Save] fetches
//     up to 4 MiB again after a kill. A server without ranges sends all again.
//   - Nothing is cut off because it is slow. A transfer ends when nothing comes
//     any more (a stall), or so little that it amounts to nothing (a trickle).
//   - A failure is tried again after a pause that grows and is never the same
//     (back-off with jitter); a Retry-After of up to five minutes is kept to. A mirror
//     that fails, or asks for more, is left for another, and remembered. What will fail
//     again is not tried again.
//   - Memory is bounded: a packed chunk and a buffer for each connection.
//   - An error says what was seen, on which server, through which proxy: [Error].
//   - A request carries `User-Agent: piwork/<version>` and what HTTP needs (range,
//     validator, encoding, no-cache). Nothing that piwork makes tells one person from
//     another. No password reaches a log or an error.
//   - Never from https to http, whoever asks.
package update
