// Package api puts [Service] on HTTP: one handler for every way in.
//
// # Parties
//
//	window        ── Wails' asset server, which passes it on ────┐
//	command line  ── the controller's socket ────────────────────┼─ Handler ─ Service
//	browser, test ── loopback HTTP, TLS elsewhere, with a token ─┘
//
// The handler itself trusts its caller, because the first two ways are open to the user alone: a
// socket of mode 0600 that lets only processes of the same user in, on Windows a named pipe with
// the same rights. Who passes on what a program asks can send its token along. HTTP over TCP is
// open to every program and web page of this computer, or to a network, so it is served through
// [Guard] only.
//
// # Shape
//
// The document at /openapi.yaml (OpenAPI 3.1) is generated from the Go types and kept in
// openapi.yaml beside this file; a test fails when it is stale (go generate ./app/api). Every
// answer carries x-request-id. Every error is an answer.Error: problem+json (RFC 9457) with the
// members of problem.Problem.
//
// An operation is an entry of the table of its subject (tasks.go, models.go, …): its name,
// method and path, what it is for, and its handler, most often a method of [Service], with the
// problems of its own (problems.go). Routes, the document, the Go client, the fake for tests and
// the list in OPERATIONS.md are made from it (go generate ./app/api); the SDKs and the window's
// client by scripts/lib/sdk. Every operation of pack/tools is a route, POST /v1/tools/{name}
// (package toolroute).
//
// A list that can grow without end comes in pages (package paging); lists of what the program
// itself has, such as chores, packs and presets, are whole. What GET answers as JSON has a strong
// ETag, and changes take If-Match (package condition). The window never gets a 304. What a request
// has that its operation does not know is refused.
//
// # Events
//
// GET /v1/events is a stream of server-sent events
// (https://html.spec.whatwg.org/multipage/server-sent-events.html): id is the
// event's seq, data the event. A client that comes back with Last-Event-ID
// misses nothing that the controller still remembers. Events with seq 0 are
// volatile (progress, output, pack) and have no id. Where streamed bodies do
// not work, [API.Events] gives the same events to another carrier. What an agent says has the line
// of its record as id, and goes on behind it; a watch of files says that it missed what changed.
//
// # Promises
//
//   - Each listener has [ListenerLimits], which are in /_manifest. What is over one is answered by
//     429 with Retry-After, which package client waits for when it is short, or by 413. So is a
//     body above 1 MiB for which there is no room among those in memory ([door.MaxBodies]);
//     those of operations that wait for a person have their own ([door.MaxWaitingBodies]).
//   - A head has to come within 10 s and be at most 64 KiB, a body within [Options].BodyWithin;
//     files of a form may take their time but not stop, nor may who reads an answer. What the
//     files have together is bounded (package uploads). The connection of a stranger on loopback
//     keeps its place only while nobody else needs it (package door).
//   - A task that is not detached lives as long as someone holds it, by a stream with
//     ?task=ID&hold=true, and for [HoldGrace] without. Then it is cancelled.
package api

//go:generate go run -C ../.. ./scripts/lib/operations
//go:generate go test -run TestOpenAPIDocument|TestToolCatalogueFile -update .
