package api

import (
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"piwork/app/access"
	"piwork/app/api/answer"
	"piwork/app/api/door"
	"piwork/app/problem"
)

// ListenerLimits are those of a listener, and Limited those of every one.
type ListenerLimits = door.ListenerLimits

// Limited are the limits of every listener.
var Limited = door.Limited

// within answers a request that is over a limit, and reports whether it is not. Whose requests,
// connections and streams are counted together is said in package door. A connection counts until
// it is closed, also as a WebSocket.
func (a *API) within(w http.ResponseWriter, r *http.Request) bool {
	v := door.Of(r.Context())
	if v == nil {
		return true
	}
	v.Trusted()
	if why := v.Full(); why != nil {
		a.refuse(w, r, answer.CodeTooManyConnections, *why, door.MoreRoomAfter)
		return false
	}
	if r.URL.Path == "/_health" { // says nothing that costs anything
		a.soon(w)
		return true
	}
	wait := v.Turn()
	sayLimits(w.Header(), v)
	if wait > 0 {
		a.refuse(w, r, answer.CodeTooManyRequests, door.Crowd{Limit: int(v.Limits().Rate)}, wait)
	}
	return wait == 0
}

// sayLimits says in the answer how many requests its caller may send
// (draft-ietf-httpapi-ratelimit-headers).
func sayLimits(h http.Header, v *door.Visitor) {
	l := v.Limits()
	left, whole := v.Left()
	h["Ratelimit-Policy"] = []string{`"requests";q=` + strconv.Itoa(l.Burst) + ";w=" + seconds(time.Duration(float64(l.Burst)/l.Rate*float64(time.Second))) +
		`, "streams";q=` + strconv.Itoa(l.Streams) + `;qu="concurrent-requests"`}
	h["Ratelimit"] = []string{`"requests";r=` + strconv.Itoa(left) + ";t=" + seconds(whole)}
}

// seconds is a time as headers have it, no earlier than it is.
func seconds(d time.Duration) string { return strconv.Itoa(int(math.Ceil(d.Seconds()))) }

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
		a.refuse(w, r, answer.CodeTooManyStreams, *why, door.MoreRoomAfter)
		return
	}
	defer leave()
	next(ctx)
}

// refuse is [tooMany] for the API: who is to come back keeps the tasks that it may hold until then.
func (a *API) refuse(w http.ResponseWriter, r *http.Request, code string, why door.Crowd, wait time.Duration) {
	a.soon(w)
	if id := wouldHold(r); id != "" {
		a.holds.refused(id, access.ClientOf(r.Context()), door.Process(r.Context()), wait)
	}
	tooMany(w, r, code, why, wait)
}

// refusal is how it is said that there are too many of something.
type refusal func(w http.ResponseWriter, r *http.Request, code string, why door.Crowd, wait time.Duration)

// tooMany answers that there are too many of something, and when to come back.
func tooMany(w http.ResponseWriter, r *http.Request, code string, why door.Crowd, wait time.Duration) {
	if v := door.Of(r.Context()); v != nil {
		v.Refused(code)
	}
	w.Header().Set("Retry-After", seconds(wait))
	p := problem.New(code).By(why.Cause).With("limit", why.Limit)
	answer.Write(w, r, answer.NewError(http.StatusTooManyRequests, p, fmt.Sprintf("%s: at most %d", code, why.Limit)))
}
