package api

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"piwork/app/api/answer"
	"piwork/app/api/door"
	"piwork/app/api/paging"
	"piwork/app/api/replay"
	"piwork/app/api/toolroute"
	"piwork/app/task"
	"piwork/app/telemetry"
)

// Service is what the operations ask of a controller. Errors are *problem.Problem
// wherever a person could do something about them.
type Service interface {
	statusService
	auditService
	runtimeService
	remoteService
	secretService
	packService
	updateService
	taskService
	sessionService
	agentService
	actionService
	changeService
	questionService
	policyService
	modelService
	networkService
	mcpServerService
	wizardService
	deskService
	tokenService
	telemetryService

	// Subscribe sends events that f lets through, until cancel is called. A
	// subscriber that does not keep up is closed and subscribes again from its
	// last Seq.
	Subscribe(f task.EventFilter) (events <-chan task.Event, cancel func())
}

// operation is all that is said of one operation of the API. The route, the document,
// the client, the fake for tests and the list of operations are made from it.
type operation struct {
	id, route, summary string // the route is a method and a path
	description        string
	handler
}

// text is the description, with what follows from who may ask.
func (o operation) text() string {
	if o.caller == "" {
		return o.description
	}
	return strings.TrimSpace(o.description + " 501 without a window.")
}

// table lists the operations by their tag, and what they need of a program with a token.
var table = []struct {
	tag        string
	operations []operation
	needs      needs
}{
	{"self", selfOperations, needs{look: needNothing}}, {"self", processOperations, needs{}},
	{"status", statusOperations, needs{}}, {"audit", auditOperations, needs{}}, {"machines", machineOperations, needs{look: needNothing}},
	{"runtimes", runtimeOperations, needs{look: needNothing}}, {"runtimes", remoteOperations, needs{}}, {"services", serviceOperations, needs{needPerson, needPerson}},
	{"packs", packOperations, needs{look: needNothing}}, {"chores", choreOperations, needs{look: needNothing}}, {"updates", updateOperations, needs{}},
	{"tasks", taskOperations, needs{needSee, needAct}}, {"tasks", agentOperations, needs{needSee, needAct}}, {"tasks", actionOperations, needs{needSee, needAct}},
	{"sessions", sessionOperations, needs{needSee, needTasks}}, {"changes", changeOperations, needs{needSee, needAct}}, {"questions", questionOperations, needs{needSee, needDecide}}, {"policy", policyOperations, needs{}},
	{"models", modelOperations, needs{}}, {"network", networkOperations, needs{}}, {"mcp-servers", mcpServerOperations, needs{}}, {"wizard", wizardOperations, needs{}}, {"desk", deskOperations, needs{}},
	{"tokens", tokenOperations, needs{}}, {"telemetry", telemetryOperations, needs{}}, {"window", windowOperations, needs{}}, {"native", nativeOperations, needs{}},
	{"events", eventOperations, needs{look: needSee}}, {"tools", toolOperations, needs{look: needNothing}},
}

// Caller says who may ask for an operation. Others are answered by 501.
type Caller string

// Callers.
const (
	ByAnyone  Caller = "anyone"              // who reaches the API (doc.go)
	ByDialogs Caller = "a page with dialogs" // its program shows those of the system
	ByWindow  Caller = "a window"            // about itself
)

// handler is the work of an operation.
type handler struct {
	caller   Caller // "" is ByAnyone
	need     need   // "" is as in its group
	method   any    // of Service, e.g. Service.Packs; nil where no single one does the work
	input    reflect.Type
	register func(*API, huma.API, huma.Operation)

	status  int
	maxBody int64
	endless bool // its answer is a stream, which counts
	pages   bool // its answer is a list, which comes in pages
	above   bool // it changes the record above its path; what GET gives there is another thing
	waits   bool // for a person or a program, which a change of its record may be needed for
	answers map[string]*huma.Response

	problems []string // of its own: codes that it may answer with
}

// created has a success answered by 201.
func (h handler) created() handler {
	h.status = http.StatusCreated
	return h
}

// only limits who may ask.
func (h handler) only(c Caller) handler {
	h.caller = c
	return h
}

// upTo bounds the body of requests.
func (h handler) upTo(bytes int64) handler {
	h.maxBody = bytes
	return h
}

// ofAbove says that it changes the record above its path.
func (h handler) ofAbove() handler {
	h.above = true
	return h
}

// waiting says that it waits for a person or a program: no other change waits for it.
func (h handler) waiting() handler {
	h.waits = true
	return h
}

// streaming says that a success is a stream of server-sent events, and which.
func (h handler) streaming(description string, schema *huma.Schema) handler {
	h = h.answering("text/event-stream", description, schema)
	h.endless = true
	return h
}

// answering says what a success is where it is no JSON.
func (h handler) answering(media, description string, schema *huma.Schema) handler {
	h.answers = map[string]*huma.Response{"200": {Description: description, Content: map[string]*huma.MediaType{media: {Schema: schema}}}}
	return h
}

// switching says to what a success switches the connection.
func (h handler) switching(description string) handler {
	h.status, h.endless = http.StatusSwitchingProtocols, true
	h.answers = map[string]*huma.Response{"101": {Description: description}}
	return h
}

var binary = &huma.Schema{Type: huma.TypeString, Format: "binary"}

// responses are the answers for one API, which huma adds to.
func (h handler) responses() map[string]*huma.Response {
	out := maps.Clone(h.answers)
	for status, r := range out {
		own := *r
		own.Headers, own.Content = maps.Clone(r.Headers), maps.Clone(r.Content)
		out[status] = &own
	}
	return out
}

// methodName is the name of the method of Service that does the work.
func (h handler) methodName() string {
	if h.method == nil {
		return ""
	}
	name := runtime.FuncForPC(reflect.ValueOf(h.method).Pointer()).Name()
	return name[strings.LastIndexByte(name, '.')+1:]
}

// Operation is what is said of an operation to those who make something of it.
type Operation struct {
	ID, Route, Tag, Summary, Description string

	Caller Caller // who may ask for it
	Need   string // what a program with a token needs

	Method string       // of Service, which does the work; "" where no single one does
	Type   reflect.Type // of that method, with Service first
	Input  reflect.Type // with the parameters and the body of a request
	Pages  bool         // the answer is a list that comes in pages

	Problems []string // codes of its own, sorted; each may answer with those of the program as a whole
}

// Operations lists the operations, but for those on files (package pack/tools).
func Operations() []Operation {
	var out []Operation
	for _, group := range table {
		for _, o := range group.operations {
			out = append(out, Operation{o.id, o.route, group.tag, o.summary, o.text(), cmp.Or(o.caller, ByAnyone), string(group.needs.of(o)), o.methodName(), reflect.TypeOf(o.method), o.input, o.pages, slices.Sorted(slices.Values(o.problems))})
		}
	}
	return out
}

// route is an operation on HTTP.
type route struct {
	pattern  string               // of an http.ServeMux
	register func(*API, huma.API) // puts it on a huma.API, which makes its schemas
	requests []string             // names of schemas that are requests, besides those of package variable requests
	kind     routeKind
	endless  bool     // as of handler
	waits    bool     // likewise
	problems []string // of its own
}

// routeKind is what conditions of requests mean for a route (package condition).
type routeKind int

const (
	routeOther       routeKind = iota
	routeRecord                // its answer has an ETag
	routeChange                // it changes something, if that is still what the request says
	routeChangeAbove           // likewise, and it is no record of its own path
)

// kindOf is that of a route with a handler.
func kindOf(route string, h handler) routeKind {
	switch {
	case h.above:
		return routeChangeAbove
	case !strings.HasPrefix(route, http.MethodGet+" "):
		return routeChange
	case h.answers == nil && !h.endless:
		return routeRecord
	}
	return routeOther
}

// routes are all operations: those of the table and those of the catalogue of tools.
func routes() []route {
	var out []route
	for _, group := range table {
		for _, o := range group.operations {
			out = append(out, route{pattern: o.route, kind: kindOf(o.route, o.handler), waits: o.waits, endless: o.endless, problems: o.problems, register: func(a *API, h huma.API) { o.register(a, h, o.huma(a, group.tag, group.needs)) }})
		}
	}
	return append(out, toolRoutes()...)
}

// handler serves the route. The schemas of all operations take longer to make than
// the rest of a start, and most are never asked for: the first request makes its own.
func (r route) handler(a *API) http.Handler {
	ready := sync.OnceValue(func() http.Handler { return r.alone(a).Adapter() })
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) { ready().ServeHTTP(w, q) })
}

// alone is an API of this route only.
func (r route) alone(a *API) huma.API {
	h := humago.New(&oneRoute{}, config())
	r.register(a, h)
	openAnswers(h.OpenAPI().Components.Schemas, r.requests)
	return h
}

// oneRoute is a humago.Mux of a single route, which was found already.
type oneRoute struct{ http.HandlerFunc }

// HandleFunc implements humago.Mux.
func (o *oneRoute) HandleFunc(_ string, f func(http.ResponseWriter, *http.Request)) {
	o.HandlerFunc = f
}

// document has all operations, and one registry for their schemas.
func (a *API) document() *huma.OpenAPI {
	h := humago.New(http.NewServeMux(), config())
	h.OpenAPI().Tags = append(h.OpenAPI().Tags, &huma.Tag{Name: "tools", Description: toolroute.About})
	h.OpenAPI().Extensions = map[string]any{problemsExtension: every}
	var asked []string
	for _, r := range routes() {
		r.register(a, h)
		tellProblems(h.OpenAPI(), r.pattern, r.problems)
		asked = append(asked, r.requests...)
	}
	openAnswers(h.OpenAPI().Components.Schemas, asked)
	return h.OpenAPI()
}

// huma is the operation as huma has it.
func (o operation) huma(a *API, tag string, n needs) huma.Operation {
	method, path, _ := strings.Cut(o.route, " ")
	return huma.Operation{
		OperationID: o.id, Method: method, Path: path, Tags: []string{tag}, Summary: o.summary, Description: o.text(),
		Middlewares:   o.middlewares(a, n.of(o)),
		DefaultStatus: o.status, MaxBodyBytes: cmp.Or(o.maxBody, door.MaxBody), BodyReadTimeout: -1, // wrap has it
		Responses: o.responses(), Metadata: map[string]any{problemsExtension: o.problems},
	}
}

func (h handler) middlewares(a *API, n need) huma.Middlewares {
	out := huma.Middlewares{a.admit(h.caller), admitClient(a, n)}
	if h.endless {
		out = append(out, a.countStream)
	}
	if h.maxBody > door.MaxBody {
		out = append(out, a.countBody(h.maxBody, h.waits))
	}
	if h.waits {
		out = append(out, begun)
	}
	return out
}

// begun says that an operation which waits may have done some of its work when it is refused.
func begun(ctx huma.Context, next func(huma.Context)) {
	replay.Begun(ctx.Context())
	next(ctx)
}

// admit refuses an operation to who may not ask for it.
func (a *API) admit(c Caller) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		telemetry.Named(ctx.Context(), ctx.Operation().OperationID)
		if c == ByWindow && a.opts.Window == nil || c == ByDialogs && a.opts.Shell == nil {
			r, w := humago.Unwrap(ctx)
			answer.Write(w, r, answer.Simple(http.StatusNotImplemented, answer.CodeNoWindow, "there is no window to ask in"))
			return
		}
		next(ctx)
	}
}

// OfWindow reports whether a request is about the window that it comes from.
func OfWindow(method, path string) bool {
	for _, group := range table {
		for _, o := range group.operations {
			if o.route == method+" "+path {
				return o.caller == ByWindow || o.caller == ByDialogs
			}
		}
	}
	return false
}

// do is a handler whose errors come from the service. O is as huma has it.
func do[I, O any](method any, f func(*API, context.Context, *I) (*O, error)) handler {
	return handler{method: method, input: reflect.TypeFor[I](), register: func(a *API, h huma.API, op huma.Operation) {
		huma.Register(h, op, func(ctx context.Context, in *I) (*O, error) {
			decoded(ctx)
			out, err := f(a, ctx, in)
			if err != nil {
				e := answer.FromService(err)
				e.Instance = answer.Instance(ctx)
				if !foresees(own(&op), e.Code) {
					a.log.Warn(unforeseen, "operation", op.OperationID, "code", e.Code)
				}
				if e.Status >= http.StatusInternalServerError {
					a.log.Warn("api: failed", "request", task.RequestID(ctx), "operation", op.OperationID, "code", e.Code, "error", err)
				}
				return nil, e
			}
			return out, nil
		})
	}}
}

// call answers with an O as JSON.
func call[I, O any](method any, f func(*API, context.Context, *I) (O, error)) handler {
	return do(method, func(a *API, ctx context.Context, in *I) (*body[O], error) {
		out, err := f(a, ctx, in)
		if err != nil {
			return nil, err
		}
		return &body[O]{Body: out}, nil
	})
}

// drop answers with nothing.
func drop[I any](method any, f func(*API, context.Context, *I) error) handler {
	return do(method, func(a *API, ctx context.Context, in *I) (*none, error) {
		return &none{}, f(a, ctx, in)
	})
}

// get is a method that needs to be told nothing.
func get[O any](m func(Service, context.Context) (O, error)) handler {
	return call(m, func(a *API, ctx context.Context, _ *none) (O, error) { return m(a.service, ctx) })
}

// list is a method whose answer comes in pages. Entries have names.
func list[T any](m func(Service, context.Context) ([]T, error), name func(T) string) handler {
	return pages(m, func(a *API, ctx context.Context, _ *paging.Request) ([]T, error) { return m(a.service, ctx) }, name)
}

// pages is call for a list, which comes in pages. I embeds a paging.Request.
func pages[T, I any, P interface {
	*I
	Page() *paging.Request
}](method any, f func(*API, context.Context, *I) ([]T, error), name func(T) string) handler {
	h := do(method, func(a *API, ctx context.Context, in *I) (*page[T], error) {
		all, err := f(a, ctx, in)
		if err != nil {
			return nil, err
		}
		var out page[T]
		out.Body, out.Next, err = paging.Of(P(in).Page(), all, name)
		return &out, err
	})
	h.pages = true
	return h
}

// page is a page of a list.
type page[T any] struct {
	Next string `header:"Link" doc:"rel=next: where the next page is; absent at the end of the list"`
	Body []T
}

// send is a method that is given the body of the request.
func send[B, O any](m func(Service, context.Context, B) (O, error)) handler {
	return call(m, func(a *API, ctx context.Context, in *input[B]) (O, error) { return m(a.service, ctx, in.Body) })
}

// maySend is send for a request that may come without a body.
func maySend[B, O any](m func(Service, context.Context, B) (O, error)) handler {
	return call(m, func(a *API, ctx context.Context, in *optional[B]) (O, error) {
		return m(a.service, ctx, orZero(in.Body))
	})
}

// of is a method about one thing.
func of[R reference, O any](m func(Service, context.Context, string) (O, error)) handler {
	return call(m, func(a *API, ctx context.Context, in *R) (O, error) { return m(a.service, ctx, (*in).id()) })
}

// remove is of for a method that answers with nothing.
func remove[R reference](m func(Service, context.Context, string) error) handler {
	return drop(m, func(a *API, ctx context.Context, in *R) error { return m(a.service, ctx, (*in).id()) })
}

// ofTask is a method about a task.
func ofTask[O any](m func(Service, context.Context, string) (O, error)) handler {
	return of[TaskRef](m)
}

// tell is a method about a task that is given the body of the request.
func tell[B, O any](m func(Service, context.Context, string, B) (O, error)) handler {
	return call(m, func(a *API, ctx context.Context, in *taskInput[B]) (O, error) {
		return m(a.service, ctx, in.ID, in.Body)
	})
}

// body is an answer of JSON.
type body[T any] struct {
	Body T
}

// input is a request of JSON.
type input[T any] struct {
	Body T
}

// optional is a request that may come without a body.
type optional[T any] struct {
	Body *T
}

// orZero is what p points to, or nothing.
func orZero[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// taskInput is a request about a task.
type taskInput[T any] struct {
	TaskRef
	Body T
}

type none = answer.Nothing

// reference is what a path names.
type reference interface{ id() string }

// TaskRef is the path parameter of everything under a task.
type TaskRef struct {
	ID string `path:"id" doc:"id of the task" minLength:"1" maxLength:"64" pattern:"^[0-9A-Za-z-]+$"`
}

func (r TaskRef) id() string { return r.ID }
