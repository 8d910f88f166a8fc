package apitest

import (
	"context"
	"sync"

	"piwork/app/diagnostics"
	"piwork/app/problem"
	"piwork/app/upkeep"
)

// Desk is what a Fake says of the program itself. The zero value has a log and a
// report, takes no room, and asks before the window closes.
type Desk struct {
	Room    upkeep.Storage
	Bundle  upkeep.Diagnostics
	Parts   upkeep.Licences
	LogText map[string]string
	mu      sync.Mutex
	chosen  *upkeep.WindowSettings
	cleaned []upkeep.CleanRequest
	written []upkeep.DiagnosticsRequest
	move    upkeep.StorageMove
}

// Cleanings are the requests to clean so far.
func (d *Desk) Cleanings() []upkeep.CleanRequest {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]upkeep.CleanRequest(nil), d.cleaned...)
}

// Writings are the requests to write diagnostics so far.
func (d *Desk) Writings() []upkeep.DiagnosticsRequest {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]upkeep.DiagnosticsRequest(nil), d.written...)
}

// Storage implements api.Service.
func (f *Fake) Storage(context.Context) (upkeep.Storage, error) {
	s := f.Desk.Room
	if s.Items == nil {
		s.Items = []upkeep.StorageItem{}
	}
	return s, f.refused("Storage")
}

// CleanStorage implements api.Service.
func (f *Fake) CleanStorage(_ context.Context, r upkeep.CleanRequest) (upkeep.Cleaned, error) {
	if err := f.refused("CleanStorage"); err != nil {
		return upkeep.Cleaned{}, err
	}
	f.Desk.mu.Lock()
	defer f.Desk.mu.Unlock()
	f.Desk.cleaned = append(f.Desk.cleaned, r)
	var out upkeep.Cleaned
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

// MoveStorage implements api.Service. A move is done when it was looked at twice.
func (f *Fake) MoveStorage(_ context.Context, r upkeep.MoveRequest) (upkeep.StorageMove, error) {
	if err := f.refused("MoveStorage"); err != nil {
		return upkeep.StorageMove{}, err
	}
	s := upkeep.StorageMove{Phase: upkeep.MovePlanned, From: "/data", To: r.Dir + "/piwork", Bytes: 100, Files: 3, NeedBytes: 200, FreeBytes: 1000}
	if r.DryRun {
		return s, nil
	}
	f.Desk.mu.Lock()
	defer f.Desk.mu.Unlock()
	s.Phase = upkeep.MoveCopying
	f.Desk.move = s
	return s, nil
}

// StorageMove implements api.Service.
func (f *Fake) StorageMove(context.Context) (upkeep.StorageMove, error) {
	f.Desk.mu.Lock()
	defer f.Desk.mu.Unlock()
	s := &f.Desk.move
	switch {
	case s.Phase == "":
		s.Phase, s.From = upkeep.MoveNone, "/data"
	case s.Phase == upkeep.MoveCopying && s.Done < s.Bytes:
		s.Done += s.Bytes / 2
	case s.Phase == upkeep.MoveCopying:
		s.Phase = upkeep.MoveDone
	}
	return *s, f.refused("StorageMove")
}

// CancelMove implements api.Service.
func (f *Fake) CancelMove(context.Context) (upkeep.StorageMove, error) {
	f.Desk.mu.Lock()
	defer f.Desk.mu.Unlock()
	switch f.Desk.move.Phase {
	case "":
		f.Desk.move.Phase = upkeep.MoveNone
	case upkeep.MoveCopying:
		f.Desk.move.Phase = upkeep.MoveCancelled
	}
	return f.Desk.move, f.refused("CancelMove")
}

// Logs implements api.Service.
func (f *Fake) Logs(context.Context) (upkeep.Logs, error) {
	out := upkeep.Logs{Logs: []upkeep.LogInfo{}}
	for name, text := range f.Desk.LogText {
		out.Logs = append(out.Logs, upkeep.LogInfo{Name: name, Bytes: int64(len(text))})
	}
	return out, f.refused("Logs")
}

// Log implements api.Service.
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

// Diagnostics implements api.Service.
func (f *Fake) Diagnostics(context.Context) (upkeep.Diagnostics, error) {
	d := f.Desk.Bundle
	if d.ID == "" {
		d = upkeep.Diagnostics{ID: "1", Files: []diagnostics.File{{Name: "about.json", Bytes: 3, Text: "{}\n"}}}
	}
	return d, f.refused("Diagnostics")
}

// WriteDiagnostics implements api.Service.
func (f *Fake) WriteDiagnostics(_ context.Context, r upkeep.DiagnosticsRequest) (upkeep.DiagnosticsFile, error) {
	f.Desk.mu.Lock()
	defer f.Desk.mu.Unlock()
	f.Desk.written = append(f.Desk.written, r)
	return upkeep.DiagnosticsFile{Path: r.Path, Bytes: 7}, f.refused("WriteDiagnostics")
}

// Licences implements api.Service.
func (f *Fake) Licences(context.Context) (upkeep.Licences, error) {
	l := f.Desk.Parts
	if l.Items == nil {
		l.Items = []upkeep.Licence{}
	}
	return l, f.refused("Licences")
}

// WindowSettings implements api.Service.
func (f *Fake) WindowSettings(context.Context) (upkeep.WindowSettings, error) {
	f.Desk.mu.Lock()
	defer f.Desk.mu.Unlock()
	if f.Desk.chosen != nil {
		return *f.Desk.chosen, f.refused("WindowSettings")
	}
	return upkeep.WindowSettings{Close: upkeep.CloseAsk, Notify: true}, f.refused("WindowSettings")
}

// ClaimNotice implements api.Service.
func (f *Fake) ClaimNotice(_ context.Context, r upkeep.NoticeClaim) (upkeep.NoticeClaimed, error) {
	f.ask(r)
	return upkeep.NoticeClaimed{First: true}, f.refused("ClaimNotice")
}

// SetWindowSettings implements api.Service.
func (f *Fake) SetWindowSettings(ctx context.Context, s upkeep.WindowSettings) (upkeep.WindowSettings, error) {
	if err := f.refused("SetWindowSettings"); err != nil {
		return upkeep.WindowSettings{}, err
	}
	f.Desk.mu.Lock()
	f.Desk.chosen = &s
	f.Desk.mu.Unlock()
	return f.WindowSettings(ctx)
}
