// Package door is what stands before the API on each listener: how many connections, streams
// and requests there may be, and whose they are.
//
// # Accounts
//
// Everything that is taken is somebody's:
//
//	unix socket         the process at the other end
//	network, at first   the address (of IPv6 its /64), with which it is known before it says a word
//	loopback, at first  nobody, since every program of this computer has that address
//	with a token        the token, from the first request on: behind one address there may be many
//
// An account can have no more connections, streams and bytes of large bodies than it leaves to all
// others, beyond the last quarter; of that it can have a sixteenth of what is left. So there is
// room for a window beside dozens of programs that take all they get.
//
// # Connections that say nothing
//
// On TCP everybody can connect, and has ten seconds for a request. Until one comes with a token,
// a connection keeps its place only while nobody needs it: where there is none left, the oldest
// of these is closed for the one that comes. An honest client sends its request at once, and has
// its place from then on. Where an address has its share, it is one of its own that is closed.
//
// # Attribution
//
// What is refused or closed is logged with its account and the reason: the first time at once,
// then as a number, once a minute; all that is beyond maxNotes accounts together.
package door

import (
	"cmp"
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// ListenerLimits bound what those take who come through one listener: a program that runs away, or
// a page that knocks on loopback, leaves the others their part. Who is over one is answered
// by 429 with a Retry-After, and nothing was done.
type ListenerLimits struct {
	Connections int     `json:"connections" doc:"that may be open at once; one program can have no more than it leaves to others, by its process, its token or, before it sent one over a network, its address"`
	Streams     int     `json:"streams" doc:"of events, and programs attached to, that may be open at once; likewise"`
	Rate        float64 `json:"rate" doc:"requests in a second of one program; on loopback HTTP without a token of all together"`
	Burst       int     `json:"burst" doc:"requests that may come at once before that counts"`
	Body        int64   `json:"body" doc:"bytes of the body of a request, where the operation does not take more; 413 above it"`

	HeadWithin time.Duration `json:"-"` // in which the head of a request has to come; 0 is 10 s
	Log        *slog.Logger  `json:"-"` // nil: nothing is said
}

// Limited are the limits of every listener: far above what windows and command lines of one
// person do.
var Limited = ListenerLimits{Connections: 1000, Streams: 600, Rate: 500, Burst: 2000, Body: MaxBody}

// MoreRoomAfter is said to who has to wait for others.
const MoreRoomAfter = 10 * time.Second

// RestWithin is how long what nobody needs of a request may take.
const RestWithin = 2 * time.Second

// MaxBody is what an operation takes that says nothing else, in bytes.
const MaxBody = 1 << 20

const (
	maxRefused  = 64  // connections over the limit that are told so at a time; others are closed
	manyCallers = 256 // after which those are forgotten that have not asked for a while
)

// account is whose something is; "" is nobody's, which has no share.
type account string

// accountOf is whose a connection is before it said a word.
func accountOf(c net.Conn, pid int) account {
	if pid != 0 {
		return account("process " + strconv.Itoa(pid))
	}
	to, is := c.RemoteAddr().(*net.TCPAddr)
	if !is || to.IP.IsLoopback() {
		return ""
	}
	at, _ := netip.AddrFromSlice(to.IP)
	if at = at.Unmap(); at.Is6() {
		if net, err := at.Prefix(64); err == nil {
			return account("address " + net.String())
		}
	}
	return account("address " + at.String())
}

// gate is the door of one listener.
type gate struct {
	ListenerLimits
	connections, known, streams, refused, bodies, waiting room // known are those connections that are a token's
	notes                                                 notes
	strangers                                             strangers

	mu      sync.Mutex
	callers map[account]*rate.Limiter
}

// newGate makes the door of a listener.
func newGate(l ListenerLimits) *gate {
	return &gate{
		ListenerLimits: l, callers: map[account]*rate.Limiter{}, notes: notes{log: l.Log, by: map[note]*noted{}},
		connections: newRoom(l.Connections), known: newRoom(l.Connections), streams: newRoom(l.Streams), refused: newRoom(maxRefused), bodies: newRoom(MaxBodies), waiting: newRoom(MaxWaitingBodies),
	}
}

// limiter is how fast somebody may ask.
func (g *gate) limiter(a account) *rate.Limiter {
	g.mu.Lock()
	defer g.mu.Unlock()
	if l := g.callers[a]; l != nil {
		return l
	}
	if len(g.callers) >= manyCallers {
		for a, l := range g.callers {
			if l.Tokens() >= float64(g.Burst) { // as good as a new one
				delete(g.callers, a)
			}
		}
	}
	l := rate.NewLimiter(rate.Limit(g.Rate), g.Burst)
	g.callers[a] = l
	return l
}

// Visitor is who is behind a connection.
type Visitor struct {
	gate  *gate
	place *place
}

type visitorKey struct{}

// Of is nil for who does not come through a listener: this process itself.
func Of(ctx context.Context) *Visitor {
	v, _ := ctx.Value(visitorKey{}).(*Visitor)
	return v
}

// Process is the process that asks, 0 where that is not known.
func Process(ctx context.Context) int {
	if v := Of(ctx); v != nil {
		return v.place.pid
	}
	return 0
}

// Visitor is a process that has a connection, or none for the reason that is given.
func (l ListenerLimits) Visitor(pid int, full *Crowd) *Visitor {
	return &Visitor{gate: newGate(l), place: &place{pid: pid, account: account("process " + strconv.Itoa(pid)), crowd: full}}
}

// In is a context of requests of the visitor.
func (v *Visitor) In(ctx context.Context) context.Context {
	return context.WithValue(ctx, visitorKey{}, v)
}

// Limits are those of the listener.
func (v *Visitor) Limits() *ListenerLimits { return &v.gate.ListenerLimits }

// Full says why there is no room for the connection; nil where there is.
func (v *Visitor) Full() *Crowd { return v.place.crowd }

// Asked notes that a request came, from whomever.
func (v *Visitor) Asked() { v.place.asked.Store(true) }

// Trusted is called for a request that is let in: the connection keeps its place.
func (v *Visitor) Trusted() { v.gate.strangers.remove(v.place) }

// Known has the connection, and what it takes, be of a token: that of a name, or the person's.
// It says why that one has no room for another connection.
func (v *Visitor) Known(token string) *Crowd {
	p := v.place
	if p.crowd != nil {
		return nil // it is told so anyway
	}
	a := account("token " + token)
	if token == "" {
		a = "the person's token"
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.left {
		return nil
	}
	first := p.caller == "" // later ones come by the connection of the first
	p.caller = a
	if first {
		if why := v.gate.known.enter(a); why != nil { // strangers take nothing of it
			return why
		}
		v.gate.strangers.remove(p) // who looks for the oldest of an account reads it
		v.gate.connections.disown(p.account)
		p.account, p.known = "", a
		return nil
	}
	v.gate.strangers.remove(p)
	return nil
}

// account is whose the request is that is answered at the moment.
func (v *Visitor) account() account {
	v.place.mu.Lock()
	defer v.place.mu.Unlock()
	return cmp.Or(v.place.caller, v.place.account)
}

// Turn counts a request, and is how long it has to wait: then it is not counted.
func (v *Visitor) Turn() time.Duration {
	now := time.Now()
	turn := v.gate.limiter(v.account()).ReserveN(now, 1)
	wait := turn.DelayFrom(now)
	if wait > 0 {
		turn.CancelAt(now)
	}
	return wait
}

// Left is how many requests whoever asks may send at once now, and when it is all of them again.
func (v *Visitor) Left() (requests int, whole time.Duration) {
	l := v.gate.limiter(v.account())
	have := max(0, l.Tokens())
	return int(have), time.Duration((float64(v.gate.Burst) - have) / v.gate.Rate * float64(time.Second))
}

// Stream takes a place for an answer without end, until leave is called, or says why there is
// none.
func (v *Visitor) Stream() (leave func(), why *Crowd) {
	a := v.account()
	if why := v.gate.streams.enter(a); why != nil {
		return nil, why
	}
	return func() { v.gate.streams.leave(a) }, nil
}

// Refused logs that the visitor was refused something.
func (v *Visitor) Refused(why string) {
	who := string(v.account())
	if who == "" {
		who = v.place.from()
	}
	v.gate.notes.add(who, why)
}

// server answers connections that a door let in.
func (g *gate) server(ctx context.Context, h http.Handler) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: cmp.Or(g.HeadWithin, 10*time.Second),
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			p := c.(*place) //nolint:forcetypeassert // a door and its refusals have nothing else
			return (&Visitor{gate: g, place: p}).In(ctx)
		},
	}
}

// refuser tells connections that have no place that there is none.
func (g *gate) refuser(ctx context.Context, h http.Handler) *http.Server {
	s := g.server(ctx, h)
	s.ReadHeaderTimeout = RestWithin
	s.SetKeepAlivesEnabled(false)
	return s
}
