package network

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"piwork/vmhost"
)

// person answers questions when the test says so.
type person struct {
	asked   chan vmhost.Question
	answers chan vmhost.Decision
	gone    atomic.Int32 // questions whose context ended
}

func newPerson() *person {
	return &person{asked: make(chan vmhost.Question, 100), answers: make(chan vmhost.Decision)}
}

func (p *person) ask(ctx context.Context, q vmhost.Question) (vmhost.Decision, error) {
	p.asked <- q
	select {
	case d := <-p.answers:
		d.ID = q.ID
		return d, nil
	case <-ctx.Done():
		p.gone.Add(1)
		return vmhost.Decision{Answer: vmhost.AnswerDeny}, ctx.Err()
	}
}

// clock is moved by hand.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *clock { return &clock{at: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

type dialled struct {
	conn net.Conn
	err  error
}

// inBackground dials without waiting.
func (g *guest) inBackground(a netip.Addr, port int) <-chan dialled {
	out := make(chan dialled, 1)
	go func() {
		c, err := g.dialAddr(a, port)
		if err != nil {
			out <- dialled{nil, err}
			return
		}
		out <- dialled{c, nil}
	}()
	return out
}

func (d dialled) works() error {
	if d.err != nil {
		return d.err
	}
	defer d.conn.Close()
	return says(d.conn, "hello")
}

func (d dialled) refused() error {
	if d.err != nil {
		return refused(nil, d.err)
	}
	return refused(d.conn, nil)
}

// asking is a guest whose person answers.
func asking(t *testing.T, rules string) (*guest, *person, *clock) {
	w, p, c := newWorld(t), newPerson(), newClock()
	for _, port := range []int{22, 80, 443, 7777} {
		w.serve("new.example", "93.184.215.14", port, echo)
	}
	config := restricted(t, rules, "")
	config.Ask, config.Now = p.ask, c.now
	return boot(t, w, with(t, w, config)), p, c
}

func TestQuestionIsSharedAndTheConnectionsWait(t *testing.T) {
	g, p, _ := asking(t, "")
	a, _ := g.lookup("new.example")
	one, two := g.inBackground(a, 7777), g.inBackground(a, 7777)
	q := <-p.asked
	if q.Kind != vmhost.AskNetwork || q.Task != "task" || q.Text.Code != CodeConnect || q.ID == "" || q.Expires == nil ||
		q.Text.Params["host"] != "new.example" || q.Text.Params["port"] != 7777 ||
		q.Text.Params["reason"] != ReasonNewName || q.Text.Params["pattern"] != "new.example:7777" || len(q.Items) != 1 || q.Items[0] != "new.example:7777" {
		t.Errorf("%+v", q)
	}
	waitFor(t, "both to wait", func() bool {
		g.n.mu.Lock()
		defer g.n.mu.Unlock()
		return g.n.waiting == 2
	})
	if len(g.w.looked)+len(g.w.dialled) > 0 {
		t.Error("something left before the answer")
	}
	p.answers <- vmhost.Decision{Answer: vmhost.AnswerAllow, Scope: vmhost.ScopeOnce}
	for _, d := range []<-chan dialled{one, two} {
		if err := (<-d).works(); err != nil {
			t.Error(err)
		}
	}
	if len(p.asked) > 0 {
		t.Error("asked twice")
	}
}

func TestAnswersReachAsFarAsTheySay(t *testing.T) {
	for name, c := range map[string]struct {
		d     vmhost.Decision
		works bool
		later bool // asked again when an hour has gone
	}{
		"allow once":   {vmhost.Decision{Answer: vmhost.AnswerAllow, Scope: vmhost.ScopeOnce}, true, true},
		"allow task":   {vmhost.Decision{Answer: vmhost.AnswerAllow, Scope: vmhost.ScopeTask}, true, false},
		"allow always": {vmhost.Decision{Answer: vmhost.AnswerAllow, Scope: vmhost.ScopeAlways}, true, false},
		"deny once":    {vmhost.Decision{Answer: vmhost.AnswerDeny, Scope: vmhost.ScopeOnce}, false, true},
		"deny always":  {vmhost.Decision{Answer: vmhost.AnswerDeny, Scope: vmhost.ScopeAlways}, false, false},
		"no answer":    {vmhost.Decision{}, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			g, p, clock := asking(t, "")
			a, _ := g.lookup("new.example")
			first := g.inBackground(a, 7777)
			<-p.asked
			p.answers <- c.d
			for i := range 3 { // the one that waited, and two that try again
				d := first
				if i > 0 {
					d = g.inBackground(a, 7777)
				}
				got := <-d
				err := got.refused
				if c.works {
					err = got.works
				}
				if err := err(); err != nil {
					t.Errorf("%d: %v", i, err)
				}
			}
			if len(p.asked) > 0 {
				t.Fatal("asked again at once")
			}
			clock.pass(59 * time.Minute)
			d := g.inBackground(a, 7777)
			if c.later {
				<-p.asked
				p.answers <- vmhost.Decision{Answer: vmhost.AnswerAllow, Scope: vmhost.ScopeOnce}
				if err := (<-d).works(); err != nil {
					t.Error(err)
				}
			} else if <-d; len(p.asked) > 0 {
				t.Error("asked again")
			}
		})
	}
}

func TestWebPortsAreOneQuestion(t *testing.T) {
	g, p, _ := asking(t, "")
	a, _ := g.lookup("new.example")
	one, two := g.inBackground(a, 80), g.inBackground(a, 443)
	if q := <-p.asked; q.Items[0] != "new.example" {
		t.Error(q.Items)
	}
	p.answers <- vmhost.Decision{Answer: vmhost.AnswerAllow, Scope: vmhost.ScopeTask}
	for _, d := range []<-chan dialled{one, two} {
		if got := <-d; got.err != nil {
			t.Error(got.err)
		}
	}
	ssh := g.inBackground(a, 22)
	if q := <-p.asked; q.Items[0] != "new.example:22" {
		t.Error(q.Items)
	}
	p.answers <- vmhost.Decision{Answer: vmhost.AnswerDeny}
	if err := (<-ssh).refused(); err != nil {
		t.Error(err)
	}
}

func TestAddressIsAskedAboutAsSuch(t *testing.T) {
	g, p, _ := asking(t, "")
	g.w.serve("", "93.184.215.77", 443, echo)
	d := g.inBackground(netip.MustParseAddr("93.184.215.77"), 443)
	if q := <-p.asked; q.Items[0] != "93.184.215.77" || q.Text.Params["reason"] != ReasonNewAddress {
		t.Error(q.Items)
	}
	p.answers <- vmhost.Decision{Answer: vmhost.AnswerAllow}
	if got := <-d; got.err != nil {
		t.Error(got.err)
	}
}

func TestNobodyAnswers(t *testing.T) {
	w, p := newWorld(t), newPerson()
	config := restricted(t, "", "")
	config.Ask, config.AskWait = p.ask, 50*time.Millisecond
	g := boot(t, w, with(t, w, config))
	c, err := g.dial("new.example", 443)
	if err := refused(c, err); err != nil {
		t.Error(err)
	}
	waitFor(t, "the question to be withdrawn", func() bool { return p.gone.Load() == 1 })
	if told := told(g.n); len(told) != 1 || told[0].Kind != Refused {
		t.Errorf("told %+v", told)
	}
}

func TestQuestionIsWithdrawnByARule(t *testing.T) {
	for name, c := range map[string]struct {
		allow, deny string
		works       bool
	}{"that allows": {"new.example:7777", "", true}, "that denies": {"", "new.example", false}} {
		t.Run(name, func(t *testing.T) {
			g, p, _ := asking(t, "")
			a, _ := g.lookup("new.example")
			d := g.inBackground(a, 7777)
			<-p.asked
			g.n.SetRules(mustRules(t, c.allow, c.deny))
			got := <-d
			check := got.refused
			if c.works {
				check = got.works
			}
			if err := check(); err != nil {
				t.Error(err)
			}
			waitFor(t, "the question to be withdrawn", func() bool { return p.gone.Load() == 1 })
		})
	}
}

func TestQuestionOutlivesWhoAsked(t *testing.T) {
	g, p, _ := asking(t, "")
	a, _ := g.lookup("new.example")
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		conn, err := g.dialAddrContext(ctx, a, 7777)
		if err == nil {
			conn.Close()
		}
	}()
	<-p.asked
	cancel()
	p.answers <- vmhost.Decision{Answer: vmhost.AnswerAllow, Scope: vmhost.ScopeOnce}
	if err := (<-g.inBackground(a, 7777)).works(); err != nil {
		t.Error(err)
	}
	if len(p.asked) > 0 {
		t.Error("asked again")
	}
}

func TestQuestionsAreBounded(t *testing.T) {
	g, p, _ := asking(t, "new.example:7777")
	neighbour, err := g.dial("new.example", 7777)
	if err != nil {
		t.Fatal(err)
	}
	all := make(chan dialled, 3*maxQuestions)
	for i := range 3 * maxQuestions {
		a, _ := g.lookup("n" + string(rune('a'+i)) + ".other.example")
		go func() { all <- <-g.inBackground(a, 443) }()
	}
	for range 2 * maxQuestions { // refused at once
		if err := (<-all).refused(); err != nil {
			t.Error(err)
		}
	}
	if err := says(neighbour, "still here"); err != nil {
		t.Error(err)
	}
	waitFor(t, "the questions, and no more", func() bool { return len(p.asked) == maxQuestions })
	for range maxQuestions {
		p.answers <- vmhost.Decision{Answer: vmhost.AnswerDeny}
		if err := (<-all).refused(); err != nil {
			t.Error(err)
		}
	}
}

func TestRulesApplyAtOnce(t *testing.T) {
	for name, change := range map[string]func(*Network){
		"taken back":  func(n *Network) { n.SetRules(nil) },
		"denied":      func(n *Network) { n.SetRules(mustRules(t, "new.example:*", "new.example")) },
		"network off": func(n *Network) { n.SetPolicy(vmhost.NetworkDeny) },
	} {
		t.Run(name, func(t *testing.T) {
			g, _, _ := asking(t, "new.example:*")
			c, err := g.dial("new.example", 7777)
			if err != nil || says(c, "hello") != nil {
				t.Fatal(err)
			}
			change(g.n)
			if err := refused(c, nil); err != nil {
				t.Errorf("the connection goes on: %v", err)
			}
		})
	}
}

func TestOnceOutlivesOtherRules(t *testing.T) {
	g, p, _ := asking(t, "")
	a, _ := g.lookup("new.example")
	d := g.inBackground(a, 7777)
	<-p.asked
	p.answers <- vmhost.Decision{Answer: vmhost.AnswerAllow, Scope: vmhost.ScopeOnce}
	got := <-d
	if got.err != nil {
		t.Fatal(got.err)
	}
	g.n.SetRules(mustRules(t, "else.example", ""))
	if err := says(got.conn, "hello"); err != nil {
		t.Error(err)
	}
	g.n.SetRules(mustRules(t, "", "new.example"))
	if err := refused(got.conn, nil); err != nil {
		t.Error(err)
	}
}

func TestPrivateAddressNamedAndTakenBack(t *testing.T) {
	w := newWorld(t)
	w.serve("nas.example", "192.168.1.9", 7777, echo)
	g := boot(t, w, with(t, w, restricted(t, "nas.example:* 192.168.1.9:7777", "")))
	c, err := g.dial("nas.example", 7777)
	if err != nil || says(c, "hello") != nil {
		t.Fatal(err)
	}
	g.n.SetRules(mustRules(t, "nas.example:*", ""))
	if err := refused(c, nil); err != nil {
		t.Error(err)
	}
	c, err = g.dial("nas.example", 7777)
	if err := refused(c, err); err != nil {
		t.Error(err)
	}
}

func TestAskThatFailsRefuses(t *testing.T) {
	w := newWorld(t)
	config := restricted(t, "", "")
	config.Ask = func(context.Context, vmhost.Question) (vmhost.Decision, error) {
		return vmhost.Decision{Answer: vmhost.AnswerAllow, Scope: vmhost.ScopeAlways}, errors.New("could not be written down")
	}
	g := boot(t, w, with(t, w, config))
	c, err := g.dial("new.example", 443)
	if err := refused(c, err); err != nil {
		t.Error(err)
	}
	if len(g.n.Rules()) > 0 {
		t.Error("a rule came of it")
	}
}

// What the machine says is in the question, and nothing is decided by it.
func TestQuestionSaysWhichProgram(t *testing.T) {
	w, p := newWorld(t), newPerson()
	w.serve("new.example", "93.184.215.14", 7777, echo)
	type connection struct{ from, to netip.AddrPort }
	looked := make(chan connection, 10)
	names := make(chan string, 10)
	config := restricted(t, "", "")
	config.Ask = p.ask
	config.ProgramWait = time.Minute
	config.Program = func(_ context.Context, from, to netip.AddrPort) string {
		looked <- connection{from, to}
		return <-names
	}
	g := boot(t, w, with(t, w, config))
	a, _ := g.lookup("new.example")
	first := g.inBackground(a, 7777)
	c := <-looked
	if c.from.Addr() != guestNet.Addr() || c.from.Port() == 0 || c.to != netip.AddrPortFrom(a, 7777) {
		t.Errorf("%+v", c)
	}
	if len(p.asked) > 0 {
		t.Error("asked without it")
	}
	names <- "npm"
	q := <-p.asked
	if q.Text.Params["claimedProgram"] != "npm" || q.Text.Params["pattern"] != "new.example:7777" || q.Items[0] != "new.example:7777" {
		t.Errorf("%+v", q)
	}
	second := g.inBackground(a, 7777) // another program, the same question
	waitFor(t, "both to wait", func() bool {
		g.n.mu.Lock()
		defer g.n.mu.Unlock()
		return g.n.waiting == 2
	})
	p.answers <- vmhost.Decision{Answer: vmhost.AnswerDeny, Scope: vmhost.ScopeTask}
	for _, d := range []<-chan dialled{first, second} {
		if err := (<-d).refused(); err != nil {
			t.Error(err)
		}
	}
	names <- "curl"
	if err := (<-g.inBackground(a, 7777)).refused(); err != nil { // the host stays denied
		t.Error(err)
	}
	if len(looked)+len(p.asked) > 0 {
		t.Error("the machine was asked for nothing that is put to a person")
	}
	for _, r := range g.n.Rules() {
		if r.Pattern.String() != "new.example:7777" {
			t.Errorf("%+v", r)
		}
	}
}

// A machine that does not say, or does not answer, has its question put all the same.
func TestQuestionWithoutAProgram(t *testing.T) {
	var stuck chan struct{}
	for name, program := range map[string]func(context.Context, netip.AddrPort, netip.AddrPort) string{
		"nobody is asked":  nil,
		"it does not know": func(context.Context, netip.AddrPort, netip.AddrPort) string { return "" },
		"it is silent":     func(ctx context.Context, _, _ netip.AddrPort) string { <-ctx.Done(); return "" },
		"it hangs":         func(context.Context, netip.AddrPort, netip.AddrPort) string { <-stuck; return "late" },
	} {
		t.Run(name, func(t *testing.T) {
			stuck = make(chan struct{})
			defer close(stuck) // before the network waits for it
			w, p := newWorld(t), newPerson()
			w.serve("new.example", "93.184.215.14", 7777, echo)
			config := restricted(t, "", "")
			config.Ask, config.Program, config.ProgramWait = p.ask, program, time.Millisecond
			g := boot(t, w, with(t, w, config))
			a, _ := g.lookup("new.example")
			waits := g.inBackground(a, 7777)
			if q := <-p.asked; q.Text.Params["claimedProgram"] != nil {
				t.Errorf("%+v", q)
			}
			p.answers <- vmhost.Decision{Answer: vmhost.AnswerAllow, Scope: vmhost.ScopeOnce}
			if err := (<-waits).works(); err != nil {
				t.Error(err)
			}
		})
	}
}

// The host's own connections are of no program.
func TestDialOfTheHostIsOfNoProgram(t *testing.T) {
	w, p := newWorld(t), newPerson()
	w.serve("new.example", "93.184.215.14", 7777, echo)
	config := restricted(t, "", "")
	config.Ask = p.ask
	config.Program = func(context.Context, netip.AddrPort, netip.AddrPort) string { t.Error("asked"); return "curl" }
	n := with(t, w, config)
	done := make(chan error, 1)
	go func() {
		c, err := n.Dial(t.Context(), "tcp", "new.example:7777")
		if err == nil {
			err = errors.Join(says(c, "hello"), c.Close())
		}
		done <- err
	}()
	if q := <-p.asked; q.Text.Params["claimedProgram"] != nil {
		t.Errorf("%+v", q)
	}
	p.answers <- vmhost.Decision{Answer: vmhost.AnswerAllow, Scope: vmhost.ScopeOnce}
	if err := <-done; err != nil {
		t.Error(err)
	}
}
