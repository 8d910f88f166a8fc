package network

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"piwork/vmhost"
	"piwork/vmhost/network/frame"
	"piwork/vmhost/network/inspect"
	"piwork/vmhost/network/policy"
	"piwork/vmhost/traffic"
)

// Errors of Serve.
var (
	ErrClosed  = errors.New("the network is closed")
	ErrServing = errors.New("the network has a machine already")
)

// Network is the network of one machine. Its methods may be called from several
// goroutines at once.
type Network struct {
	config Config
	names  *names
	up     *upstream
	tell   *teller
	now    func() time.Time

	inspect *inspect.Inspector // nil without

	sniffWait time.Duration
	frames    [frame.Verdicts]atomic.Int64

	life  context.Context
	close context.CancelFunc
	work  sync.WaitGroup // questions

	traffic traffic.Counter

	mu        sync.Mutex
	serving   chan struct{} // closed when Serve has returned; nil: nobody serves
	set       policy.Set    // its rules are never changed in place
	memory    map[policy.Pattern]remembered
	questions map[policy.Pattern]*question
	waiting   int // for questions
	flows     map[*flow]struct{}
}

// New makes the network of one machine. It starts nothing: see Serve. Close ends
// it.
func New(c Config) (*Network, error) {
	switch c.Policy {
	case "", vmhost.NetworkDeny, vmhost.NetworkRestricted, vmhost.NetworkAllow:
	default:
		return nil, fmt.Errorf("make a network: no such policy: %q", c.Policy)
	}
	c.MTU = cmp.Or(c.MTU, 1500)
	if c.MTU < 1280 || c.MTU > 65520 {
		return nil, fmt.Errorf("make a network: an MTU of %d bytes", c.MTU)
	}
	if c.AskWait <= 0 {
		c.AskWait = askWait
	}
	if c.ProgramWait <= 0 {
		c.ProgramWait = programWait
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Resolver == nil {
		c.Resolver = net.DefaultResolver
	}
	if c.Proxy == nil {
		c.Proxy = func(*url.URL) (*url.URL, error) { return nil, nil }
	}
	if c.Own == nil {
		c.Own = whereHostIs
	}
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	n := &Network{
		config: c, now: c.Now, sniffWait: sniffWait,
		names:     newNames(namesPool, c.Now),
		up:        &upstream{resolver: c.Resolver, dial: c.Dial, proxy: c.Proxy, now: c.Now, cache: map[string]resolved{}},
		tell:      newTeller(c.Now, c.OnEvent),
		set:       policy.Set{Policy: c.Policy, Rules: slices.Clone(c.Rules), Over: c.Over},
		memory:    map[policy.Pattern]remembered{},
		questions: map[policy.Pattern]*question{},
		flows:     map[*flow]struct{}{},
	}
	n.life, n.close = context.WithCancel(context.Background())
	if c.Inspect != nil {
		var err error
		if n.inspect, err = inspect.New(*c.Inspect, n.Dial); err != nil {
			return nil, fmt.Errorf("make a network: %w", err)
		}
	}
	return n, nil
}

// Traffic is what went to each host, and came from it, since it was asked last. A connection
// counts when it has ended.
func (n *Network) Traffic() []traffic.Total { return n.traffic.Take() }

// Guest is what the guest is told; it never changes.
func (n *Network) Guest() Guest {
	g := Guest{MAC: slices.Clone(net.HardwareAddr(guestMAC[:])), Address: guestNet, Gateway: gatewayIP, DNS: gatewayIP, MTU: n.config.MTU}
	if n.inspect != nil {
		g.Authority = n.inspect.Certificate()
	}
	return g
}

// Serve is the network behind conn, which carries frames as QEMU's stream netdev
// sends them, until conn ends (nil), ctx ends (its cause), Close is called
// (ErrClosed), or what comes are no frames. It closes conn, and returns when
// everything that it started has ended. One machine is served at a time; another
// one may follow, and finds the same names and decisions.
func (n *Network) Serve(ctx context.Context, conn net.Conn) error {
	defer conn.Close()
	ctx, done, err := n.begin(ctx)
	if err != nil {
		return err
	}
	defer done()
	s, err := newSegment(ctx, n)
	if err != nil {
		return fmt.Errorf("make a network: %w", err)
	}
	err = s.run(conn)
	n.config.Log.Debug("network ended", "frames dropped", n.Dropped(), "err", err)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, io.EOF), errors.Is(err, net.ErrClosed), errors.Is(err, io.ErrClosedPipe):
		return nil
	}
	return fmt.Errorf("network of a machine: %w", err)
}

// begin is the begin of serving somebody: ctx ends with the network, too. done is its end.
func (n *Network) begin(ctx context.Context) (_ context.Context, done func(), _ error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case n.life.Err() != nil:
		return nil, nil, ErrClosed
	case n.serving != nil:
		return nil, nil, ErrServing
	}
	serving := make(chan struct{})
	n.serving = serving
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(n.life, func() { cancel(ErrClosed) })
	return ctx, func() {
		stop()
		cancel(nil)
		n.mu.Lock()
		n.serving = nil
		n.mu.Unlock()
		close(serving)
	}, nil
}

// Close ends Serve, every connection, those of Dial, too, and every open question, and waits for them.
func (n *Network) Close() error {
	n.mu.Lock()
	n.close()
	serving := n.serving
	var dials []*flow
	for f := range n.flows {
		if f.owner == nil {
			dials = append(dials, f)
		}
	}
	n.mu.Unlock()
	for _, f := range dials {
		f.cut()
	}
	if serving != nil {
		<-serving
	}
	if n.inspect != nil {
		n.inspect.Close()
	}
	n.work.Wait()
	return nil
}

// SetPolicy changes the policy; see SetRules.
func (n *Network) SetPolicy(p vmhost.NetworkPolicy) {
	n.change(func(s *policy.Set) { s.Policy = p })
}

// SetRules replaces all rules, those that answers to questions added, too, and
// forgets answers that reached no further than once. It holds when it returns:
// connections that are not allowed any more are ended, those that were allowed
// once go on, and open questions that have an answer now are withdrawn.
func (n *Network) SetRules(rules []policy.Rule) {
	n.change(func(s *policy.Set) { s.Rules = slices.Clone(rules) })
}

// Reconsider ends the connections that are not allowed any more by what stands over the rules
// (Config.Over), where that may say something else than before: at another time, for one. What
// was decided otherwise stays decided.
func (n *Network) Reconsider() {
	own := n.config.Own()
	n.mu.Lock()
	end := n.fallen(own)
	n.mu.Unlock()
	n.withdraw(end)
}

// fallen are the connections that are not allowed any more. mu is held.
func (n *Network) fallen(own policy.Own) (end []*flow) {
	for f := range n.flows {
		if !f.stands(n.set, own) {
			end = append(end, f)
		}
	}
	return end
}

// withdraw ends connections that were allowed before.
func (n *Network) withdraw(list []*flow) {
	for _, f := range list {
		n.tell.event(Refused, f.target, ReasonWithdrawn)
		f.cut()
	}
}

// Rules are the rules that hold now.
func (n *Network) Rules() []policy.Rule {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.set.Rules)
}

func (n *Network) change(f func(*policy.Set)) {
	n.mu.Lock()
	f(&n.set)
	clear(n.memory)
	for key, q := range n.questions {
		if v := n.set.Decide(q.target); v.Answer != policy.Ask {
			n.end(key, q, v)
		}
	}
	end := n.fallen(n.config.Own())
	n.mu.Unlock()
	n.withdraw(end)
}

// current is the policy and the rules of this moment.
func (n *Network) current() policy.Set {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.set
}

// answerable reports whether a name is given an address: nothing is said to the
// world for it, so that all are that a person may still be asked about.
func answerable(set policy.Set, name string) bool {
	if set.Policy != vmhost.NetworkRestricted && set.Policy != vmhost.NetworkAllow || set.Denied(name) {
		return false
	}
	return set.Known(name) || strings.Contains(name, ".") && !strings.HasSuffix(name, ".arpa")
}

// Dropped is how many frames of the guest were not let through, by reason.
func (n *Network) Dropped() map[string]int64 {
	out := map[string]int64{}
	for v := range n.frames {
		if v, count := frame.Verdict(v), n.frames[v].Load(); v != frame.Pass && count > 0 {
			out[v.String()] = count
		}
	}
	return out
}
