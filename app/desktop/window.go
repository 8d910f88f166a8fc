//go:build desktop

package desktop

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/logger"
	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
	"github.com/wailsapp/wails/v2/pkg/options/linux"
	"github.com/wailsapp/wails/v2/pkg/runtime"

	"piwork/app"
	"piwork/app/api"
	"piwork/app/client"
	"piwork/app/task"
)

// Available says that this build has a window.
const Available = true

// forceAfter is how long the window's loop may take to end after a signal: it
// does not while a native dialog is open.
const forceAfter = 3 * time.Second

// window is the running window.
type window struct {
	link  *link
	shell *shell
	log   *slog.Logger

	ctx    context.Context // of Wails, set by started
	stop   context.CancelFunc
	ending context.Context // over when the program was told to end: no more questions
	hidden atomic.Bool     // closed by the person, and tasks go on
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
	log := slog.New(slog.NewTextHandler(logTo, &slog.HandlerOptions{Level: slog.LevelDebug}))
	signals, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	w := &window{log: log, shell: &shell{}, ending: signals}
	var dialogs api.Shell = w.shell
	if t := api.TestShell(); t != nil {
		dialogs = t
	}
	w.link = newLink(func(ctx context.Context) (*client.Session, error) {
		return client.Open(ctx, client.SessionOptions{
			App:   app.Options{Version: o.Version, Developer: o.Developer, Log: log},
			Shell: dialogs,
		})
	}, log)

	if err := w.link.connect(signals); err != nil {
		return err
	}
	// What this process has ends before it does, also when the window's loop
	// cannot be left.
	defer w.link.close()
	over := make(chan struct{})
	defer close(over)
	go w.onSignal(over)

	err := wails.Run(&options.App{
		Title: "piwork", Width: 1120, Height: 760, MinWidth: 720, MinHeight: 520,
		AssetServer:        &assetserver.Options{Assets: o.Pages, Middleware: middleware(w.link)},
		DragAndDrop:        &options.DragAndDrop{EnableFileDrop: true, DisableWebViewDrop: true},
		SingleInstanceLock: &options.SingleInstanceLock{UniqueId: instance(), OnSecondInstanceLaunch: w.again},
		Logger:             quiet{log},
		LogLevel:           logger.WARNING,
		LogLevelProduction: logger.WARNING,
		OnStartup:          w.started,
		OnBeforeClose:      w.mayStay,
		OnShutdown:         w.shutdown,
		Linux:              &linux.Options{ProgramName: "piwork", Icon: o.Icon, WebviewGpuPolicy: linux.WebviewGpuPolicyNever},
	})
	if err != nil {
		return fmt.Errorf("the window: %w", err)
	}
	return nil
}

// started runs once the window is there.
func (w *window) started(ctx context.Context) {
	w.ctx, w.stop = context.WithCancel(ctx)
	w.shell.ctx.Store(&ctx)
	go w.link.pump(w.ctx, func(e task.Event) {
		runtime.EventsEmit(ctx, EventName, e)
		if s, ok := e.Data.(task.StateData); ok && w.hidden.Load() {
			w.hiddenState(s.State)
		}
	})
}

// shutdown ends the stream of events; run ends the rest.
func (w *window) shutdown(context.Context) {
	if w.stop != nil {
		w.stop()
	}
}

// hiddenState ends a hidden window whose last task is over, and shows one whose
// task needs its person.
func (w *window) hiddenState(s task.State) {
	switch {
	case s == task.StateWaiting:
		w.again(options.SecondInstanceData{})
	case s.Final():
		w.quitWhenIdle()
	}
}

// quitWhenIdle ends a hidden window whose last task is over.
func (w *window) quitWhenIdle() {
	if w.link.running(w.ctx) == 0 {
		runtime.Quit(w.ctx)
	}
}

// again is a second start: it shows this window.
func (w *window) again(options.SecondInstanceData) {
	w.hidden.Store(false)
	runtime.WindowShow(w.ctx)
	runtime.WindowUnminimise(w.ctx)
}

// Answers of the question below: verbs where the system lets a dialog have
// them, yes and no where not.
const (
	answerStop = "Stop and close"
	answerKeep = "Keep it running"
	answerYes  = "Yes"
)

// mayStay asks before tasks end with the window. It reports whether the window
// stays; then it is hidden until they are over.
func (w *window) mayStay(ctx context.Context) bool {
	n := w.link.running(ctx)
	if n == 0 || w.ending.Err() != nil {
		return false
	}
	what := "A task is still at work."
	if n > 1 {
		what = fmt.Sprintf("%d tasks are still at work.", n)
	}
	answer, err := runtime.MessageDialog(ctx, runtime.MessageDialogOptions{
		Type:  runtime.QuestionDialog,
		Title: what,
		Message: what + " Shall piwork stop it and close?\n\n" +
			"What was changed so far is listed and can be taken back. Otherwise the work goes on in the background; " +
			"start piwork again to see it.",
		Buttons: []string{answerStop, answerKeep}, DefaultButton: answerKeep, CancelButton: answerKeep,
	})
	if err != nil {
		w.log.Warn("window: ask before closing", "error", err)
	}
	if answer == answerStop || answer == answerYes {
		return false
	}
	w.hidden.Store(true)
	runtime.WindowHide(ctx)
	w.quitWhenIdle() // it may have ended while the question was open
	return true
}

// onSignal ends the window when the program is told to.
func (w *window) onSignal(over <-chan struct{}) {
	select {
	case <-over:
		return
	case <-w.ending.Done():
	}
	if ctx := w.shell.ctx.Load(); ctx != nil {
		runtime.Quit(*ctx)
	}
	select {
	case <-over:
	case <-time.After(forceAfter):
		w.link.close()
		os.Exit(1) //nolint:forbidigo // the window's loop cannot be left while a native dialog is open
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

var errNoWindow = errors.New("the window is not there yet")
