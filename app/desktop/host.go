//go:build desktop

package desktop

import (
	"context"
	"fmt"
	goruntime "runtime"
	"time"

	"github.com/wailsapp/wails/v2/pkg/menu"
	"github.com/wailsapp/wails/v2/pkg/menu/keys"
	"github.com/wailsapp/wails/v2/pkg/runtime"

	"piwork/app/api"
	"piwork/app/task"
)

// wailsHost is the window that Wails has.
type wailsHost struct{ w *window }

func (h wailsHost) emit(e api.WindowEvent) {
	runtime.EventsEmit(h.w.ctx, EventName, task.Event{V: task.RecordVersion, Time: time.Now().UTC(), Kind: api.EventWindow, Data: e})
}

func (h wailsHost) show() {
	if ctx := h.w.shell.ctx.Load(); ctx != nil {
		runtime.WindowShow(*ctx)
		runtime.WindowUnminimise(*ctx)
	}
}

func (h wailsHost) hide() { runtime.WindowHide(h.w.ctx) }
func (h wailsHost) quit() { runtime.Quit(h.w.ctx) }

// answerYes is the answer where a dialog can't have verbs, in every language.
const answerYes = "Yes"

// ask is for a page that is not there, or does not answer.
func (h wailsHost) ask(n int) bool {
	q := askInWords(h.w.link.words(), n)
	answer, err := runtime.MessageDialog(h.w.ctx, runtime.MessageDialogOptions{
		Type:  runtime.QuestionDialog,
		Title: q.title, Message: q.title + "\n\n" + q.text,
		Buttons: []string{q.stop, q.keep}, DefaultButton: q.keep, CancelButton: q.keep,
	})
	if err != nil {
		h.w.log.Warn("window: ask before closing", "error", err)
	}
	return answer == q.stop || answer == answerYes
}

// menuOf is the menu of the system: on macOS, where without it nothing can be copied
// by key. Elsewhere the window has all of it inside.
func menuOf(w *window) *menu.Menu {
	if goruntime.GOOS != "darwin" {
		return nil
	}
	m := menu.NewMenu()
	m.Append(menu.AppMenu())
	file := m.AddSubmenu("File")
	file.AddText("New Window", keys.CmdOrCtrl("n"), func(*menu.CallbackData) {
		if err := (acts{w}).New(w.ctx, ""); err != nil {
			w.log.Warn("window: another one", "error", err)
		}
	})
	file.AddText("Close Window", keys.CmdOrCtrl("w"), func(*menu.CallbackData) { runtime.Quit(w.ctx) })
	m.Append(menu.EditMenu())
	m.Append(menu.WindowMenu())
	return m
}

// acts is api.Window for the page of a window.
type acts struct{ w *window }

// Ready implements api.Window.
func (a acts) Ready(context.Context) (api.WindowState, error) {
	return api.WindowState{Task: a.w.start.Task, Open: a.w.listens()}, nil
}

// Drawn implements api.Window.
func (a acts) Drawn(_ context.Context, drawn bool) error {
	if drawn {
		lookAtPage(a.w.seen)
	} else {
		a.w.seen(false)
	}
	return nil
}

// Close implements api.Window.
func (a acts) Close(ctx context.Context, r api.CloseRequest) error { return a.w.answer(ctx, r) }

// New implements api.Window: another process of this program, and client of the same
// controller. It outlives the request.
func (a acts) New(ctx context.Context, id string) error {
	return startSelf(ctx, a.w.log, windowArgs(id)...)
}

// Notify implements api.Window.
func (a acts) Notify(_ context.Context, n api.Notice) error { return a.w.notes.send(n) }

// SaveFile implements api.Window.
func (a acts) SaveFile(_ context.Context, title, name string) (string, error) {
	if p := api.TestSave(); p != "" {
		return p, nil
	}
	return dialog(a.w.shell, func(ctx context.Context) (string, error) {
		return runtime.SaveFileDialog(ctx, runtime.SaveDialogOptions{Title: title, DefaultFilename: name, CanCreateDirectories: true})
	})
}

// wailsNotes are messages by Wails: org.freedesktop.Notifications on Linux, the
// notification centre of macOS (in a signed bundle), toasts on Windows.
type wailsNotes struct{ shell *shell }

func (n wailsNotes) begin(clicked func(data map[string]any)) error {
	ctx := n.shell.ctx.Load()
	if ctx == nil {
		return errNoWindow
	}
	if err := runtime.InitializeNotifications(*ctx); err != nil {
		return err
	}
	runtime.OnNotificationResponse(*ctx, func(r runtime.NotificationResult) {
		if r.Error == nil {
			clicked(r.Response.UserInfo)
		}
	})
	if ok, err := runtime.RequestNotificationAuthorization(*ctx); err != nil || !ok {
		return fmt.Errorf("the system shows no messages of this program: %w", err)
	}
	return nil
}

func (n wailsNotes) send(id, title, body string, data map[string]any) error {
	return runtime.SendNotification(*n.shell.ctx.Load(), runtime.NotificationOptions{ID: id, Title: title, Body: body, Data: data})
}

func (n wailsNotes) end() {
	if ctx := n.shell.ctx.Load(); ctx != nil {
		runtime.CleanupNotifications(*ctx)
	}
}
