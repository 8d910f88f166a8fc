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
// behind api.Shell, what a window does with itself is behind api.Window.
//
// # Life
//
// One window for each user session, and one for each task that is shown by itself; a
// second start of either shows the first. Each is a process: whichever has the data
// directory has the controller, and the others are clients of it (client.Session).
// A window whose controller goes away opens one itself.
//
// Closing a window whose process has tasks at work does what was chosen, and else
// asks on the page; where no page answers, by a dialog of the system ([conduct]).
// Told to end by the system, by a signal, at a log-out or by a display that is gone, the
// program ends its tasks in order and asks nothing ([logout]).
//
// # What opens it
//
// Links (piwork://, [ParseLink]), files and folders given as arguments or dropped on
// the icon ([ParseArgs]) show a form or a task. None of them starts work. What comes
// before the page listens waits for it.
//
// With PIWORK_LOG set to anything, the window logs to stderr.
//
// Built without the tag "desktop" there is no window and no cgo.
package desktop
