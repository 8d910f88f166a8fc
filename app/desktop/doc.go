// Package desktop is the window: Wails around the same handler that the command
// line and a browser use.
//
// # Parties
//
// The page runs in the system's web view. Its requests to /api/ are answered in
// this process by the handler of app/api ([middleware]); events come as Wails
// events named [EventName], because WebView2 buffers streamed bodies and has no
// flush. An event that was sent before the page listened is lost: it watches
// the numbers, and reads the state when one is missing. Native dialogs are
// behind api.Shell.
//
// # Life
//
// One window for each user session; a second start shows the first. When
// another process (a command line) has the data directory, the window is a
// client of that one. Closing the window with tasks running asks first, because
// tasks end with the program.
//
// With PIWORK_LOG set to anything, the window logs to stderr.
//
// Built without the tag "desktop" there is no window and no cgo.
package desktop
