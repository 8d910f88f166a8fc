// Package gateway carries requests of AI tasks to providers of models, and puts
// the keys in on the way, so that no key is ever inside a machine.
//
// Parties: in the guest the AI program talks HTTP/1.1 to 127.0.0.1:8377/<provider>/…
// with a key that is worth nothing. A bridge brings each connection as a stream of one
// port of the machine to [Session.Serve] on the host. A [Gateway] is there once,
// and knows providers, keys and the way to the network; a [Session] is one task's
// part of it, with what the task may use, its budget and its sums.
//
// What the guest can choose: an operation of a provider's list
// ([provider.Decide]), a model, a body. It cannot choose an address, a host, a
// header that signs in or picks an account, nor see one that comes back. What it
// sends is hostile: sizes, counts and times are bounded; what is refused is never
// repaired. A body goes on as it came, but for the wish to be told what was used.
//
// A page of the web that a browser in the guest shows asks for nothing here: what has the
// headers of a browser is refused.
//
// Nor can it have the provider act in its place: open an address, search, call
// other servers. That would be a way out of a task without a network, so that a question
// of one has the fields of a list and no others (fields.go).
//
// Promises:
//   - A key goes to its provider's own address only, in the header. A redirect is
//     never followed.
//   - A key never comes back: in headers and bodies of answers its letters are
//     replaced by asterisks, wherever they are cut.
//   - No body, key, header or query is logged, nor part of an error. Only the name of
//     the field for which a question is refused is in its error.
//   - Otherwise no byte of an answer is changed, and none waits: each is passed on
//     as it comes, no faster than the guest takes it.
//   - Counting is a bystander ([meter.Reader]), and leaving early is no cheaper.
//
// Who tries again: pi does, up to three times, by the text of the error, but it
// does not look at the time a provider names in Retry-After. So the gateway sends
// no request twice: it holds an answer that names a time back for that long, and pi's
// own attempt then is in time. One that names more than a minute goes on at once. Tries
// are not multiplied.
// The one exception is a login whose access token was refused: it is renewed once
// and the request is sent again, since the provider did nothing the first time.
//
// Budget: before a question is asked, what it may cost is taken off the budget; when
// its answer has ended, what it did cost is. Where that does not fit beside the
// questions under way, it waits for them. A question that does not limit its answer in the
// words of its operation may cost what fills the context of its model (of an unknown one, a
// million tokens). Its input may cost what one token a byte does, each written to a cache (for
// an hour, where it asks for that), but a picture in it no more than the dearest. So questions
// that are long for what is left of the budget run one at a time, with a small budget from the
// start. One that may have more input than is in it (a conversation, a file or a page that the
// provider fetches) always runs beside no other. A running answer is never cut off: it is paid
// for, and would be lost. So the sum can pass the budget by one answer. A question that nobody waited for is counted, too. With a budget, a
// model, an order of service or a tool of the provider without a known price is refused
// (fees.go); a model on this computer costs nothing. A question that is worked on after its
// answer (background) is refused always: nobody would count it.
//
// Why not httputil.ReverseProxy: it follows the client's wishes in what is refused
// here (upgrades, hops, 1xx, trailers, paths), and what is needed between the two
// ends (holding back, a deadline between bytes, replacing keys) would be hooks
// around its copying. The copying itself is a short loop.
package gateway
