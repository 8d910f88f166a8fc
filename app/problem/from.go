package problem

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"strings"

	"piwork/pack/durable"
)

// From turns an error into the problem that a person sees. A *Problem stays
// itself; typed errors of the rooms below have their codes in the tables of
// this package; every other error is CodeUnknown with its text as evidence.
// From(nil) is nil.
func From(err error) *Problem {
	if err == nil {
		return nil
	}
	var p *Problem
	if errors.As(err, &p) {
		return p
	}
	// fromUpdate is before fromPack: a download that is not what was signed has the VerifyError
	// of its chunk inside.
	for _, table := range []func(error) *Problem{fromCause, fromUpdate, fromPack, fromRelocate, fromShare, fromRuntime, fromQEMU, fromWire, fromGateway, fromKeys, fromOS} {
		if p := table(err); p != nil {
			if p.Details == "" {
				p.Details = err.Error()
			}
			return p
		}
	}
	return New(CodeUnknown).Because(err)
}

// BadRequest is the problem of a request whose member field makes no sense; the format
// says why.
func BadRequest(field, format string, args ...any) *Problem {
	return New(CodeBadRequest).With("field", field).Because(fmt.Errorf("%s: "+format, append([]any{field}, args...)...))
}

// CheckPath refuses what is no absolute path: of whoever asks, nobody here knows the working
// directory.
func CheckPath(field, p string) error {
	if !filepath.IsAbs(p) || strings.IndexByte(p, 0) >= 0 {
		return BadRequest(field, "%q is not an absolute path", p)
	}
	return nil
}

// New makes the problem of a code: severity, cause and fixes from the table,
// Failed and no fix for a code that has no entry.
func New(code string) *Problem {
	p := &Problem{Code: code, Severity: Failed, Fix: []Fix{}}
	if d, ok := defaults[code]; ok {
		if d.severity != "" {
			p.Severity = d.severity
		}
		for _, f := range d.fix {
			p.Fix = append(p.Fix, fix(f))
		}
	}
	return p
}

// With sets a parameter and returns p. A nil value sets nothing.
func (p *Problem) With(name string, value any) *Problem {
	if value == nil {
		return p
	}
	if p.Params == nil {
		p.Params = map[string]any{}
	}
	p.Params[name] = value
	return p
}

// By sets the cause and returns p.
func (p *Problem) By(cause string) *Problem {
	p.Cause = cause
	return p
}

// Weigh sets the severity and returns p.
func (p *Problem) Weigh(s Severity) *Problem {
	p.Severity = s
	return p
}

// Because sets the evidence and returns p.
func (p *Problem) Because(err error) *Problem {
	if err != nil {
		p.Details = err.Error()
	}
	return p
}

// Clone returns a copy that shares nothing that With changes.
func (p *Problem) Clone() *Problem {
	c := *p
	c.Params = maps.Clone(p.Params)
	return &c
}

// fromOS knows what every operating system says alike. It comes last: a room's
// own error says more.
func fromOS(err error) *Problem {
	var p *Problem
	switch {
	case errors.Is(err, context.Canceled):
		p = New(CodeCancelled)
	case errors.Is(err, context.DeadlineExceeded):
		p = New(CodeTimeout)
	case durable.IsFull(err):
		p = New(CodeDiskFull)
	case isReadOnlyFS(err):
		p = New(CodeOutputDenied).By("locked")
		p.Fix = Fixes(FixPickFolder)
	case errors.Is(err, fs.ErrPermission):
		p = New(CodePermission)
	default:
		return nil
	}
	if path, is := errors.AsType[*fs.PathError](err); is {
		p = p.With("path", path.Path)
	}
	return p
}

// sentinel is an error of a room below that has nothing more to say, and its problem.
type sentinel struct {
	err         error
	code, cause string
	fix         []string // none is that of the code
}

func when(err error, code, cause string, fix ...string) sentinel {
	return sentinel{err, code, cause, fix}
}

// fromSentinel finds the first of a list that an error is.
func fromSentinel(err error, list []sentinel) *Problem {
	for _, s := range list {
		if errors.Is(err, s.err) {
			p := New(s.code).By(s.cause)
			if len(s.fix) > 0 {
				p.Fix = Fixes(s.fix...)
			}
			return p
		}
	}
	return nil
}

// NotRecorded says that an execution could not be recorded.
func NotRecorded(err error) error {
	if p := From(err); p.Code == CodeDiskFull {
		return p
	}
	return New(CodeAuditFailed).Because(err)
}
