package api

import (
	"bytes"
	"context"
	"net/http"
	"piwork/app/audit"
	"piwork/app/machines"
	"piwork/app/runtimepack/updater"
	"piwork/app/upkeep"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"piwork/app/problem"
	"piwork/app/setup"
)

// HealthPage is how everything stands, in one answer. What could not be found out
// is absent, and why is among the problems.
type HealthPage struct {
	Version  string             `json:"version"`
	UptimeMS int64              `json:"uptimeMs"`
	Status   *setup.Report      `json:"status,omitempty"`
	Machines *machines.Machines `json:"machines,omitempty"`
	Update   *updater.State     `json:"update,omitempty"`
	Audit    *audit.Report      `json:"audit,omitempty"`
	Storage  *upkeep.Storage    `json:"storage,omitempty"`
	Problems []*problem.Problem `json:"problems"`
}

// LogRef names a log.
type LogRef struct {
	Name string `path:"name" doc:"of the list" minLength:"1" maxLength:"128" pattern:"^[0-9A-Za-z._-]+$"`
	Tail int64  `query:"tail" minimum:"0" maximum:"4194304" doc:"bytes from its end; 65536 without it"`
}

// logText is the end of a log.
type logText struct {
	ContentType string `header:"Content-Type"`
	Body        []byte
}

// registerDesk puts what is about the program itself on HTTP.
func (a *API) registerDesk() {
	svc := a.opts.Service
	op := func(id, method, path, summary, description string) huma.Operation {
		return huma.Operation{OperationID: id, Method: method, Path: path, Summary: summary, Description: description, Tags: []string{"desk"}}
	}
	handle(a, op("getStorage", http.MethodGet, "/api/storage", "What takes how much of the disk?", ""),
		func(ctx context.Context, _ *none) (*body[upkeep.Storage], error) { return ok(svc.Storage(ctx)) })
	handle(a, op("cleanStorage", http.MethodPost, "/api/storage/clean", "Remove what can be made again, or is of no use any more",
		"What a task at work needs stays. Undo that is still kept is given up only with loseUndo."),
		func(ctx context.Context, in *input[upkeep.CleanRequest]) (*body[upkeep.Cleaned], error) {
			return ok(svc.CleanStorage(ctx, in.Body))
		})
	handle(a, op("moveStorage", http.MethodPost, "/api/storage/move", "Move the data of piwork to another folder or disk",
		"It goes on after the answer, and no task starts meanwhile. When it is done the program opens its data anew."),
		func(ctx context.Context, in *input[upkeep.MoveRequest]) (*body[upkeep.StorageMove], error) {
			return ok(svc.MoveStorage(ctx, in.Body))
		})
	handle(a, op("getStorageMove", http.MethodGet, "/api/storage/move", "How a move of the data stands", ""),
		func(ctx context.Context, _ *none) (*body[upkeep.StorageMove], error) {
			return ok(svc.StorageMove(ctx))
		})
	handle(a, op("cancelMove", http.MethodDelete, "/api/storage/move", "End a move of the data: everything is as it was", ""),
		func(ctx context.Context, _ *none) (*body[upkeep.StorageMove], error) {
			return ok(svc.CancelMove(ctx))
		})
	handle(a, op("listLogs", http.MethodGet, "/api/logs", "The logs of machines, the newest first", ""),
		func(ctx context.Context, _ *none) (*body[upkeep.Logs], error) { return ok(svc.Logs(ctx)) })
	text := op("getLog", http.MethodGet, "/api/logs/{name}", "The end of a log", "As it was written: what the guest printed is not to be trusted.")
	text.Responses = map[string]*huma.Response{"200": {
		Description: "The text", Content: map[string]*huma.MediaType{"text/plain": {Schema: &huma.Schema{Type: huma.TypeString}}},
	}}
	handle(a, text, func(ctx context.Context, in *LogRef) (*logText, error) {
		data, err := svc.Log(ctx, in.Name, in.Tail)
		if err != nil {
			return nil, err
		}
		return &logText{ContentType: "text/plain; charset=utf-8", Body: bytes.ToValidUTF8(data, []byte("\uFFFD"))}, nil
	})
	handle(a, op("getDiagnostics", http.MethodGet, "/api/diagnostics", "What a report for a fault would hold, without secrets and names of files",
		"It takes as long as a boot where this computer was not looked at yet."),
		func(ctx context.Context, _ *none) (*body[upkeep.Diagnostics], error) { return ok(svc.Diagnostics(ctx)) })
	handle(a, op("writeDiagnostics", http.MethodPost, "/api/diagnostics", "Write what was shown, byte for byte, into a zip file", ""),
		func(ctx context.Context, in *input[upkeep.DiagnosticsRequest]) (*body[upkeep.DiagnosticsFile], error) {
			return ok(svc.WriteDiagnostics(ctx, in.Body))
		})
	handle(a, op("listLicences", http.MethodGet, "/api/licences", "What the program and its runtime are made of", ""),
		func(ctx context.Context, _ *none) (*body[upkeep.Licences], error) { return ok(svc.Licences(ctx)) })
	handle(a, op("getHealthPage", http.MethodGet, "/api/health", "How does everything stand?",
		"It takes as long as a boot where this computer was not looked at yet."),
		func(ctx context.Context, _ *none) (*body[HealthPage], error) { return ok(a.healthPage(ctx), nil) })
}

// healthPage asks everything; what fails hinders nothing else.
func (a *API) healthPage(ctx context.Context) HealthPage {
	svc := a.opts.Service
	page := HealthPage{Version: a.opts.Version, UptimeMS: time.Since(a.start).Milliseconds(), Problems: []*problem.Problem{}}
	page.Status = asked(&page, func() (setup.Report, error) { return svc.Status(ctx, false) })
	page.Machines = asked(&page, func() (machines.Machines, error) { return svc.Machines(ctx) })
	page.Update = asked(&page, func() (updater.State, error) { return svc.Update(ctx) })
	page.Audit = asked(&page, func() (audit.Report, error) { return svc.AuditVerify(ctx) })
	page.Storage = asked(&page, func() (upkeep.Storage, error) { return svc.Storage(ctx) })
	return page
}

func asked[T any](page *HealthPage, f func() (T, error)) *T {
	v, err := f()
	if err != nil {
		page.Problems = append(page.Problems, problem.From(err))
		return nil
	}
	return &v
}
