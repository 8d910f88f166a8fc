// Package api puts [Service] on HTTP: one handler for every way in.
//
// # Parties
//
//	window        ── Wails' asset server, which passes it on ──┐
//	command line  ── the controller's socket ──────────────────┼─ Handler ─ Service
//	browser, test ── loopback HTTP with a token (Guard) ───────┘
//
// The handler itself trusts its caller, because the first two ways are open to the
// user alone: a socket of mode 0600 that lets only processes of the same user in, on Windows
// a named pipe with the same rights. HTTP on loopback is open to every program and web page
// of this computer, so it is served through [Guard] only.
//
// # Shape
//
// The document at /openapi.yaml (OpenAPI 3.1) is generated from the Go types
// and kept in openapi.yaml beside this file; a test fails when it is stale
// (go generate ./app/api). Every answer carries x-request-id. Every error is
// an answer.Error: problem+json (RFC 9457) with the members of problem.Problem.
//
// # Operations
//
// An operation is an entry of the table of its subject (tasks.go, models.go, …): its name,
// method and path, what it is for, and its handler, most often a method of [Service], with the
// problems of its own (problems.go). A problem that is not named is answered all the same, and
// logged; tests that ask at random find it.
// Routes, the document, the Go client, the fake for tests and the list in OPERATIONS.md are
// made from it (go generate ./app/api); the SDKs and the window's client by scripts/lib/sdk.
//
// Every operation of pack/tools is a route, POST /v1/tools/{name} (package toolroute).
//
// # Events
//
// GET /v1/events is a stream of server-sent events
// (https://html.spec.whatwg.org/multipage/server-sent-events.html): id is the
// event's seq, data the event. A client that comes back with Last-Event-ID
// misses nothing that the controller still remembers. Events with seq 0 are
// volatile (progress, output, pack) and have no id. Where streamed bodies do
// not work, [API.Events] gives the same events to another carrier.
//
// A stream is filtered where it begins: ?task=ID and ?kind=A,B leave nothing else to be
// sent. A reader that stops costs itself only: its stream ends, and only a task of which it
// asked for all output (?wait=true) waits for it, until then. Output is kept nowhere: a reader
// that lost a piece knows by the numbers of those that came (part). Whoever must miss nothing,
// however slowly it reads, starts its program with attached, and attaches to it.
//
// # Pages
//
// A list that can grow without end (pages, list) comes in pages (package paging), and the Go
// client gives it as a whole or entry by entry (All…). Lists of what the program itself has,
// such as chores, packs and presets, are whole.
//
// # Conditions
//
// What GET answers as JSON has a strong ETag, and changes take If-Match (package condition). The
// window never gets a 304.
//
// # Limits
//
// Each listener has [ListenerLimits], which are in /_manifest. Too many requests of one program
// (tokens in a bucket for each process; on loopback, where nobody says which it is, one for
// all), connections, or streams and attached programs are answered by 429 with Retry-After,
// which package client waits for when it is short. Where the process is known it has a share
// of them ([ListenerLimits]), so that a window gets in whatever a few programs do. A
// connection counts until it is closed, also as a WebSocket. A body that is too large
// is answered by 413 with the limit. A head has to come within 10 s and be at most 64 KiB, a
// body within [Options].BodyWithin, files of a form may take their time but not stop. A
// stranger on loopback keeps no connection.
//
// # Life of a task
//
// A task that is not detached lives as long as someone holds it: a stream with
// ?task=ID&hold=true. Nobody came within [HoldGrace], or the last holder left
// and did not come back within [HoldGrace], or within about a second of the end of
// its process: the task is cancelled. Time that a holder was told to wait (429) does not count.
// A detach ends all that, also one that comes before whoever started the task is answered.
package api

//go:generate go run -C ../.. ./scripts/lib/operations
//go:generate go test -run TestOpenAPIDocument|TestToolCatalogueFile -update .
