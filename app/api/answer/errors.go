// Package answer has answers of the API as they leave: errors, JSON, events, files, and the
// words that people read in them.
//
// Every error is an [Error], problem+json (RFC 9457) with the members of problem.Problem; its
// type is urn:piwork:problem:<code>, its instance the request. In JSON no list and no object is
// null. Whatever has a code gets its words beside it (app/words), in the language that the
// request asked for ([WithLanguage]): records below the API have codes alone. A stream of
// events ([EventWriter]) is written in bursts, and an event that many read is encoded once
// for each language ([Encoded]). A file that programs of a guest made is given as what it is
// said to be, and nothing in it runs ([ServeFile]).
package answer

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"piwork/app/api/door"
	"piwork/app/problem"
	"piwork/app/task"
)

// Codes of problems that arise in the API only; the others are in
// package problem.
const (
	CodeUnauthorized = problem.CodeUnauthorized
	CodeForbidden    = "forbidden" // a foreign host or origin
	CodeTooLarge     = "too-large" // the body is over the limit

	CodeTooManyRequests    = "too-many-requests" // see ListenerLimits
	CodeTooManyConnections = "too-many-connections"
	CodeTooManyStreams     = "too-many-streams"

	CodeIdempotency = "idempotency" // a key of a request that is not done; the cause is a replay.Reason

	CodeNoWindow  = "no-window"  // needs a window, and there is none
	CodeNoProcess = "no-process" // the controller is part of another program, which ends it
)

const typePrefix = "urn:piwork:" // of Error.Type and Error.Instance

// What answers say in headers.
const (
	ProblemJSON     = "application/problem+json" // media type of errors
	RequestIDHeader = "X-Request-Id"             // of every answer
)

// Error is the body of every answer that is not a success: problem details of
// RFC 9457, extended by the members of a Problem.
type Error struct {
	Type     string              `json:"type" doc:"urn:piwork:problem:<code>"`
	Title    string              `json:"title" doc:"what happened, in the language of Accept-Language"`
	Status   int                 `json:"status"`
	Detail   string              `json:"detail,omitempty" doc:"what it means and what to do, likewise"`
	Instance string              `json:"instance,omitempty" doc:"urn:piwork:request:<x-request-id>"`
	Errors   []*huma.ErrorDetail `json:"errors,omitempty" doc:"what does not fit, for a bad request: the first hundred"`
	problem.Problem
}

// Error implements error.
func (e *Error) Error() string {
	if e.Detail != "" {
		return e.Code + ": " + e.Detail
	}
	return e.Problem.Error()
}

// Unwrap gives the Problem, so that errors.As finds it.
func (e *Error) Unwrap() error { return &e.Problem }

// GetStatus implements huma.StatusError.
func (e *Error) GetStatus() int { return e.Status }

// comeBackAfter is said of what is over within seconds, or starts anew, in seconds.
const comeBackAfter = "5"

// GetHeaders implements huma.HeadersError.
func (e *Error) GetHeaders() http.Header {
	switch e.Code {
	case problem.CodeShuttingDown, problem.CodeMoving:
		if e.Cause == "ended" { // it had begun: nobody asks for it again unseen
			return nil
		}
		return http.Header{"Retry-After": {comeBackAfter}}
	case CodeUnauthorized:
		return http.Header{"Www-Authenticate": {"Bearer"}}
	}
	return nil
}

// ContentType implements huma.ContentTypeFilter.
func (e *Error) ContentType(string) string { return ProblemJSON }

// ProblemType is the type of a problem with a code, as RFC 9457 has types.
func ProblemType(code string) string { return typePrefix + "problem:" + code }

// NewError makes an Error of a problem.
func NewError(status int, p *problem.Problem, detail string) *Error {
	e := &Error{
		Type:    ProblemType(p.Code),
		Title:   http.StatusText(status),
		Status:  status,
		Detail:  detail,
		Problem: *p,
	}
	if e.Fix == nil {
		e.Fix = []problem.Fix{}
	}
	if e.Details == "" && detail != p.Code { // the code alone is no evidence
		e.Details = detail
	}
	return e
}

// Simple makes an Error of a code that needs nothing more.
func Simple(status int, code, detail string) *Error {
	return NewError(status, &problem.Problem{Code: code, Severity: problem.Failed, Details: detail}, detail)
}

// NoOperation is the answer to what is no operation of the API.
func NoOperation(r *http.Request) *Error {
	asked := r.Method + " " + r.URL.Path
	return NewError(http.StatusNotFound, problem.New(problem.CodeNotFound).With("operation", asked), asked)
}

// TooLarge is the answer to what is larger than a number of bytes.
func TooLarge(limit int64, detail string) *Error {
	return NewError(http.StatusRequestEntityTooLarge, problem.New(CodeTooLarge).With("limit", limit), detail)
}

// FromService turns an error of the service into the answer.
func FromService(err error) *Error {
	if e, is := errors.AsType[*Error](err); is {
		return e
	}
	p := problem.From(err)
	if own, is := errors.AsType[interface {
		error
		Problem() *problem.Problem
	}](err); is && p.Code == problem.CodeUnknown {
		p = own.Problem() // of a client, in whose name this API answers
	}
	return NewError(StatusOf(p), p, err.Error())
}

// statuses of classes of problems.
var statuses = map[problem.Class]int{
	problem.ClassUsage:    http.StatusBadRequest,
	problem.ClassNotFound: http.StatusNotFound,
	problem.ClassSetup:    http.StatusServiceUnavailable,
	problem.ClassDenied:   http.StatusForbidden,
	problem.ClassVerify:   http.StatusUnprocessableEntity,
	problem.ClassConflict: http.StatusConflict,
	problem.ClassCancel:   http.StatusConflict,
}

// StatusOf is the status of HTTP for a problem.
func StatusOf(p *problem.Problem) int {
	switch p.Code {
	case problem.CodeUnknown:
		return http.StatusInternalServerError
	case problem.CodeFileChanged, problem.CodeChanged:
		return http.StatusPreconditionFailed
	case problem.CodeShuttingDown, problem.CodeMoving:
		return http.StatusServiceUnavailable
	case CodeUnauthorized:
		return http.StatusUnauthorized
	case CodeForbidden:
		return http.StatusForbidden
	case CodeTooLarge:
		return http.StatusRequestEntityTooLarge
	case CodeTooManyRequests, CodeTooManyConnections, CodeTooManyStreams:
		return http.StatusTooManyRequests
	case CodeNoWindow, CodeNoProcess:
		return http.StatusNotImplemented
	}
	if s, ok := statuses[p.Class()]; ok {
		return s
	}
	return http.StatusUnprocessableEntity
}

// Statuses are all that a problem can be answered with.
func Statuses(p *problem.Problem) []int {
	switch p.Code {
	case problem.CodeBadRequest: // no request, one that stopped coming, a body of another type, a range that a file does not have, what does not fit
		return []int{http.StatusBadRequest, http.StatusRequestTimeout, http.StatusUnsupportedMediaType, http.StatusRequestedRangeNotSatisfiable, http.StatusUnprocessableEntity}
	case CodeIdempotency: // no key, one of a request that is not over, one of another request
		return []int{http.StatusBadRequest, http.StatusConflict, http.StatusUnprocessableEntity}
	}
	return []int{StatusOf(p)}
}

// maxErrors is how much of what does not fit is said of a request.
const maxErrors = 100

// Invalid is what huma itself reports: a request that does not fit.
func Invalid(status int, msg string, errs ...error) huma.StatusError {
	code := problem.CodeUnknown
	if slices.ContainsFunc(errs, func(err error) bool { return errors.As(err, new(door.BrokenBody)) }) {
		status = http.StatusBadRequest // huma takes it for a fault of the server
	}
	switch {
	case status == http.StatusRequestEntityTooLarge:
		code = CodeTooLarge
	case status == http.StatusNotFound:
		code = problem.CodeNotFound
	case status >= 400 && status < 500:
		code = problem.CodeBadRequest
	}
	e := Simple(status, code, msg)
	for _, err := range errs[:min(len(errs), maxErrors)] {
		if err == nil {
			continue
		}
		var d huma.ErrorDetailer
		if errors.As(err, &d) {
			detail := *d.ErrorDetail()
			detail.Value = nil // it may be a secret
			e.Errors = append(e.Errors, &detail)
		} else {
			e.Errors = append(e.Errors, &huma.ErrorDetail{Message: err.Error()})
		}
	}
	return e
}

// huma takes the form of errors and of nil slices from package variables.
func init() {
	huma.NewError = Invalid
	huma.NewErrorWithContext = func(ctx huma.Context, status int, msg string, errs ...error) huma.StatusError {
		err := Invalid(status, msg, errs...)
		if e, ok := err.(*Error); ok && ctx != nil {
			if op := ctx.Operation(); e.Code == CodeTooLarge && op != nil {
				e.Params = map[string]any{"limit": op.MaxBodyBytes}
			}
			e.Instance = Instance(ctx.Context())
		}
		return err
	}
	huma.DefaultArrayNullable = false // see NoNull
}

// Instance names the request that an error answers.
func Instance(ctx context.Context) string {
	if id := task.RequestID(ctx); id != "" {
		return typePrefix + "request:" + id
	}
	return ""
}

// Write answers outside of huma.
func Write(w http.ResponseWriter, r *http.Request, e *Error) {
	e.Instance = Instance(r.Context())
	for name, values := range e.GetHeaders() {
		w.Header()[name] = values
	}
	w.Header().Set("Content-Type", ProblemJSON)
	w.WriteHeader(e.Status)
	_ = WriteJSON(w, InWords(Language(r.Context()), e)) // the client is gone
}
