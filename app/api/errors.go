package api

import (
	"errors"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"piwork/app/problem"
)

// Codes of problems that arise in this package only; the others are in
// package problem.
const (
	CodeUnauthorized = "unauthorized" // no token, or a wrong one
	CodeForbidden    = "forbidden"    // a foreign host or origin
	CodeTooLarge     = "too-large"    // the body is over the limit

	CodeTooManyRequests    = "too-many-requests" // see ListenerLimits
	CodeTooManyConnections = "too-many-connections"
	CodeTooManyStreams     = "too-many-streams"

	CodeIdempotency = "idempotency" // a key of a request that is not done; the cause is a replay.Reason

	CodeNoWindow  = "no-window"  // needs a window, and there is none
	CodeNoProcess = "no-process" // the controller is part of another program, which ends it
)

const (
	typePrefix      = "urn:piwork:" // of Error.Type and Error.Instance
	problemJSON     = "application/problem+json"
	requestIDHeader = "X-Request-Id"
)

// Error is the body of every answer that is not a success: problem details of
// RFC 9457, extended by the members of a Problem.
type Error struct {
	Type     string              `json:"type" doc:"urn:piwork:problem:<code>"`
	Title    string              `json:"title" doc:"what happened, in the language of Accept-Language"`
	Status   int                 `json:"status"`
	Detail   string              `json:"detail,omitempty" doc:"what it means and what to do, likewise"`
	Instance string              `json:"instance,omitempty" doc:"urn:piwork:request:<x-request-id>"`
	Errors   []*huma.ErrorDetail `json:"errors,omitempty" doc:"what does not fit, for a bad request"`
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

// ContentType implements huma.ContentTypeFilter.
func (e *Error) ContentType(string) string { return problemJSON }

// ProblemType is the type of a problem with a code, as RFC 9457 has types.
func ProblemType(code string) string { return typePrefix + "problem:" + code }

// newError makes an Error of a problem.
func newError(status int, p *problem.Problem, detail string) *Error {
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

// simple makes an Error of a code that needs nothing more.
func simple(status int, code, detail string) *Error {
	return newError(status, &problem.Problem{Code: code, Severity: problem.Failed, Details: detail}, detail)
}

// tooLarge is the answer to what is larger than a number of bytes.
func tooLarge(limit int64, detail string) *Error {
	return newError(http.StatusRequestEntityTooLarge, problem.New(CodeTooLarge).With("limit", limit), detail)
}

// fromService turns an error of the service into the answer.
func fromService(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	p := problem.From(err)
	return newError(statusOf(p), p, err.Error())
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

func statusOf(p *problem.Problem) int {
	switch p.Code {
	case problem.CodeUnknown:
		return http.StatusInternalServerError
	case problem.CodeFileChanged:
		return http.StatusPreconditionFailed
	case problem.CodeShuttingDown, problem.CodeMoving:
		return http.StatusServiceUnavailable
	}
	if s, ok := statuses[problem.ClassOf(p.Code)]; ok {
		return s
	}
	return http.StatusUnprocessableEntity
}

// humaError is what huma itself reports: a request that does not fit.
func humaError(status int, msg string, errs ...error) huma.StatusError {
	code := problem.CodeUnknown
	if slices.ContainsFunc(errs, func(err error) bool { return errors.As(err, new(brokenBody)) }) {
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
	e := simple(status, code, msg)
	for _, err := range errs {
		if err == nil {
			continue
		}
		var d huma.ErrorDetailer
		if errors.As(err, &d) {
			e.Errors = append(e.Errors, d.ErrorDetail())
		} else {
			e.Errors = append(e.Errors, &huma.ErrorDetail{Message: err.Error()})
		}
	}
	return e
}

// huma takes the form of errors and of nil slices from package variables.
func init() {
	huma.NewError = humaError
	huma.NewErrorWithContext = func(ctx huma.Context, status int, msg string, errs ...error) huma.StatusError {
		err := humaError(status, msg, errs...)
		if e, ok := err.(*Error); ok && ctx != nil {
			if op := ctx.Operation(); e.Code == CodeTooLarge && op != nil {
				e.Params = map[string]any{"limit": op.MaxBodyBytes}
			}
			e.Instance = instance(ctx.Context())
		}
		return err
	}
	huma.DefaultArrayNullable = false // see nonull.go
}
