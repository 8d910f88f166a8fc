// Package desktop is the window: Wails around the pages and the API of the controller in
// the background.
//
// # Parties
//
// The page runs in the system's web view. The page itself and its requests to /v1/ come
// from the controller's socket ([middleware]); what is about this window is answered
// here. Events come as Wails events named [EventName], because WebView2 buffers streamed
// bodies and has no flush. They wait until the page listens; of very many the oldest are
// lost. The page watches the numbers, and reads the state when one is missing. Native
// dialogs are behind api.Shell, what a window does with itself is behind api.Window.
//
// # Life
//
// One window for each user session, and one for each task that is shown by itself; a
// second start of either shows the first. Further windows are opened by --new-window, by
// key and from the palette; where they were is not remembered, and links and dropped
// files go to the first. Each is a process and a client of the one that
// has the controller (package background), which it starts where there is none. A window
// that dies ends no task; the next one shows them.
//
// Closing the last window while tasks are at work that no command line waits for does what
// was chosen, and else asks on the page; where no page answers, by a dialog of the system
// ([conduct]). They end, or go on behind a window that is hidden until one needs the person
// or the last is done. A task that asks in the middle of its work is at work; one that waits
// with its plan is not, and ends with the window, but where tasks are to go on in the
// background. Where nobody can tell what is at work, all go on. At a log-out, and when the
// display is gone, the controller ends its tasks in order, and nobody is asked anything
// ([logout]). A signal ends the window alone.
//
// Where the engine's process for the page dies, and where none appears on a computer that
// is known for that, the window is opened once more and drawn in another way ([keepPage]).
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
