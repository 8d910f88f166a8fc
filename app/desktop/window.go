//go:build desktop

package desktop

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/logger"
	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
	"github.com/wailsapp/wails/v2/pkg/options/linux"
	"github.com/wailsapp/wails/v2/pkg/options/mac"
	"github.com/wailsapp/wails/v2/pkg/options/windows"
	"github.com/wailsapp/wails/v2/pkg/runtime"

	"piwork/app"
	"piwork/app/api"
	"piwork/app/api/answer"
	"piwork/app/background"
	"piwork/app/history"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/upkeep"
)

// Available says that this build has a window.
const Available = true

// forceAfter is how long the window's loop may take to end when the system said so: it
// does not while a native dialog is open.
const forceAfter = 3 * time.Second

// drawnWithin is how long a page may take to listen, where pages are known to stay blank.
const drawnWithin = 30 * time.Second

// window is the running window.
type window struct {
	*conduct
	link   *link
	shell  *shell
	notes  *notes
	page   doorstep
	draw   drawing
	log    *slog.Logger
	start  Start
	config string // directory

	ctx    context.Context // of Wails, set by started
	stop   context.CancelFunc
	ending context.Context // over when the program was told to end: no more questions
	logout *logout         // what tells it
	left   atomic.Bool     // the window's loop is over
	all    atomic.Bool     // the person's session ends: tasks, too
	anew   atomic.Bool     // the window is to be opened once more when this is closed
	gone   atomic.Bool     // the page is blank, and something was done about it
}

// Main opens the window and returns the exit code when it is closed.
func Main(o Options) int {
	var err error
	if os.Getenv("PIWORK_LOG") != "" {
		err = run(o, os.Stderr)
	} else {
		err = run(o, io.Discard)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "piwork:", err)
		return 1
	}
	return 0
}

func run(o Options, logTo io.Writer) error {
	log := slog.New(slog.NewJSONHandler(logTo, &slog.HandlerOptions{Level: slog.LevelDebug}))
	signals, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	ending, end := context.WithCancel(signals)
	defer end()
	ao := app.Options{Version: o.Version, Developer: o.Developer, Log: log} // where its data is may change
	w := &window{log: log, shell: &shell{}, ending: ending, start: o.Start, config: ao.WithDefaults().ConfigDir}
	w.draw = drawing{w.config, engineVersion()}
	if err := w.draw.choose(); err != nil {
		log.Warn("window: choose how it is drawn", "error", err)
	}
	w.notes = &notes{by: wailsNotes{w.shell}, clicked: func(id string) { w.wanted(api.OpenWish{Task: id}) }}
	w.conduct = &conduct{host: wailsHost{w}, running: func() (int, error) { return w.link.running(ending) }, stop: func(all bool) { w.link.cancel(ending, all) }, settings: w.closing, remember: w.keepClosing}
	var dialogs api.Shell = w.shell
	if t := api.TestShell(); t != nil {
		dialogs = t
	}
	copies := api.NewCopies(filepath.Join(ao.WithDefaults().CacheDir, history.OpenedDir))
	defer copies.Close()
	w.link = newLink(func(ctx context.Context) (*background.Session, error) {
		return background.Open(ctx, background.SessionOptions{App: ao, Shell: dialogs, Window: acts{w}, Copies: copies})
	}, log)
	over := make(chan struct{})
	defer close(over)
	w.logout = newLogout(func() bool { n, _ := w.link.running(ending); return n > 0 }, func() {
		w.all.Store(true)
		end()
		go w.endNow(over)
	})
	if err := w.link.connect(ending); err != nil {
		if ending.Err() != nil {
			return err
		}
		return errors.Join(err, tellFailed(ending, log, o, problem.From(err)))
	}
	if deaf, err := hearSession(w.logout, log); err != nil {
		log.Warn("window: a log-out is not heard", "error", err)
	} else {
		defer deaf()
	}
	// What ends with the window does so also when its loop cannot be left.
	defer w.endAll()
	go w.onSignal(signals, end, over)

	first, _ := readPlace(w.config).fit(nil)
	if w.start.New && w.link.windows(ending) == 0 {
		w.start.New = false // it is the first one
	}
	if w.start.Task == "" {
		w.wish(w.start.Wish)
	}
	pages := middleware(w.link, w.link.hasPages)
	err := wails.Run(&options.App{
		Title: "piwork", Width: first.W, Height: first.H, MinWidth: leastWidth, MinHeight: leastHeight,
		AssetServer:        &assetserver.Options{Assets: o.Pages, Middleware: func(next http.Handler) http.Handler { return blankPage(pages(next)) }},
		DragAndDrop:        &options.DragAndDrop{EnableFileDrop: true, DisableWebViewDrop: true},
		SingleInstanceLock: w.only(),
		Menu:               menuOf(w),
		Logger:             quiet{log},
		LogLevel:           logger.WARNING,
		LogLevelProduction: logger.WARNING,
		OnStartup:          w.started,
		OnDomReady:         func(context.Context) { w.page.isThere() },
		OnBeforeClose:      w.mayStay,
		OnShutdown:         w.shutdown,
		Linux:              onLinux(o),
		Windows:            onWindows(),
		Mac: &mac.Options{
			OnFileOpen: func(path string) { w.handed([]string{path}, "") },
			OnUrlOpen:  func(link string) { w.handed([]string{link}, "") },
		},
	})
	if err != nil {
		return fmt.Errorf("the window: %w", err)
	}
	if w.anew.Load() { // not before: there is one window
		return startSelf(context.Background(), log, os.Args[1:]...)
	}
	return nil
}

// only is how a second start finds this window; nil where it does not.
func (w *window) only() *options.SingleInstanceLock {
	if w.start.New {
		return nil
	}
	return &options.SingleInstanceLock{UniqueId: instance(w.start.Task), OnSecondInstanceLaunch: w.again}
}

// onLinux is what every window has there.
func onLinux(o Options) *linux.Options {
	return &linux.Options{ProgramName: "piwork", Icon: o.Icon, WebviewGpuPolicy: linux.WebviewGpuPolicyNever}
}

// onWindows is what every window has there.
func onWindows() *windows.Options {
	program, err := os.Executable()
	if err != nil {
		return nil // the system's engine does
	}
	return &windows.Options{WebviewBrowserPath: fixedWebView2(program, os.Getenv)}
}

// started runs once the window is there.
func (w *window) started(ctx context.Context) {
	w.ctx, w.stop = context.WithCancel(ctx)
	w.shell.ctx.Store(&ctx)
	watchDisplay(w.displayLost)
	keepPage(w.blank)
	if mayStayBlank() {
		time.AfterFunc(drawnWithin, func() {
			if !w.isReady() {
				w.blank()
			}
		})
	}
	w.comeBack(ctx)
	w.page.emit = func(e task.Event) { runtime.EventsEmit(ctx, EventName, e) }
	go w.link.pump(w.ctx, func(e task.Event) {
		w.page.tell(e)
		if s, ok := e.Data.(task.StateData); ok {
			w.taskIs(s.State)
		}
	})
}

// shutdown ends the stream of events; run ends the rest.
func (w *window) shutdown(context.Context) {
	w.left.Store(true)
	w.notes.close()
	if w.stop != nil {
		w.stop()
	}
}

// taskIs ends a hidden window whose last task is over, and shows one whose task
// needs its person.
func (w *window) taskIs(s task.State) {
	switch {
	case s == task.StateWaiting && w.isHidden():
		w.wanted(api.OpenWish{})
	case s.Final():
		w.rested()
	}
}

// again is a second start: it shows this window, and what it was started for.
func (w *window) again(second options.SecondInstanceData) {
	w.handed(second.Args, second.WorkingDirectory)
}

// handed is a start that came from somewhere else. What makes no sense shows the
// window and nothing more.
func (w *window) handed(args []string, dir string) {
	start, ok, err := ParseArgs(args, dir)
	if !ok || err != nil {
		w.log.Warn("window: a start that makes no sense", "error", err)
		start = Start{}
	}
	w.wanted(start.Wish)
}

// closing is what the person chose.
func (w *window) closing() string {
	ctx, stop := context.WithTimeout(w.ending, askWithin)
	defer stop()
	s, err := w.link.session().WindowSettings(ctx)
	if err != nil {
		w.log.Warn("window: what closing does", "error", err)
		return upkeep.CloseAsk
	}
	return s.Close
}

func (w *window) keepClosing(ctx context.Context, choice string) error {
	s, err := w.link.session().WindowSettings(ctx)
	if err == nil {
		s.Close = choice
		_, err = w.link.session().SetWindowSettings(ctx, s)
	}
	return err
}

// mayStay is Wails' question before the window closes: whether it stays.
func (w *window) mayStay(ctx context.Context) bool {
	w.rememberPlace(ctx)
	return w.ending.Err() == nil && w.close() != leave
}

// onSignal ends the window. Tasks go on, and the next window shows them.
func (w *window) onSignal(signals context.Context, end func(), over <-chan struct{}) {
	select {
	case <-over:
	case <-signals.Done():
		end()
		w.endNow(over)
	}
}

// displayLost ends the tasks in order while there is still a process: it ends when this
// returns. The person's session is over, most often.
func (w *window) displayLost() {
	w.left.Store(true) // there is no window to be closed
	w.log.Info("window: the display is gone")
	w.logout.hear(endTold, nil)
}

// endNow ends at once what ends with the window, and the window beside it. The process
// ends with it when the window's loop cannot be left.
func (w *window) endNow(over <-chan struct{}) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.endAll()
	}()
	if ctx := w.shell.ctx.Load(); ctx != nil && !w.left.Load() {
		runtime.Quit(*ctx)
	}
	<-ended
	select {
	case <-over:
	case <-time.After(forceAfter):
		os.Exit(1) //nolint:forbidigo // the window's loop cannot be left while a native dialog is open
	}
}

// endAll ends the session, and with the person's session the controller, and says so.
func (w *window) endAll() {
	w.link.close(w.all.Load())
	w.logout.finished()
}

// screens are those of this computer.
func screens(ctx context.Context) []screen {
	all, err := runtime.ScreenGetAll(ctx)
	if err != nil {
		return nil
	}
	out := make([]screen, 0, len(all))
	for _, s := range all {
		out = append(out, screen{s.Size.Width, s.Size.Height})
	}
	return out
}

// beside reports whether it is a window beside the main one: it may be there several times,
// and nobody remembers where it was.
func (s Start) beside() bool { return s.New || s.Task != "" }

// comeBack puts the window where it was, as far as that can be seen.
func (w *window) comeBack(ctx context.Context) {
	p, there := readPlace(w.config).fit(screens(ctx))
	runtime.WindowSetSize(ctx, p.W, p.H)
	if there && !w.start.beside() { // one beside it lies where the system puts it
		runtime.WindowSetPosition(ctx, p.X, p.Y)
	}
	if p.Maximised {
		runtime.WindowMaximise(ctx)
	}
}

// rememberPlace remembers where the main window is.
func (w *window) rememberPlace(ctx context.Context) {
	if w.start.beside() || w.isHidden() || runtime.WindowIsMinimised(ctx) || runtime.WindowIsFullscreen(ctx) {
		return
	}
	p := place{Maximised: runtime.WindowIsMaximised(ctx), Screens: screens(ctx)}
	p.W, p.H = runtime.WindowGetSize(ctx)
	p.X, p.Y = runtime.WindowGetPosition(ctx)
	if old := readPlace(w.config); p.Maximised && old.W > 0 { // what it is when it is not
		p.X, p.Y, p.W, p.H = old.X, old.Y, old.W, old.H
	}
	if err := p.write(w.config); err != nil {
		w.log.Warn("window: remember where it was", "file", filepath.Join(w.config, placeFile), "error", err)
	}
}

// quiet passes what Wails logs on to the program's log.
type quiet struct{ log *slog.Logger }

func (q quiet) Print(m string)   { q.log.Debug(m) }
func (q quiet) Trace(m string)   { q.log.Debug(m) }
func (q quiet) Debug(m string)   { q.log.Debug(m) }
func (q quiet) Info(m string)    { q.log.Info(m) }
func (q quiet) Warning(m string) { q.log.Warn(m) }
func (q quiet) Error(m string)   { q.log.Error(m) }
func (q quiet) Fatal(m string)   { q.log.Error(m) }

// errNoWindow says that the window is not there yet.
var errNoWindow = problem.New(answer.CodeNoWindow)

// isHidden reports whether the window was closed and tasks go on.
func (c *conduct) isHidden() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.hidden
}

// isReady reports whether the page listens.
func (c *conduct) isReady() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ready
}

// hasPages reports whether the controller serves the pages of the window.
func (l *link) hasPages() bool { return l.session().Process.Pages }
