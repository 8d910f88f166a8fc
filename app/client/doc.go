// Package client speaks to app/api and is an [api.Service] itself: whoever has
// a Client need not know that the controller lives in another process, which holds the
// data directory ([Socket]). [InProcess] is for tests.
//
// Its methods are generated from the table of operations (go generate ./app/api), but for
// those that are more than one request and one answer (operations.go, result.go, events.go,
// tools.go, attach.go).
//
// # Differences to a controller in the same process
//
//   - An error that is no Problem arrives as problem.CodeUnknown with its text.
//   - A task that is not detached is held by a stream until the context of
//     StartTask ends, and is then cancelled unless somebody detached it since. Where there
//     is no room for that stream, it is opened when there is.
//   - [Client.InstallPack] hears progress through the stream of events.
//   - No answer, or one that cannot be read, is an [*UnreachableError].
package client
