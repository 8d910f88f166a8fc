package api

import (
	"context"
	"net/http"
	"piwork/app/audit"
	"piwork/app/machines"
	"piwork/app/tasks"
	"runtime"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"piwork/app/problem"
	"piwork/app/setup"
	"piwork/pack"
)

// SwitchRequest turns something on or off.
type SwitchRequest struct {
	On bool `json:"on"`
}

// Health answers /_health: the program listens. It looks at nothing else, so
// that it always answers at once.
type Health struct {
	Status   string `json:"status" enum:"ok"`
	UptimeMS int64  `json:"uptimeMs"`
}

// About answers /_manifest: what this program is and where its document lies.
type About struct {
	Name      string `json:"name" enum:"piwork"`
	Version   string `json:"version"`
	API       string `json:"api" doc:"version of the document"`
	Developer bool   `json:"developer" doc:"a build for developers"`
	OS        string `json:"os"`
	Arch      string `json:"arch"`
	Window    bool   `json:"window" doc:"native dialogs are there"`
	OAS       string `json:"oas" doc:"path of the document"`

	Pack *PackTools `json:"pack,omitempty" doc:"the runtime in use; absent where none is"`
}

// PackTools says what operations work with.
type PackTools struct {
	Version  string      `json:"version"`
	Checksum string      `json:"checksum" doc:"SHA-256 of the signed manifest, which covers every file"`
	Tools    []pack.Tool `json:"tools" doc:"programs of the pack, their versions and what they are used for"`
}

// packInUse is what tasks run on now, nil where nothing can be.
func (a *API) packInUse(ctx context.Context) (*PackTools, error) {
	packs, err := a.opts.Service.Packs(ctx)
	if err != nil {
		return nil, err
	}
	for _, p := range packs {
		if p.Current && p.Problem == nil {
			return &PackTools{Version: p.Version, Checksum: p.Checksum, Tools: p.Tools}, nil
		}
	}
	return nil, nil
}

func (a *API) registerStatus() {
	svc := a.opts.Service
	handle(a, huma.Operation{
		OperationID: "getStatus", Method: http.MethodGet, Path: "/api/status", Tags: []string{"status"},
		Summary:     "Can this computer work, and if not, what is the next step?",
		Description: "The last report, or a new one when there is none yet; that takes as long as a boot.",
	}, func(ctx context.Context, _ *none) (*body[setup.Report], error) {
		return ok(svc.Status(ctx, false))
	})
	handle(a, huma.Operation{
		OperationID: "checkStatus", Method: http.MethodPost, Path: "/api/status/check", Tags: []string{"status"},
		Summary: "Look at everything again, the proof boot included",
	}, func(ctx context.Context, _ *none) (*body[setup.Report], error) {
		return ok(svc.Status(ctx, true))
	})
	handle(a, huma.Operation{
		OperationID: "setSlowMode", Method: http.MethodPost, Path: "/api/settings/slow-mode", Tags: []string{"status"},
		Summary: "Work without acceleration, by choice",
	}, func(ctx context.Context, in *input[SwitchRequest]) (*body[setup.Report], error) {
		return ok(svc.SetSlowMode(ctx, in.Body.On))
	})
	handle(a, huma.Operation{
		OperationID: "getMachines", Method: http.MethodGet, Path: "/api/machines", Tags: []string{"machines"},
		Summary: "How is this computer shared out among the machines of tasks?",
	}, func(ctx context.Context, _ *none) (*body[machines.Machines], error) {
		return ok(svc.Machines(ctx))
	})
	handle(a, huma.Operation{
		OperationID: "prepareMachines", Method: http.MethodPost, Path: "/api/machines/prepare", Tags: []string{"machines"},
		Summary:     "Make ready, now, what lets machines be there at once",
		Description: "Answers when that is done, or says why it cannot be. It is done without being asked when nobody needs the computer.",
	}, func(ctx context.Context, _ *none) (*body[machines.Machines], error) {
		return ok(svc.PrepareMachines(ctx))
	})
	handle(a, huma.Operation{
		OperationID: "setMachines", Method: http.MethodPost, Path: "/api/settings/machines", Tags: []string{"machines"},
		Summary: "Choose how much of this computer the machines of tasks get",
	}, func(ctx context.Context, in *input[machines.Settings]) (*body[machines.Machines], error) {
		return ok(svc.SetMachines(ctx, in.Body))
	})
	handle(a, huma.Operation{
		OperationID: "verifyAudit", Method: http.MethodGet, Path: "/api/audit/verify", Tags: []string{"status"},
		Summary: "Does the chain of the audit log hold?",
	}, func(ctx context.Context, _ *none) (*body[audit.Report], error) {
		return ok(svc.AuditVerify(ctx))
	})
}

func (a *API) registerSelf() {
	handle(a, huma.Operation{
		OperationID: "getHealth", Method: http.MethodGet, Path: "/_health", Tags: []string{"self"},
		Summary: "The program listens",
	}, func(context.Context, *none) (*body[Health], error) {
		return ok(Health{Status: "ok", UptimeMS: time.Since(a.start).Milliseconds()}, nil)
	})
	handle(a, huma.Operation{
		OperationID: "getManifest", Method: http.MethodGet, Path: "/_manifest", Tags: []string{"self"},
		Summary: "What this program is, and which tools its runtime has",
	}, func(ctx context.Context, _ *none) (*body[About], error) {
		inUse, err := a.packInUse(ctx)
		if err != nil { // what this program is can be said all the same
			a.log.Warn("api: the pack in use is not known", "request", tasks.RequestID(ctx), "error", err)
		}
		return ok(About{
			Pack: inUse,
			Name: "piwork", Version: a.opts.Version, API: apiVersion, Developer: a.opts.Developer,
			OS: runtime.GOOS, Arch: runtime.GOARCH, Window: a.opts.Shell != nil, OAS: "/openapi.yaml",
		}, nil)
	})
	a.mux.HandleFunc("GET /openapi.yaml", func(w http.ResponseWriter, r *http.Request) {
		doc, err := a.Document()
		if err != nil {
			writeError(w, r, simple(http.StatusInternalServerError, problem.CodeUnknown, err.Error()))
			return
		}
		w.Header().Set("Content-Type", "application/openapi+yaml")
		_, _ = w.Write(doc)
	})
}

// OpenAPI is the document. It is not to be changed.
func (a *API) OpenAPI() *huma.OpenAPI { return a.huma.OpenAPI() }

// Document is the OpenAPI 3.1 document, as YAML.
func (a *API) Document() ([]byte, error) {
	a.specOnce.Do(func() { a.spec, a.specErr = a.OpenAPI().YAML() })
	return a.spec, a.specErr
}
