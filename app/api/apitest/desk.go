package apitest

import (
	"context"
	"sync"

	"piwork/app"
	"piwork/app/diagnostics"
	"piwork/app/problem"
)

// Desk is what a Fake says of the program itself. The zero value has a log and a
// report, takes no room, and asks before the window closes.
type Desk struct {
	Room    app.Storage
	Bundle  app.Diagnostics
	Parts   app.Licences
	LogText map[string]string
	mu      sync.Mutex
	chosen  *app.WindowSettings
	cleaned []app.CleanRequest
	written []app.DiagnosticsRequest
	move    app.StorageMove
}

// Cleanings are the requests to clean so far.
func (d *Desk) Cleanings() []app.CleanRequest {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]app.CleanRequest(nil), d.cleaned...)
}

// Writings are the requests to write diagnostics so far.
func (d *Desk) Writings() []app.DiagnosticsRequest {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]app.DiagnosticsRequest(nil), d.written...)
}

// Storage implements app.Service.
func (f *Fake) Storage(context.Context) (app.Storage, error) {
	s := f.Desk.Room
	if s.Items == nil {
		s.Items = []app.StorageItem{}
	}
	return s, f.refused("Storage")
}

// CleanStorage implements app.Service.
func (f *Fake) CleanStorage(_ context.Context, r app.CleanRequest) (app.Cleaned, error) {
	if err := f.refused("CleanStorage"); err != nil {
		return app.Cleaned{}, err
	}
	f.Desk.mu.Lock()
	defer f.Desk.mu.Unlock()
	f.Desk.cleaned = append(f.Desk.cleaned, r)
	var out app.Cleaned
	for _, what := range r.What {
		for i := range f.Desk.Room.Items {
			if item := &f.Desk.Room.Items[i]; item.What == what {
				out.Freed += item.Frees
				item.Bytes -= item.Frees
				item.Frees, item.Cleanable, item.LosesUndo = 0, false, false
			}
		}
	}
	return out, nil
}

// MoveStorage implements app.Service. A move is done when it was looked at twice.
func (f *Fake) MoveStorage(_ context.Context, r app.MoveRequest) (app.StorageMove, error) {
	if err := f.refused("MoveStorage"); err != nil {
		return app.StorageMove{}, err
	}
	s := app.StorageMove{Phase: app.MovePlanned, From: "/data", To: r.Dir + "/piwork", Bytes: 100, Files: 3, NeedBytes: 200, FreeBytes: 1000}
	if r.DryRun {
		return s, nil
	}
	f.Desk.mu.Lock()
	defer f.Desk.mu.Unlock()
	s.Phase = app.MoveCopying
	f.Desk.move = s
	return s, nil
}

// StorageMove implements app.Service.
func (f *Fake) StorageMove(context.Context) (app.StorageMove, error) {
	f.Desk.mu.Lock()
	defer f.Desk.mu.Unlock()
	s := &f.Desk.move
	switch {
	case s.Phase == "":
		s.Phase, s.From = app.MoveNone, "/data"
	case s.Phase == app.MoveCopying && s.Done < s.Bytes:
		s.Done += s.Bytes / 2
	case s.Phase == app.MoveCopying:
		s.Phase = app.MoveDone
	}
	return *s, f.refused("StorageMove")
}

// CancelMove implements app.Service.
func (f *Fake) CancelMove(context.Context) (app.StorageMove, error) {
	f.Desk.mu.Lock()
	defer f.Desk.mu.Unlock()
	switch f.Desk.move.Phase {
	case "":
		f.Desk.move.Phase = app.MoveNone
	case app.MoveCopying:
		f.Desk.move.Phase = app.MoveCancelled
	}
	return f.Desk.move, f.refused("CancelMove")
}

// Logs implements app.Service.
func (f *Fake) Logs(context.Context) (app.Logs, error) {
	out := app.Logs{Logs: []app.LogInfo{}}
	for name, text := range f.Desk.LogText {
		out.Logs = append(out.Logs, app.LogInfo{Name: name, Bytes: int64(len(text))})
	}
	return out, f.refused("Logs")
}

// Log implements app.Service.
func (f *Fake) Log(_ context.Context, name string, tail int64) ([]byte, error) {
	text, there := f.Desk.LogText[name]
	if !there {
		return nil, problem.New(problem.CodeNotFound).With("log", name)
	}
	if tail > 0 && int64(len(text)) > tail {
		text = text[int64(len(text))-tail:]
	}
	return []byte(text), f.refused("Log")
}

// Diagnostics implements app.Service.
func (f *Fake) Diagnostics(context.Context) (app.Diagnostics, error) {
	d := f.Desk.Bundle
	if d.ID == "" {
		d = app.Diagnostics{ID: "1", Files: []diagnostics.File{{Name: "about.json", Bytes: 3, Text: "{}\n"}}}
	}
	return d, f.refused("Diagnostics")
}

// WriteDiagnostics implements app.Service.
func (f *Fake) WriteDiagnostics(_ context.Context, r app.DiagnosticsRequest) (app.DiagnosticsFile, error) {
	f.Desk.mu.Lock()
	defer f.Desk.mu.Unlock()
	f.Desk.written = append(f.Desk.written, r)
	return app.DiagnosticsFile{Path: r.Path, Bytes: 7}, f.refused("WriteDiagnostics")
}

// Licences implements app.Service.
func (f *Fake) Licences(context.Context) (app.Licences, error) {
	l := f.Desk.Parts
	if l.Items == nil {
		l.Items = []app.Licence{}
	}
	return l, f.refused("Licences")
}

// WindowSettings implements app.Service.
func (f *Fake) WindowSettings(context.Context) (app.WindowSettings, error) {
	f.Desk.mu.Lock()
	defer f.Desk.mu.Unlock()
	if f.Desk.chosen != nil {
		return *f.Desk.chosen, f.refused("WindowSettings")
	}
	return app.WindowSettings{Close: app.CloseAsk, Notify: true}, f.refused("WindowSettings")
}

// ClaimNotice implements app.Service.
func (f *Fake) ClaimNotice(_ context.Context, r app.NoticeClaim) (app.NoticeClaimed, error) {
	f.ask(r)
	return app.NoticeClaimed{First: true}, f.refused("ClaimNotice")
}

// SetWindowSettings implements app.Service.
func (f *Fake) SetWindowSettings(ctx context.Context, s app.WindowSettings) (app.WindowSettings, error) {
	if err := f.refused("SetWindowSettings"); err != nil {
		return app.WindowSettings{}, err
	}
	f.Desk.mu.Lock()
	f.Desk.chosen = &s
	f.Desk.mu.Unlock()
	return f.WindowSettings(ctx)
}
