package apifuzz

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"pgregory.net/rapid"
)

// Campaign makes requests for all operations of a server that is in use. The requests follow
// from the seed and from what the server answered: with one worker they are the same again as
// long as the answers are.
type Campaign struct {
	*Fuzz
	Dial     func(context.Context) (net.Conn, error)
	Seed     uint64
	Workers  int
	Within   time.Duration                      // in which an answer has to come
	Codes    []string                           // of problems that are known
	Leave    map[string]string                  // operations that are left out, and why
	Examples map[string][]any                   // bodies by operation, see Route.Examples
	Tame     func(operation string, r *Request) // may change a request before it is sent
	Log      func(format string, args ...any)

	Often     map[string]int // operations that are asked for so many times more than others
	Meanwhile func()         // is called now and then

	routes []*Route
	pool   *pool
	http   *http.Client

	mu       sync.Mutex
	findings map[string]*Finding
	counts   map[string]int // of answers by status, and of ways to send
	fine     map[string]*reached
}

// reached is how far an operation was got to.
type reached struct {
	success bool
	last    int // status
}

// Finding is something that must not be.
type Finding struct {
	What, Operation string
	Seed            uint64
	Request, Answer string
	Times           int
}

func (f Finding) String() string {
	return fmt.Sprintf("%s: %s (%d times, first by seed %d)\n\t%s\n\t%s", f.Operation, f.What, f.Times, f.Seed, f.Request, f.Answer)
}

// Report says what a campaign did.
type Report struct {
	Requests   int64
	Operations int
	Fine       []string // operations that were answered by a success
	Never      []string // those that were not
	Counts     map[string]int
	Findings   []Finding
}

// Run sends requests until ctx ends, and has what the server was asked for come to its end.
func (c *Campaign) Run(ctx context.Context) Report {
	c.pool, c.findings, c.counts, c.fine = newPool(), map[string]*Finding{}, map[string]int{}, map[string]*reached{}
	c.routes = nil
	tr := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return c.Dial(ctx) }, DisableCompression: true, MaxIdleConnsPerHost: 2 * c.Workers}
	defer tr.CloseIdleConnections()
	c.http = &http.Client{Transport: tr, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for _, r := range c.Routes() {
		if c.Leave[r.ID()] == "" {
			r.Within, r.Examples = c.Within, c.Examples[r.ID()]
			c.routes = append(c.routes, slices.Repeat([]*Route{r}, 1+c.Often[r.ID()])...)
		}
	}
	var all sync.WaitGroup
	for n := range c.Workers {
		all.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				c.one(c.Seed + uint64(n)<<40 + uint64(i)) //nolint:gosec // neither is negative
			}
		})
	}
	all.Go(func() {
		for ctx.Err() == nil {
			c.person(false)
			if c.Meanwhile != nil {
				c.Meanwhile()
			}
			select {
			case <-ctx.Done():
			case <-time.After(500 * time.Millisecond):
			}
		}
	})
	all.Wait()
	for end := time.Now().Add(2 * time.Minute); c.person(true) > 0; <-time.After(200 * time.Millisecond) {
		if time.Now().After(end) {
			c.found("", "tasks do not end", 0, "", "")
			break
		}
	}
	return c.report()
}

func (c *Campaign) report() (out Report) {
	c.mu.Lock()
	defer c.mu.Unlock()
	out = Report{Requests: c.Requests(), Counts: c.counts}
	for i, r := range c.routes {
		switch {
		case i > 0 && c.routes[i-1] == r: // it is asked for more often
		case c.fine[r.ID()] != nil && c.fine[r.ID()].success:
			out.Fine = append(out.Fine, r.ID())
		case c.fine[r.ID()] != nil:
			out.Never = append(out.Never, fmt.Sprintf("%s (%d)", r.ID(), c.fine[r.ID()].last))
		default:
			out.Never = append(out.Never, r.ID())
		}
	}
	out.Operations = len(out.Fine) + len(out.Never)
	for _, f := range c.findings {
		out.Findings = append(out.Findings, *f)
	}
	slices.SortFunc(out.Findings, func(a, b Finding) int { return b.Times - a.Times })
	return out
}

// varies is what differs between two findings of one kind.
var varies = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{9,}|[0-9]+|"[^"]*"|'[^']*'`)

func (c *Campaign) found(operation, what string, seed uint64, request, answer string) {
	name := operation + varies.ReplaceAllString(what, "*")
	c.mu.Lock()
	defer c.mu.Unlock()
	f := c.findings[name]
	if f == nil {
		f = &Finding{What: what, Operation: operation, Seed: seed, Request: fmt.Sprintf("%.1500s", request), Answer: fmt.Sprintf("%.1500s", answer)}
		c.findings[name] = f
		if c.Log != nil {
			c.Log("%s: %s\n\t%s\n\t%.600s", operation, what, f.Request, f.Answer)
		}
	}
	f.Times++
}

func (c *Campaign) count(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts[what]++
}

// one makes one request, and sends it in one of the ways.
func (c *Campaign) one(seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 24)) //nolint:gosec // what is random has to come again
	route := *c.routes[rng.IntN(len(c.routes))]
	route.Known = c.pool.known(rng, route.Path)
	how := []int{fits, fits, fits, nearlyFits, nearlyFits, fitsNot}[rng.IntN(6)]
	req := rapid.Custom(func(t *rapid.T) Request { return route.request(t, how) }).Example(int(seed)) //nolint:gosec // a seed
	if c.Tame != nil {
		c.Tame(route.ID(), &req)
	}
	ways := []struct {
		name  string
		often int
		send  func(*rand.Rand, *Route, Request, uint64)
	}{
		{"whole", 75, c.whole}, {"cut", 5, c.cut}, {"left", 5, c.left}, {"slow", 2, c.slow}, {"twice at once", 8, c.twice}, {"raw", 3, c.raw}, {"one after the other", 2, c.pipelined},
	}
	n := rng.IntN(100)
	for _, w := range ways {
		if n -= w.often; n < 0 {
			c.count("sent: " + w.name)
			w.send(rng, &route, req, seed)
			return
		}
	}
}

// answer is one, as far as it was read.
type answer struct {
	*http.Response
	data []byte
}

// ask sends a request and reads the answer; one without end is cut off.
func (c *Campaign) ask(r *Route, req Request, streamFor time.Duration) (answer, error) {
	c.requests.Add(1)
	ctx, stop := context.WithTimeout(context.Background(), c.Within)
	defer stop()
	out := req.on(ctx)
	out.RequestURI = ""
	res, err := c.http.Do(out)
	if err != nil {
		return answer{}, fmt.Errorf("no answer: %w", err)
	}
	defer res.Body.Close()
	c.count(fmt.Sprintf("status: %d", res.StatusCode))
	if res.StatusCode == http.StatusSwitchingProtocols {
		return answer{res, nil}, nil
	}
	if endless := strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream"); endless {
		time.AfterFunc(streamFor, stop)
		data, _ := io.ReadAll(io.LimitReader(res.Body, 1<<20))
		whole := strings.LastIndex(string(data), "\n\n")
		return answer{res, data[:max(whole, 0)]}, nil
	}
	data, err := io.ReadAll(io.LimitReader(res.Body, 64<<20))
	if err != nil && r.Method != http.MethodHead {
		return answer{res, data}, fmt.Errorf("the answer broke off: %w", err)
	}
	return answer{res, data}, nil
}

func (r Request) String() string {
	return fmt.Sprintf("%s %s %v %.900q", r.Method, r.Target, r.Header, r.Body)
}

// whole sends a request as it should be.
func (c *Campaign) whole(rng *rand.Rand, r *Route, req Request, seed uint64) {
	began := time.Now()
	a, err := c.ask(r, req, time.Duration(rng.IntN(200))*time.Millisecond)
	if err != nil {
		c.found(r.ID(), err.Error(), seed, req.String(), fmt.Sprintf("after %s: %s", time.Since(began).Round(time.Millisecond), a.data))
		return
	}
	c.check(r, req, a, seed)
}

// check judges an answer, and keeps what it names.
func (c *Campaign) check(r *Route, req Request, a answer, seed uint64) {
	if what := c.wrong(r, req, a); what != "" {
		c.found(r.ID(), what, seed, req.String(), fmt.Sprintf("%d %s %s", a.StatusCode, a.Header.Get("Content-Type"), a.data))
	}
	if req.Method != r.Method {
		return
	}
	c.mu.Lock()
	f := c.fine[r.ID()]
	if f == nil {
		f = &reached{}
		c.fine[r.ID()] = f
	}
	f.last, f.success = a.StatusCode, f.success || a.StatusCode < 300
	c.mu.Unlock()
	if a.StatusCode < 300 {
		c.pool.learn(r.Path, a.data)
	}
}

// wrong says what of an answer must not be.
func (c *Campaign) wrong(r *Route, req Request, a answer) string {
	var p struct {
		Code, Title string
		Status      int
	}
	kind := a.Header.Get("Content-Type")
	if !requestID.MatchString(a.Header.Get("X-Request-Id")) {
		return "no request id"
	}
	if a.StatusCode >= 400 && req.Method != http.MethodHead {
		switch err := json.Unmarshal(a.data, &p); {
		case err != nil || !strings.HasPrefix(kind, "application/problem+json"):
			return fmt.Sprintf("status %d is no problem but %s", a.StatusCode, kind)
		case p.Code == "unknown" || a.StatusCode == http.StatusInternalServerError:
			return "a fault of the server"
		case !slices.Contains(c.Codes, p.Code):
			return "an unknown code: " + p.Code
		case p.Title == "" || p.Status != a.StatusCode:
			return "the problem is incomplete"
		}
	}
	if a.StatusCode == http.StatusInternalServerError || a.StatusCode == http.StatusBadGateway || a.StatusCode == http.StatusGatewayTimeout {
		return "a fault of the server"
	}
	if req.Method != r.Method || a.StatusCode == http.StatusSwitchingProtocols {
		return ""
	}
	if err := r.judge(a.Response, a.data); err != nil {
		return strings.ReplaceAll(err.Error(), "\n", " ")
	}
	return ""
}
