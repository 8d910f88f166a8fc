// Package telemetry counts what piwork does, and traces it for those who ask for that.
//
//	rooms ── counts, times ──► instruments ──► GET /metrics (always)
//	      └─ spans ─► queue ─┐      └────────► once a minute ┐
//	                         └──► OTLP over HTTP ◄───────────┘ to [Settings.Endpoint], "" is nowhere
//
// # What is said
//
// Names of operations, kinds, places, outcomes, providers and their public models; how long
// things took and how often they happened; random ids of tasks and requests. Never a name, a
// path, a title, an argument, an address or a content: nothing that a person, a program or a
// machine wrote reaches an attribute. Values come from closed sets ([word], the tables of
// package pack/tools and app/gateway/provider); what is in none is "other". A number that a
// machine said is believed up to what this side measured.
//
// # Spans
//
//	command                     of the command line, which tells the controller when it is over
//	└ startTask                 a request, named as in the table of operations
//	  └ task                    from its request to its end
//	    ├ share                 its folders and its journal are opened
//	    ├ queue                 it waited for room
//	    ├ start                 of its machine: cold, from a template, or one that waited
//	    ├ execute, image.info   a program, or an operation by its name
//	    ├ chat                  a question to a model
//	    └ callServer            a tool of an MCP server, with the wait for the person's answer
//
// Calls that `piwork mcp` and `piwork acp` serve have no span of their own: the requests that they
// make are of the command's.
//
// A client's traceparent (W3C) is the parent of its requests, once it was let in. The machine
// gets none: it has no network to export by, and what it would say could not be trusted. How
// long it says that it worked is an attribute of this side's span.
//
// # Promises
//
//   - Without an endpoint nothing connects, and a span costs one look at a pointer. An
//     environment variable alone starts nothing. OTEL_EXPORTER_OTLP_HEADERS, which may have a
//     secret, is sent only where OTEL_EXPORTER_OTLP_ENDPOINT is the address that the person chose.
//   - Nobody waits for an endpoint: spans queue up to [maxQueue] and are lost beyond that, one
//     export takes [exportWithin] at most, of an answer [maxAnswer] bytes are read, and
//     [Telemetry.Close] takes [closeWithin]. A log line says when exporting begins to fail,
//     and when it works again.
//   - A nil *Telemetry does nothing.
//
// # Libraries
//
// The SDK of OpenTelemetry, and its messages without gRPC (proto/slim). Its exporters bring
// gRPC and its gateway, which add 7 MB to a program for a POST of one message; Prometheus'
// client adds 4 MB and counts a second time what the SDK counts. Both forms are written
// here instead, of one reading of the instruments.
package telemetry
