package api

import (
	"context"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"piwork/app/api/paging"
	"piwork/app/attach"
	"piwork/app/problem"
	"piwork/app/sessions"
	"piwork/app/task"
	"piwork/vmhost/wire"
)

// sessionService has the programs that people keep in the places of tasks.
type sessionService interface {
	CreateSession(ctx context.Context, task string, r sessions.Request) (sessions.Session, error)
	Sessions(ctx context.Context, task string) ([]sessions.Session, error)
	Session(ctx context.Context, id string) (sessions.Session, error)
	RunInSession(ctx context.Context, id string, r sessions.RunRequest) (sessions.RunResult, error)
	AttachSession(ctx context.Context, id string, r sessions.AttachRequest) (attach.Conn, error)
	ReadSession(ctx context.Context, id string, r sessions.OutputRequest) (sessions.Output, error)
	WriteSession(ctx context.Context, id string, r sessions.InputRequest) (sessions.Session, error)
	ResizeSession(ctx context.Context, id string, size wire.TerminalSize) (sessions.Session, error)
	SignalSession(ctx context.Context, id string, r sessions.SignalRequest) (sessions.Session, error)
	CloseSession(ctx context.Context, id string) (sessions.Session, error)
}

// SessionRef names a session.
type SessionRef struct {
	ID string `path:"session" maxLength:"64" doc:"id of the session"`
}

// ofSession is an operation with a body on one session.
type ofSession[T any] struct {
	SessionRef
	Body T
}

// sessionOperations need the scope tasks: an AI task of its own is no way for a program to run
// others, nor is a session that the person has there.
var sessionOperations = []operation{
	{"createSession", "POST /v1/tasks/{id}/sessions", "Start a shell or a program in the workroom of a task, which stays when its clients go",
		"For a task that runs a program or an AI, or one that was started as open. Answers when the program runs; a task that gets ready is waited for. " +
			"The values of secrets are passed to the program and written down nowhere.",
		call(Service.CreateSession, func(a *API, ctx context.Context, in *struct {
			TaskRef
			Body *sessions.Request
		}) (sessions.Session, error) {
			return a.service.CreateSession(ctx, in.ID, orZero(in.Body))
		}).waiting().created().failing(ofPlace...).failing(ofKeys...).failing(problem.CodeAddOnMissing, problem.CodeFolderGone, problem.CodeModelFailed, problem.CodeNoModel, problem.CodeNoSessions, problem.CodeServiceSecret, problem.CodeSessionBusy, problem.CodeStartFailed, problem.CodeUnknownModel, problem.CodeUnknownService)},
	{"listSessions", "GET /v1/sessions", "Sessions, the oldest first", "One that is over is listed until it is closed, for a few minutes.",
		pages(Service.Sessions, func(a *API, ctx context.Context, in *struct {
			paging.Request
			Task string `query:"task" maxLength:"64" doc:"only of this task"`
		}) ([]sessions.Session, error) {
			all, err := a.service.Sessions(ctx, in.Task)
			return onlySeen(ctx, a.service, all, func(s sessions.Session) string { return s.Task }), err
		}, func(s sessions.Session) string { return s.ID })},
	{"getSession", "GET /v1/sessions/{session}", "One session", "",
		call(Service.Session, func(a *API, ctx context.Context, in *SessionRef) (sessions.Session, error) {
			return a.service.Session(ctx, in.ID)
		}).failing(problem.CodeNotFound)},
	{"runInSession", "POST /v1/sessions/{session}/run", "Have a shell do a command, and wait for its end",
		"Directory, variables and background programs stay for the next one. A conflict where another command runs, and for what is no shell or is on a terminal. " +
			"Of longer output than 1 MiB the answer has the begin, and the task gets a result with all of it. Ends by itself when the session does.",
		call(Service.RunInSession, func(a *API, ctx context.Context, in *ofSession[sessions.RunRequest]) (sessions.RunResult, error) {
			return a.service.RunInSession(ctx, in.ID, in.Body)
		}).waiting().failing(problem.CodeNotFound, problem.CodeRuntimeUnfit, problem.CodeSessionBusy, problem.CodeSessionOver, problem.CodeSessionUnfit)},
	{"attachSession", "GET /v1/sessions/{session}/attach", "Join the output, the input and the terminal of a session",
		"A WebSocket as that of attachTask. It begins with the output that is kept. Between messages with output one may say skipped (bytes that came faster than they were read) " +
			"or taken (another client writes from now on).",
		do(Service.AttachSession, func(a *API, ctx context.Context, in *sessionAttach) (*huma.StreamResponse, error) {
			return attachSession(ctx, a, in)
		}).switching("A WebSocket").needing(needTasks).failing(problem.CodeNotFound, problem.CodeSessionBusy)},
	{"readSession", "GET /v1/sessions/{session}/output", "Read the output of a session where a WebSocket cannot pass",
		"Answers at once when there is output, and asks to be asked again from at and the length of data. Who asks counts as a reader.",
		call(Service.ReadSession, func(a *API, ctx context.Context, in *struct {
			SessionRef
			sessions.OutputRequest
		}) (sessions.Output, error) {
			return a.service.ReadSession(ctx, in.ID, in.OutputRequest)
		}).needing(needTasks).failing(problem.CodeNotFound, problem.CodeSessionBusy)},
	{"writeSession", "POST /v1/sessions/{session}/input", "Type into a session where a WebSocket cannot pass",
		"Whoever types has the lease to, where nobody else has it: a conflict then. Waits until the program has room.",
		call(Service.WriteSession, func(a *API, ctx context.Context, in *ofSession[sessions.InputRequest]) (sessions.Session, error) {
			return a.service.WriteSession(ctx, in.ID, in.Body)
		}).waiting().failing(problem.CodeNotFound, problem.CodeSessionBusy, problem.CodeSessionOver)},
	{"resizeSession", "POST /v1/sessions/{session}/resize", "Change the size of a session's terminal",
		"For programs that steer it, with or without the lease to write. Whoever shows the terminal changes it only while they have the lease, as a WebSocket does by itself.",
		call(Service.ResizeSession, func(a *API, ctx context.Context, in *ofSession[wire.TerminalSize]) (sessions.Session, error) {
			return a.service.ResizeSession(ctx, in.ID, in.Body)
		}).failing(problem.CodeNotFound, problem.CodeSessionUnfit)},
	{"signalSession", "POST /v1/sessions/{session}/signal", "Send a signal to the programs of a session", "",
		call(Service.SignalSession, func(a *API, ctx context.Context, in *ofSession[sessions.SignalRequest]) (sessions.Session, error) {
			return a.service.SignalSession(ctx, in.ID, in.Body)
		}).failing(problem.CodeNotFound, problem.CodeSessionOver)},
	{"closeSession", "DELETE /v1/sessions/{session}", "End a session with everything that it started",
		"Answers how it ended. The last one of a task that was started as open ends the task.",
		call(Service.CloseSession, func(a *API, ctx context.Context, in *SessionRef) (sessions.Session, error) {
			return a.service.CloseSession(ctx, in.ID)
		}).failing(problem.CodeNotFound)},
}

// sessionAttach is a request to be attached to a session.
type sessionAttach struct {
	SessionRef
	sessions.AttachRequest
}

// attachSession switches the connection to a WebSocket.
func attachSession(ctx context.Context, a *API, in *sessionAttach) (*huma.StreamResponse, error) {
	c, err := a.service.AttachSession(ctx, in.ID, in.AttachRequest)
	if err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		r, w := humago.Unwrap(hc)
		err := serveAttached(w, r.WithContext(ctx), c, true) // it never waits for a client
		a.log.Debug("api: no longer attached", "request", task.RequestID(ctx), "session", in.ID, "reason", err)
	}}, nil
}
