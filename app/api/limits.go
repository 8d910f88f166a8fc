package api

import (
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"piwork/app/api/door"
	"piwork/app/problem"
)

// ListenerLimits are those of a listener, and Limited those of every one.
type ListenerLimits = door.ListenerLimits

// Limited are the limits of every listener.
var Limited = door.Limited

// within answers a request that is over a limit, and reports whether it is not.
func (a *API) within(w http.ResponseWriter, r *http.Request) bool {
	v := door.Of(r.Context())
	if v == nil {
		return true
	}
	v.Trusted()
	if why := v.Full(); why != nil {
		a.refuse(w, r, CodeTooManyConnections, *why, door.MoreRoomAfter)
		return false
	}
	if r.URL.Path == "/_health" { // says nothing that costs anything
		a.soon(w)
		return true
	}
	wait := v.Turn()
	if wait > 0 {
		a.refuse(w, r, CodeTooManyRequests, door.Crowd{Limit: int(v.Limits().Rate)}, wait)
	}
	return wait == 0
}

// countStream lets an operation answer without end that has a place for that.
func (a *API) countStream(ctx huma.Context, next func(huma.Context)) {
	v := door.Of(ctx.Context())
	if v == nil {
		next(ctx)
		return
	}
	leave, why := v.Stream()
	if why != nil {
		r, w := humago.Unwrap(ctx)
		a.refuse(w, r, CodeTooManyStreams, *why, door.MoreRoomAfter)
		return
	}
	defer leave()
	next(ctx)
}

// refuse answers that there are too many of something, and when to come back.
func (a *API) refuse(w http.ResponseWriter, r *http.Request, code string, why door.Crowd, wait time.Duration) {
	a.soon(w)
	if v := door.Of(r.Context()); v != nil {
		v.Refused(code)
	}
	a.holds.refused(r, door.Process(r.Context()), wait)
	w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
	p := problem.New(code).By(why.Cause).With("limit", why.Limit)
	writeError(w, r, newError(http.StatusTooManyRequests, p, fmt.Sprintf("%s: at most %d", code, why.Limit)))
}

// timedBody is the body of a request that has to be sent within a time. A server reads
// what its handler left of it before it goes on, so that is bounded, too.
type timedBody struct {
	io.ReadCloser
	within       time.Duration
	deadline     func(time.Time) error
	begun, whole bool
}

// Read implements io.Reader.
func (b *timedBody) Read(p []byte) (int, error) {
	if !b.begun {
		b.begun = true
		_ = b.deadline(time.Now().Add(b.within)) // not there on every carrier
	}
	n, err := b.ReadCloser.Read(p)
	if !b.whole && errors.Is(err, io.EOF) {
		b.whole = true
		_ = b.deadline(time.Time{}) // else it would end a request that takes longer
	} else if err != nil {
		err = brokenBody{err}
	}
	return n, err
}

// brokenBody is why a body did not come whole.
type brokenBody struct{ error }

func (b brokenBody) Unwrap() error { return b.error }

// done bounds what the server does with a rest.
func (b *timedBody) done() {
	if !b.whole {
		_ = b.deadline(time.Now().Add(door.RestWithin))
	}
}
