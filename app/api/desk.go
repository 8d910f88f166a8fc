package api

import (
	"bytes"
	"context"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"piwork/app/audit"
	"piwork/app/machines"
	"piwork/app/problem"
	"piwork/app/projectcache"
	"piwork/app/runtimepack/updater"
	"piwork/app/setup"
	"piwork/app/upkeep"
)

// deskService has the program itself: what it takes of this computer, what it wrote
// down, what it is made of, and how its window behaves.
type deskService interface {
	Storage(context.Context) (upkeep.Storage, error)
	CleanStorage(context.Context, upkeep.CleanRequest) (upkeep.Cleaned, error)
	Caches(context.Context) ([]projectcache.Cache, error)
	EmptyCache(ctx context.Context, id string) error
	BackCache(ctx context.Context, id string) error
	MoveStorage(context.Context, upkeep.MoveRequest) (upkeep.StorageMove, error)
	StorageMove(context.Context) (upkeep.StorageMove, error)
	CancelMove(context.Context) (upkeep.StorageMove, error)
	Logs(context.Context) (upkeep.Logs, error)
	Log(ctx context.Context, name string, tail int64) ([]byte, error)
	Diagnostics(context.Context) (upkeep.Diagnostics, error)
	WriteDiagnostics(context.Context, upkeep.DiagnosticsRequest) (upkeep.DiagnosticsFile, error)
	Licences(context.Context) (upkeep.Licences, error)
	WindowSettings(context.Context) (upkeep.WindowSettings, error)
	SetWindowSettings(context.Context, upkeep.WindowSettings) (upkeep.WindowSettings, error)
	ClaimNotice(context.Context, upkeep.NoticeClaim) (upkeep.NoticeClaimed, error)
}

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

// CacheRef names the cache of a project.
type CacheRef struct {
	ID string `path:"id" doc:"of the list" minLength:"1" maxLength:"63" pattern:"^[0-9a-z._-]+$"`
}

func (r CacheRef) id() string { return r.ID }

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

var deskOperations = []operation{
	{"getStorage", "GET /v1/storage", "What takes how much of the disk?", "", get(Service.Storage)},
	{"cleanStorage", "POST /v1/storage/clean", "Remove what can be made again, or is of no use any more",
		"What a task at work needs stays. Undo that is still kept is given up only with loseUndo, which a program with a token cannot say.",
		call(Service.CleanStorage, func(a *API, ctx context.Context, in *input[upkeep.CleanRequest]) (upkeep.Cleaned, error) {
			if err := personal(ctx, in.Body.LoseUndo); err != nil {
				return upkeep.Cleaned{}, err
			}
			return a.service.CleanStorage(ctx, in.Body)
		}).failing(problem.CodeCacheInUse)},
	{"listCaches", "GET /v1/caches", "Which projects have a cache, and how large is it?", "What a task puts into the cache of its project, later tasks of the same project use, and only these.", list(Service.Caches, func(c projectcache.Cache) string { return c.ID })},
	{"emptyCache", "DELETE /v1/caches/{id}", "Empty the cache of a project", "The next task of the project begins with an empty one. A cache that a task uses stays.", remove[CacheRef](Service.EmptyCache).failing(problem.CodeCacheInUse, problem.CodeNotFound)},
	{"backCache", "POST /v1/caches/{id}/back", "Take what the last task changed out of the cache of a project", "The next task begins as the last one did whose changes were kept.", remove[CacheRef](Service.BackCache).failing(problem.CodeCacheInUse, problem.CodeCacheNoWayBack, problem.CodeNotFound)},
	{"moveStorage", "POST /v1/storage/move", "Move the data of piwork to another folder or disk",
		"It goes on after the answer, and no task starts meanwhile. When it is done the program opens its data anew. A program with a token cannot.", send(Service.MoveStorage).needing(needPerson).failing(problem.CodeMoveRefused)},
	{"getStorageMove", "GET /v1/storage/move", "How a move of the data stands", "", get(Service.StorageMove)},
	{"cancelMove", "DELETE /v1/storage/move", "End a move of the data: everything is as it was", "", get(Service.CancelMove)},
	{"listLogs", "GET /v1/logs", "The logs of machines, the newest first", "", get(Service.Logs)},
	{"getLog", "GET /v1/logs/{name}", "The end of a log", "As it was written: what the guest printed is not to be trusted.",
		do(Service.Log, func(a *API, ctx context.Context, in *LogRef) (*logText, error) {
			data, err := a.service.Log(ctx, in.Name, in.Tail)
			if err != nil {
				return nil, err
			}
			return &logText{ContentType: "text/plain; charset=utf-8", Body: bytes.ToValidUTF8(data, []byte("\uFFFD"))}, nil
		}).answering("text/plain", "The text", &huma.Schema{Type: huma.TypeString}).failing(problem.CodeNotFound)},
	{"getDiagnostics", "GET /v1/diagnostics", "What a report for a fault would hold, without secrets and names of files",
		"It takes as long as a boot where this computer was not looked at yet.", get(Service.Diagnostics)},
	{"writeDiagnostics", "POST /v1/diagnostics", "Write what was shown, byte for byte, into a zip file", "A program with a token cannot replace a file.",
		call(Service.WriteDiagnostics, func(a *API, ctx context.Context, in *input[upkeep.DiagnosticsRequest]) (upkeep.DiagnosticsFile, error) {
			if err := personal(ctx, in.Body.Replace); err != nil {
				return upkeep.DiagnosticsFile{}, err
			}
			return a.service.WriteDiagnostics(ctx, in.Body)
		}).failing(problem.CodeChangedSince, problem.CodeOutputExists)},
	{"listLicences", "GET /v1/licences", "What the program and its runtime are made of", "", get(Service.Licences)},
	{"getHealthPage", "GET /v1/health", "How does everything stand?", "It takes as long as a boot where this computer was not looked at yet.",
		call(nil, func(a *API, ctx context.Context, _ *none) (HealthPage, error) { return a.healthPage(ctx), nil })},
}

// healthPage asks everything; what fails hinders nothing else.
func (a *API) healthPage(ctx context.Context) HealthPage {
	svc := a.service
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
