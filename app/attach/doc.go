// Package attach joins people and programs to a program that a task runs: they get what it
// writes, and type into it.
//
// # Parties
//
// A [Program] has the standard streams of one program, for the machine's side
// ([Program.Output], [Program.Input], [Program.Sizes]). Any number of clients are attached
// to it, each with a [Conn]; over HTTP each message of a [Conn] is one of a WebSocket
// ([Serve], [Dial]).
//
// # Promises
//
//   - Output waits for a client that asks for that (wait), however slow it is, and is never
//     cut for it. Another client that lags by more than [Backlog] is disconnected with
//     [ErrBehind]; the program and other clients do not wait for it.
//   - The program's first output waits for whoever started it, when it was started to be
//     attached to.
//   - Whoever attaches later gets what the program wrote last, up to [Backlog].
//   - Input waits for the program: clients can write [Room] ahead of it, and over HTTP 16 messages
//     more, which the size of a terminal does not wait for. What several clients write at once is
//     mixed.
//   - What a program writes is passed on as it is. Who shows it on a terminal lets the
//     program do what it likes there, as with ssh.
//
// # Messages
//
// A binary message is a byte that names the stream and then data: 0 the program's standard
// input, 1 its output, 2 its errors. A text message is a JSON object, a [Control]:
//
//	{"info":{"terminal":true,"input":true}}     first, to the client
//	{"size":{"columns":120,"rows":40}}          of the client's terminal
//	{"closeInput":true}                         the end of the program's input
//	{}                                          to the client, now and then: nothing happens
//	{"skipped":1024}                            to the client: so many bytes are missing here
//	{"taken":true}                              to the client: what it writes is dropped, another one types
//	{"end":"over"}                              last, to the client; or "behind"
//
// A connection that ends without an "end" was lost.
package attach
