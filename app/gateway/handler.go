package gateway

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"piwork/app/gateway/keys"
	"piwork/app/gateway/provider"
	"piwork/app/telemetry"
)

// bodyStall is how long a guest may take for the next part of its request.
const bodyStall = 5 * time.Minute

// toolsPath begins the addresses of what is no provider; none is of that name.
const toolsPath = "/" + provider.Reserved + "/"

// errPage is why a request of a browser is refused.
var errPage = errors.New("a page of the web asks")

// serve answers one request of the guest. A page that a browser in there shows asks for itself
// and not for the task: no program but a browser sends these headers (Fetch standard).
func (s *Session) serve(w http.ResponseWriter, r *http.Request) {
	if len(r.Header["Origin"]) > 0 || len(r.Header["Sec-Fetch-Site"]) > 0 {
		e := &Error{Code: CodeRefused, Err: errPage}
		refuse(w, "", e)
		s.tell(e)
		return
	}
	if s.o.Tools != nil && strings.HasPrefix(r.URL.Path, toolsPath) {
		s.o.Tools.ServeHTTP(w, r)
		return
	}
	f, began := &forward{s: s, w: w, r: r}, time.Now()
	err := f.run()
	s.answered(f, began, err)
	if err == nil {
		return
	}
	if r.Context().Err() != nil {
		panic(http.ErrAbortHandler) //nolint:forbidigo // net/http's way to end an answer that has none: the guest is gone
	}
	if f.begun {
		s.tell(err)
		panic(http.ErrAbortHandler) //nolint:forbidigo // net/http's way to say that an answer is not whole
	}
	refuse(w, f.op.Protocol, err)
	s.tell(err)
}

// refuse says no, in the shape of the protocol.
func refuse(w http.ResponseWriter, p provider.Protocol, e *Error) {
	status, message := e.answer()
	body := provider.ErrorBody(p, status, string(e.Code), message)
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if status >= 400 && status < 500 {
		h.Set("X-Should-Retry", "false") // providers' own word for it
	}
	if e.Code == CodeTooLarge || e.Code == CodeBusy || e.Code == CodeBadRequest {
		h.Set("Connection", "close") // the rest of the request is not read
	}
	w.WriteHeader(status)
	w.Write(body) //nolint:errcheck // the guest may be gone
}

// forward is one request on its way.
type forward struct {
	s     *Session
	w     http.ResponseWriter
	r     *http.Request
	p     provider.Provider
	op    provider.Operation
	c     keys.Credential
	q     question
	sent  int64       // bytes of the question
	since time.Time   // when the provider was asked
	asked atomic.Bool // the provider has all of it
	begun bool        // the answer has begun
	used  telemetry.Tokens
}

func (f *forward) fail(code Code, err error) *Error {
	return &Error{Code: code, Provider: f.p.ID, Err: err}
}

func (f *forward) run() *Error {
	ctx := f.r.Context()
	if f.r.URL.Scheme != "" || f.r.URL.Host != "" || f.r.Method == http.MethodConnect {
		return f.fail(CodeRefused, nil) // for a proxy, which this is not
	}
	id, rest, err := provider.Split(f.r.URL.EscapedPath())
	if err != nil {
		return f.fail(CodeRefused, err)
	}
	if !allowed(f.s.o.Providers, id) {
		return &Error{Code: CodeProvider, Provider: id}
	}
	if f.p, f.c, err = f.s.g.signed(ctx, id); err != nil {
		f.op.Protocol = protocolOf(id)
		return asError(err, f.fail(CodeKeyStore, err))
	}
	f.op.Protocol = f.p.Protocol
	op, err := provider.Decide(f.p, f.r.Method, rest)
	if err != nil {
		return f.fail(CodeRefused, err)
	}
	f.op = op
	slot := f.s.slot
	if !op.Meters {
		slot = f.s.aside
	}
	if err := slot.Acquire(ctx, 1); err != nil {
		return f.fail(CodeBusy, err)
	}
	defer slot.Release(1)
	var body []byte
	if op.Method == http.MethodPost {
		var free func()
		var bad *Error
		body, free, bad = f.read()
		defer free()
		if bad != nil {
			return bad
		}
	} else if f.r.ContentLength != 0 {
		return f.fail(CodeBadRequest, nil)
	}
	f.sent = int64(len(body))
	held, e := f.s.reserve(ctx, f.p, op, f.q, f.sent)
	if e != nil {
		return e
	}
	defer f.s.settle(held)
	return f.send(body)
}

// protocolOf is the protocol of a provider without a key, so that the refusal
// has its shape.
func protocolOf(id string) provider.Protocol {
	if p, ok := provider.Named(id); ok {
		return p.Protocol
	}
	return provider.OpenAI
}

// read takes the body of the guest's request, and decides about it.
func (f *forward) read() ([]byte, func(), *Error) {
	none := func() {}
	r, done, ok := plain(f.r, f.p)
	if !ok {
		return nil, none, f.fail(CodeBadRequest, nil)
	}
	defer done()
	body, free, err := readBody(f.w, r, f.s.g.c.MaxBody, bodyStall, f.s.room)
	if err != nil {
		if _, long := errors.AsType[*http.MaxBytesError](err); long {
			return nil, free, f.fail(CodeTooLarge, nil)
		}
		if errors.Is(err, errNoRoom) {
			return nil, free, f.fail(CodeBusy, nil)
		}
		return nil, free, f.fail(CodeBadRequest, nil)
	}
	q, body, err := ask(f.op, body)
	if err != nil {
		return nil, free, f.fail(CodeBadRequest, err)
	}
	f.q = q
	if q.later {
		return nil, free, f.fail(CodeRefused, errors.New("the question has \"background\""))
	}
	if !f.s.o.Hosted || f.s.limited() {
		w, err := listed(f.op.Protocol, body)
		if err != nil {
			return nil, free, f.fail(CodeBadRequest, err)
		}
		part := w.found
		if part == "" && hostedModel(q.model) {
			part = "model"
		}
		if part != "" && !f.s.o.Hosted {
			return nil, free, f.fail(CodeHosted, fmt.Errorf("the question has %.200q", part))
		}
		f.q.alone, f.q.hour, f.q.spared = part != "", w.hour, w.pictures
	}
	if f.s.o.Hosted && f.s.limited() {
		part, err := fees(f.op.Protocol, body)
		if err != nil {
			return nil, free, f.fail(CodeBadRequest, err)
		}
		if part == "" && hostedModel(q.model) {
			part = "model"
		}
		f.q.extra = cmp.Or(q.extra, part)
	}
	if e := f.s.mayUse(f.p, q); e != nil {
		return nil, free, e
	}
	return body, free, nil
}

// reader is a body that can be sent again (http.NewRequest knows the type).
func reader(body []byte) io.Reader {
	if body == nil {
		return nil
	}
	return bytes.NewReader(body)
}
