package api

import (
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"path"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/Masterminds/semver/v3"
	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"piwork/app/api/answer"
	"piwork/app/api/condition"
	"piwork/app/api/door"
	"piwork/app/api/replay"
	"piwork/app/api/toolroute"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/telemetry"
)

// Options of an API. The zero value of everything but Service is valid.
type Options struct {
	Service   Service
	Shell     Shell   // nil without a window
	Window    Window  // nil without a window
	Copies    *Copies // of results that a Shell opens; not nil where there is one
	Clients   Clients // who has a token; nil is nobody
	Process   Process // nil when it is not to be ended from here
	Pages     fs.FS   // the built front end, for windows of other processes; nil: none
	Version   string  // of piwork
	Developer bool    // a build for developers
	Log       *slog.Logger
	Telemetry *telemetry.Telemetry // nil counts nothing

	Admitted func(http.Handler) http.Handler // is around what answers those who may ask; nil: nothing

	Heartbeat time.Duration // between comments on an idle stream; 0 is 15 s
	HoldGrace time.Duration // see HoldGrace; 0 is HoldGrace
	Stall     time.Duration // how long a sender of files and a reader of an answer may stop, and a page may take; 0 is 30 s

	BodyWithin time.Duration // in which any other body has to be sent; 0 is 10 s
}

// API is the handler and what it keeps between requests.
type API struct {
	opts    Options
	service Service
	mux     *http.ServeMux
	endless map[string]bool // patterns of mux whose answers are streams
	log     *slog.Logger
	holds   *holds
	encoded answer.Encoded
	tools   *toolroute.Server
	start   time.Time

	admitted http.Handler // route, within Options.Admitted

	openAPI  func() *huma.OpenAPI
	specOnce sync.Once
	spec     []byte
	specErr  error
}

// New makes an API. Close ends what it started.
func New(o Options) *API {
	if o.Heartbeat <= 0 {
		o.Heartbeat = 15 * time.Second
	}
	if o.HoldGrace <= 0 {
		o.HoldGrace = HoldGrace
	}
	if o.Stall <= 0 {
		o.Stall = 30 * time.Second
	}
	if o.BodyWithin <= 0 {
		o.BodyWithin = 10 * time.Second
	}
	if o.Log == nil {
		o.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	a := &API{
		opts:    o,
		service: o.Service,
		mux:     http.NewServeMux(),
		endless: map[string]bool{},
		log:     o.Log,
		holds:   newHolds(o.HoldGrace),
		encoded: answer.NewEncoded(),
		start:   time.Now(),
	}
	a.tools = &toolroute.Server{Service: o.Service, Log: o.Log, Heartbeat: o.Heartbeat, Stall: o.Stall}
	replayed := replay.New(o.Stall).Handler(http.HandlerFunc(a.route), callerOf, refuseReplay)
	a.admitted = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if a.within(w, r) {
			replayed.ServeHTTP(w, r)
		}
	})
	a.admitted = o.Telemetry.Admitted(a.admitted)
	if o.Admitted != nil {
		a.admitted = o.Admitted(a.admitted)
	}
	a.openAPI = sync.OnceValue(a.document)
	records := http.NewServeMux()
	changes := condition.NewChanges(records, func(w http.ResponseWriter, r *http.Request) {
		answer.Write(w, r, answer.Simple(http.StatusPreconditionFailed, problem.CodeChanged, "the record is not what If-Match or If-None-Match says"))
	})
	for _, r := range routes() {
		h := r.handler(a)
		switch r.kind {
		case routeRecord:
			h = condition.Tagged(h, o.Window != nil || o.Shell != nil)
			records.Handle(r.pattern, h)
		case routeChange, routeChangeAbove:
			h = changes.Handler(h, r.kind == routeChangeAbove, r.waits)
		}
		a.mux.Handle(r.pattern, h)
		a.endless[r.pattern] = r.endless
	}
	a.mux.HandleFunc("GET /openapi.yaml", a.serveDocument)
	a.mux.HandleFunc("GET "+docsPath, serveReference(a))
	a.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		answer.Write(w, r, answer.NoOperation(r))
	})
	return a
}

// Close cancels the tasks that requests hold. Streams end with their requests.
func (a *API) Close() {
	a.holds.closeAll()
}

// Held are the tasks that end with whoever waits for them.
func (a *API) Held() []string { return a.holds.held() }

// Handler serves the whole API to a trusted caller; see the package comment. A request that comes
// with a token is of the program that has it, for those who pass on what others ask.
func (a *API) Handler() http.Handler {
	return a.wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		secret := bearerOf(r)
		if a.opts.Clients == nil || secret == "" {
			a.admitted.ServeHTTP(w, r)
			return
		}
		c, known := a.opts.Clients.Client(secret)
		if !known {
			refuseToken(w, r)
			return
		}
		ctx, done := c.Context(r.Context())
		defer done()
		a.admitted.ServeHTTP(w, r.WithContext(ctx))
	}))
}

// route hands a request to its operation. A path in other words (/./, //, ..) is
// none of this API: the mux would send the caller elsewhere.
func (a *API) route(w http.ResponseWriter, r *http.Request) {
	if p := r.URL.EscapedPath(); path.Clean(p) != strings.TrimSuffix(p, "/") && p != "/" {
		answer.Write(w, r, answer.NoOperation(r))
		return
	}
	if a.opts.Pages != nil && isPage(r.URL.Path) {
		a.soon(w)
		pageHandler(a.opts.Pages).ServeHTTP(w, r)
		return
	}
	a.mux.ServeHTTP(w, r)
}

func config() huma.Config {
	return huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title:   "piwork",
				Version: apiVersion,
				Description: "The local API of piwork. It is served on a socket of the user, in the window, on loopback with a token, and to a network with TLS and a token of each program (listTokens). " +
					"What one listener takes is limited (limits in /_manifest, and RateLimit-Policy of each answer; what is left of it is in RateLimit): 429 with Retry-After says that there are too many requests of a program, large bodies, connections or streams, 413 that a body is too large; nothing was done then. One of JSON has at most 1048576 values, and 65536 lists and objects (400). Programs that wait as long as it says, and then ask again, always get through. 503 with Retry-After says that the program ends or moves its data. " +
					"A POST with an Idempotency-Key that is sent again, byte for byte, is done once, and answered as the first was (Idempotency-Replayed), for a day at most, as long as the process lives and among the last 500 of a program; 422 where the key was another request's, 409 where the first is not over, or its answer was not kept, 400 where its body did not come whole. " +
					"A parameter or a member of a request that an operation does not have is refused (422), lest a wish be ignored; answers may gain members. " +
					"A list that can grow comes in pages of at most 5000: where more follow, the header Link (rel=next) has the address of the next page, whose cursor stays right while entries come and go. " +
					"What GET answers as JSON has a strong ETag: If-None-Match is answered by 304 while nothing changed. If-Match lets a change be done only while the record at its path, or the nearest one above, has that ETag; else it is answered by 412 (changed), and nothing was done. So it is with If-None-Match while the record does not have it: where GET answers at its path, PUT with * makes only what is not there. An ETag is of one Accept-Language. " +
					"What is no success is a problem (application/problem+json), but for a head that HTTP itself refuses: more than 64 KiB (431) or none that can be read (400) are answered in plain text. " +
					"x-problems of an operation are codes of problems of its own; those of the document may come from each.",
				License: &huma.License{Name: "MIT", Identifier: "MIT"},
			},
			Components: &huma.Components{
				Schemas: newRegistry(),
				SecuritySchemes: map[string]*huma.SecurityScheme{
					"bearer": {Type: "http", Scheme: "bearer",
						Description: "On HTTP only: the one that serve prints, or one of createToken, which can do what its scopes say."},
				},
			},
			Security: []map[string][]string{{}, {"bearer": {}}},
		},
		Transformers:  []huma.Transformer{answer.TransformInWords},
		Formats:       map[string]huma.Format{"application/json": answer.JSONFormat, "json": answer.JSONFormat},
		DefaultFormat: "application/json",

		RejectUnknownQueryParameters: true, // what is asked for is never left out in silence
	}
}

// apiVersion is the version of the document, not of the program: it grows with
// every addition, and its first number with a change that breaks clients.
const apiVersion = "1.13.0"

// Speaks reports whether a client of this program can ask a controller whose document has
// that version: one of the same first number that has everything that this one has.
func Speaks(theirs string) bool {
	t, err := semver.NewVersion(theirs)
	ours := semver.MustParse(apiVersion)
	return err == nil && t.Major() == ours.Major() && !t.LessThan(ours)
}

// requestIDFits reports whether a client's id of a request can be used.
func requestIDFits(id string) bool {
	const may = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"
	return id != "" && len(id) <= 64 && strings.Trim(id, may) == ""
}

// wrap gives every answer its request id and turns a panic into an answer.
func (a *API) wrap(next http.Handler) http.Handler {
	next = a.opts.Telemetry.Requests(next)
	return logged{log: a.log, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get(answer.RequestIDHeader)
		if !requestIDFits(id) {
			id = uuid.NewString()
		}
		_ = http.NewResponseController(w).SetWriteDeadline(time.Time{}) // that of the last answer; not there on every carrier
		w = door.NewPatientWriter(w, a.opts.Stall)
		h := w.Header()
		h.Set(answer.RequestIDHeader, id)
		h.Set("Cache-Control", "no-store") // answers are the present state; and a 304, which only who asks for one gets, hangs WebView2
		h.Set("X-Content-Type-Options", "nosniff")
		r = answer.WithLanguage(r.WithContext(task.WithDoor(task.WithRequestID(r.Context(), id), r.Header.Get(ClientHeader))))
		if r.ContentLength != 0 {
			body := door.NewTimedBody(w, r.Body, a.opts.BodyWithin)
			defer body.Done()
			r.Body = body
		}
		if v := door.Of(r.Context()); v != nil {
			v.Asked()
		}
		began := time.Now()
		defer func() {
			if v := recover(); v != nil {
				if v == http.ErrAbortHandler { //nolint:errorlint // it is this very value, see http.Handler
					panic(v) //nolint:forbidigo // net/http takes it
				}
				a.log.Error("api: panic", "request", id, "method", r.Method, "path", r.URL.Path, "panic", v, "stack", string(debug.Stack()))
				answer.Write(w, r, answer.Simple(http.StatusInternalServerError, problem.CodeUnknown, "internal fault, see the log"))
				return
			}
			a.log.Debug("api", "request", id, "method", r.Method, "path", r.URL.Path, "took", time.Since(began))
		}()
		next.ServeHTTP(w, r)
	})}
}

// logged is a handler of this package, with the log of its API.
type logged struct {
	http.Handler
	log *slog.Logger
}

// soon ends the connection unless the answer is read within Options.Stall: nobody keeps one by
// not reading what everybody may ask for. It holds until the next request, since net/http
// writes the rest of an answer when its handler is over.
func (a *API) soon(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(a.opts.Stall))
}
