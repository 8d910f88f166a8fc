package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"golang.org/x/time/rate"

	"piwork/app/problem"
)

// ListenerLimits bound what those take who come through one listener: a program that runs away, or
// a page that knocks on loopback, leaves the others their part. Who is over one is answered
// by 429 with a Retry-After, and nothing was done.
//
// One process can have no more connections and streams than it leaves to all others, beyond
// the last quarter; of that it can have a sixteenth of what is left. So there is room for a
// window beside dozens of programs that take all they get.
type ListenerLimits struct {
	Connections int     `json:"connections" doc:"that may be open at once; one process can have no more than it leaves to others, where the system says which it is"`
	Streams     int     `json:"streams" doc:"of events, and programs attached to, that may be open at once; likewise"`
	Rate        float64 `json:"rate" doc:"requests in a second of one program; on loopback HTTP of all together"`
	Burst       int     `json:"burst" doc:"requests that may come at once before that counts"`
	Body        int64   `json:"body" doc:"bytes of the body of a request, where the operation does not take more; 413 above it"`

	HeadWithin time.Duration `json:"-"` // in which the head of a request has to come; 0 is 10 s
}

// Limited are the limits of every listener: far above what windows and command lines of one
// person do.
var Limited = ListenerLimits{Connections: 1000, Streams: 600, Rate: 500, Burst: 2000, Body: maxBody}

const (
	maxBody       = 1 << 20          // what an operation takes that says nothing else
	maxRefused    = 64               // connections over the limit that are told so at a time; others are closed
	refuseWithin  = 2 * time.Second  // for one of these to ask
	manyClients   = 256              // after which those are forgotten that have not asked for a while
	moreRoomAfter = 10 * time.Second // said to who has to wait for others
)

// gate is the door of one listener.
type gate struct {
	ListenerLimits
	connections, streams, refused room

	mu      sync.Mutex
	clients map[int]*rate.Limiter // by process; 0 is all whose process is not known
}

// room has so many places.
type room struct {
	places int

	mu    sync.Mutex
	taken int
	by    map[int]int // process; 0 is all whose process is not known
}

func newRoom(places int) room { return room{places: places, by: map[int]int{}} }

// enter takes a place for a process, or says why there is none.
func (r *room) enter(pid int) (why *crowd) {
	r.mu.Lock()
	defer r.mu.Unlock()
	free := r.places - r.taken
	share := max(free-r.places/4, free/16, 1)
	switch {
	case free == 0:
		return &crowd{limit: r.places}
	case pid != 0 && r.by[pid] >= share:
		return &crowd{cause: ofProgram, limit: r.by[pid]}
	}
	r.taken++
	r.by[pid]++
	return nil
}

func (r *room) leave(pid int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.taken--
	if r.by[pid]--; r.by[pid] == 0 {
		delete(r.by, pid)
	}
}

// crowd says why somebody finds no room.
type crowd struct {
	cause string // ofProgram, or "": of all
	limit int
}

// ofProgram is the cause of a crowd that is one program.
const ofProgram = "program"

// visitor is who is behind a connection.
type visitor struct {
	gate   *gate
	pid    int
	client *rate.Limiter
	crowd  *crowd // why there is no room for it
}

// place is a connection that has its place until it is closed, whoever has it then: what
// switched to a WebSocket is not the server's any more.
type place struct {
	net.Conn
	pid   int
	crowd *crowd // why it has none
	once  sync.Once
	leave func()
}

// Close implements net.Conn.
func (p *place) Close() error {
	p.once.Do(p.leave)
	return p.Conn.Close()
}

// CloseWrite lets a client read why its body was not taken.
func (p *place) CloseWrite() error {
	if c, ok := p.Conn.(interface{ CloseWrite() error }); ok {
		return c.CloseWrite()
	}
	return nil
}

type visitorKey struct{}

// visitorOf is nil for who does not come through a listener: this process itself.
func visitorOf(ctx context.Context) *visitor {
	v, _ := ctx.Value(visitorKey{}).(*visitor)
	return v
}

// processOf is the process that asks, 0 where that is not known.
func processOf(ctx context.Context) int {
	if v := visitorOf(ctx); v != nil {
		return v.pid
	}
	return 0
}

// client is how fast a process may ask.
func (g *gate) client(pid int) *rate.Limiter {
	g.mu.Lock()
	defer g.mu.Unlock()
	if l := g.clients[pid]; l != nil {
		return l
	}
	if len(g.clients) >= manyClients {
		for pid, l := range g.clients {
			if l.Tokens() >= float64(g.Burst) { // as good as a new one
				delete(g.clients, pid)
			}
		}
	}
	l := rate.NewLimiter(rate.Limit(g.Rate), g.Burst)
	g.clients[pid] = l
	return l
}

// newGate makes the door of a listener.
func newGate(l ListenerLimits) *gate {
	return &gate{
		ListenerLimits: l, clients: map[int]*rate.Limiter{},
		connections: newRoom(l.Connections), streams: newRoom(l.Streams), refused: newRoom(maxRefused),
	}
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
			return context.WithValue(ctx, visitorKey{}, &visitor{gate: g, pid: p.pid, client: g.client(p.pid), crowd: p.crowd})
		},
	}
}

// refuser tells connections that have no place that there is none.
func (g *gate) refuser(ctx context.Context, h http.Handler) *http.Server {
	s := g.server(ctx, h)
	s.ReadHeaderTimeout = refuseWithin
	s.SetKeepAlivesEnabled(false)
	return s
}

// door lets as many through as there is room for, and leads the others to refused.
type door struct {
	net.Listener
	gate    *gate
	refused chan net.Conn
	process func(net.Conn) int // peer.Process
}

// Accept implements net.Listener.
func (d *door) Accept() (net.Conn, error) {
	for {
		c, err := d.Listener.Accept()
		if err != nil {
			return nil, err
		}
		p := &place{Conn: c, pid: d.process(c)}
		if p.crowd = d.gate.connections.enter(p.pid); p.crowd == nil {
			p.leave = func() { d.gate.connections.leave(p.pid) }
			return p, nil
		}
		if d.gate.refused.enter(p.pid) != nil {
			_ = c.Close()
			continue
		}
		p.leave = func() { d.gate.refused.leave(p.pid) }
		d.refused <- p // it has room for as many
	}
}

// refusals is a listener of those for whom there is no room.
type refusals struct {
	conns <-chan net.Conn
	ended <-chan struct{}
	addr  net.Addr
}

// Accept implements net.Listener.
func (r *refusals) Accept() (net.Conn, error) {
	select {
	case c := <-r.conns:
		return c, nil
	case <-r.ended:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener; it ends with the server's context.
func (r *refusals) Close() error { return nil }

// Addr implements net.Listener.
func (r *refusals) Addr() net.Addr { return r.addr }

// within answers a request that is over a limit, and reports whether it is not.
func (a *API) within(w http.ResponseWriter, r *http.Request) bool {
	v := visitorOf(r.Context())
	switch {
	case v == nil:
		return true
	case v.crowd != nil:
		a.refuse(w, r, CodeTooManyConnections, *v.crowd, moreRoomAfter)
		return false
	case r.URL.Path == "/_health": // says nothing that costs anything
		a.soon(w)
		return true
	}
	now := time.Now()
	turn := v.client.ReserveN(now, 1)
	if wait := turn.DelayFrom(now); wait > 0 {
		turn.CancelAt(now)
		a.refuse(w, r, CodeTooManyRequests, crowd{limit: int(v.gate.Rate)}, wait)
		return false
	}
	return true
}

// countStream lets an operation answer without end that has a place for that.
func (a *API) countStream(ctx huma.Context, next func(huma.Context)) {
	v := visitorOf(ctx.Context())
	if v == nil {
		next(ctx)
		return
	}
	if why := v.gate.streams.enter(v.pid); why != nil {
		r, w := humago.Unwrap(ctx)
		a.refuse(w, r, CodeTooManyStreams, *why, moreRoomAfter)
		return
	}
	defer v.gate.streams.leave(v.pid)
	next(ctx)
}

// refuse answers that there are too many of something, and when to come back.
func (a *API) refuse(w http.ResponseWriter, r *http.Request, code string, why crowd, wait time.Duration) {
	a.soon(w)
	a.holds.refused(r, processOf(r.Context()), wait)
	w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
	p := problem.New(code).By(why.cause).With("limit", why.limit)
	writeError(w, r, newError(http.StatusTooManyRequests, p, fmt.Sprintf("%s: at most %d", code, why.limit)))
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
	}
	return n, err
}

// done bounds what the server does with a rest.
func (b *timedBody) done() {
	if !b.whole {
		_ = b.deadline(time.Now().Add(refuseWithin))
	}
}
