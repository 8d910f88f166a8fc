package api

import (
	"context"
	"net/http"
	"runtime"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"piwork/app/api/answer"
	"piwork/app/api/docs"
	"piwork/app/api/door"
	"piwork/app/health"
	"piwork/app/machines"
	"piwork/app/problem"
	"piwork/app/runtimepack"
	"piwork/app/setup"
	"piwork/app/task"
	"piwork/app/words"
	"piwork/pack/spec"
)

// statusService has whether this computer can work, and its machines.
type statusService interface {
	Status(ctx context.Context, recheck bool) (setup.Report, error)
	SlowMode(context.Context) (health.SlowMode, error)
	SetSlowMode(context.Context, health.SlowMode) (setup.Report, error)
	Mend(context.Context, health.MendRequest) (health.Mended, error)
	Machines(context.Context) (machines.Machines, error)
	SetMachines(context.Context, machines.Settings) (machines.Machines, error)
	PrepareMachines(context.Context) (machines.Machines, error)
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

	Limits *ListenerLimits `json:"limits,omitempty" doc:"of the listener that the request came through; 429 above them"`
	Pack   *PackTools      `json:"pack,omitempty" doc:"the runtime in use; absent where none is"`
}

// PackTools says what operations work with.
type PackTools struct {
	Version  string      `json:"version"`
	Checksum string      `json:"checksum" doc:"SHA-256 of the signed manifest, which covers every file"`
	Tools    []spec.Tool `json:"tools" doc:"programs of the pack and of its add-ons, their versions and what they are used for"`
}

// packInUse is what tasks run on now, nil where nothing can be.
func (a *API) packInUse(ctx context.Context) (*PackTools, error) {
	packs, err := a.service.Packs(ctx)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(packs, func(p runtimepack.Info) bool { return p.Current && p.Problem == nil })
	if at < 0 {
		return nil, nil
	}
	tools := slices.Clone(packs[at].Tools)
	addOns, err := a.service.AddOns(ctx)
	for _, a := range addOns {
		if a.Usable {
			tools = append(tools, a.Tools...)
		}
	}
	return &PackTools{Version: packs[at].Version, Checksum: packs[at].Checksum, Tools: tools}, err
}

var statusOperations = []operation{
	{"getStatus", "GET /v1/status", "Can this computer work, and if not, what is the next step?",
		"The last report, or a new one when there is none yet; that takes as long as a boot.", status(false).needing(needNothing)},
	{"checkStatus", "POST /v1/status/check", "Look at everything again, the proof boot included", "", status(true)},
	{"getSlowMode", "GET /v1/settings/slow-mode", "Was it chosen to work without acceleration?", "", get(Service.SlowMode)},
	{"setSlowMode", "POST /v1/settings/slow-mode", "Work without acceleration, by choice", "A program with a token cannot.", send(Service.SetSlowMode).needing(needPerson)},
	{"mend", "POST /v1/status/mend", "Have the system ask for an administrator, and run what the last report says of a fix",
		"Only what stands in a report as `runs` can be run, and the person sees it before. Answers when the person did. Afterwards everything is looked at again.", send(Service.Mend).failing(problem.CodeNotMended)},
}

func status(recheck bool) handler {
	return call(Service.Status, func(a *API, ctx context.Context, _ *none) (setup.Report, error) {
		return a.service.Status(ctx, recheck)
	})
}

var machineOperations = []operation{
	{"getMachines", "GET /v1/machines", "How is this computer shared out among the machines of tasks?", "", get(Service.Machines)},
	{"prepareMachines", "POST /v1/machines/prepare", "Make ready, now, what lets machines be there at once",
		"Answers when that is done, or says why it cannot be. It is done without being asked when nobody needs the computer.", get(Service.PrepareMachines).failing(problem.CodeAccelUnavailable, problem.CodeBootFailed, problem.CodeKeyRevoked, problem.CodeNoInstant, problem.CodeNoRoom, problem.CodeNotChecked, problem.CodePackCorrupt, problem.CodePackMissing, problem.CodePackTooNew)},
	{"setMachines", "POST /v1/settings/machines", "Choose how much of this computer the machines of tasks get", "", send(Service.SetMachines).failing(problem.CodeMachineSettings)},
}

var selfOperations = []operation{
	{"getHealth", "GET /_health", "The program listens", "",
		call(nil, func(a *API, _ context.Context, _ *none) (Health, error) {
			return Health{Status: "ok", UptimeMS: time.Since(a.start).Milliseconds()}, nil
		})},
	{"getManifest", "GET /_manifest", "What this program is, and which tools its runtime has", "",
		call(nil, func(a *API, ctx context.Context, _ *none) (About, error) {
			inUse, err := a.packInUse(ctx)
			if err != nil { // what this program is can be said all the same
				a.log.Warn("api: the pack in use is not known", "request", task.RequestID(ctx), "error", err)
			}
			var limits *ListenerLimits
			if v := door.Of(ctx); v != nil {
				limits = v.Limits()
			}
			return About{
				Pack: inUse, Limits: limits,
				Name: "piwork", Version: a.opts.Version, API: apiVersion, Developer: a.opts.Developer,
				OS: runtime.GOOS, Arch: runtime.GOARCH, Window: a.opts.Shell != nil, OAS: "/openapi.yaml",
			}, nil
		})},
}

// serveDocument answers with the document.
func (a *API) serveDocument(w http.ResponseWriter, r *http.Request) {
	doc, err := a.Document()
	if err != nil {
		answer.Write(w, r, answer.Simple(http.StatusInternalServerError, problem.CodeUnknown, err.Error()))
		return
	}
	w.Header().Set("Content-Type", "application/openapi+yaml")
	_, _ = w.Write(doc)
}

// serveReference shows the document to people.
func serveReference(a *API) http.HandlerFunc {
	needs := map[string]string{}
	for _, o := range Operations() {
		needs[o.ID] = o.Need
	}
	return docs.Handler(func(c *words.Catalogue) docs.Reference {
		return docs.New(a.OpenAPI(), needs, docs.Problems(c, answer.Statuses))
	}, func(r *http.Request) *words.Catalogue { return answer.Language(r.Context()) })
}

// OpenAPI is the document. It is not to be changed.
func (a *API) OpenAPI() *huma.OpenAPI { return a.openAPI() }

// Document is the OpenAPI 3.1 document, as YAML.
func (a *API) Document() ([]byte, error) {
	a.specOnce.Do(func() { a.spec, a.specErr = a.OpenAPI().YAML() })
	return a.spec, a.specErr
}
