package network

import (
	"context"
	"net/netip"
	"time"

	"github.com/google/uuid"

	"piwork/vmhost"
	"piwork/vmhost/network/policy"
)

// Reasons of refusals that are not the policy's.
const (
	ReasonDenied      = "denied"       // a person said no, just now or a moment ago
	ReasonNoAnswer    = "no-answer"    // nobody said anything in time
	ReasonTooMany     = "too-many"     // connections, or open questions
	ReasonUnresolved  = "unresolved"   // an address that no name was given
	ReasonGateway     = "gateway"      // the gateway offers nothing there
	ReasonOtherName   = "other-name"   // the first bytes are for another host
	ReasonNoName      = "no-name"      // the first bytes do not say for which host
	ReasonSilent      = "silent"       // no first bytes
	ReasonWithdrawn   = "withdrawn"    // what allowed it does not hold any more
	ReasonUnreachable = "unreachable"  // allowed, and could not be made
	ReasonNoSuchName  = "no-such-name" // allowed, and the name has no address
)

// CodeConnect is the code of questions. Their parameters are host, port, pattern
// (what a decision for longer than once is about), reason (ReasonNewName or
// ReasonNewAddress) and, where the machine says which program it is, claimedProgram.
const (
	CodeConnect = "network-connect"

	ReasonNewName    = "new-name"
	ReasonNewAddress = "new-address" // the guest used an address without a name
)

// question is one that is open: for a host and a port, or for the web ports of a
// host.
type question struct {
	target  policy.Target // of the first that asked
	cancel  context.CancelFunc
	done    chan struct{} // closed with verdict set
	verdict policy.Verdict
}

// remembered is an answer that reached no further than once: for those that try
// again.
type remembered struct {
	verdict policy.Verdict
	until   time.Time
}

// judge says what holds for t now. n.mu is held.
func (n *Network) judge(t policy.Target) policy.Verdict {
	v := n.set.Decide(t)
	if v.Answer != policy.Ask {
		return v
	}
	key := t.Pattern()
	if r, ok := n.memory[key]; ok {
		if n.now().Before(r.until) {
			return r.verdict
		}
		delete(n.memory, key)
	}
	return v
}

// decide is judge, and asks where that says so. It returns when there is an
// answer, when nobody answers in time, or when ctx ends.
func (n *Network) decide(ctx context.Context, t policy.Target, by caller) policy.Verdict {
	n.mu.Lock()
	v := n.judge(t)
	if v.Answer != policy.Ask {
		n.mu.Unlock()
		return v
	}
	key := t.Pattern()
	q := n.questions[key]
	refused := policy.Verdict{Answer: policy.Refuse, Reason: ReasonTooMany}
	if n.waiting >= maxWaiting || q == nil && len(n.questions) >= maxQuestions {
		n.mu.Unlock()
		return refused
	}
	if n.config.Ask == nil || n.life.Err() != nil {
		n.mu.Unlock()
		refused.Reason = ReasonNoAnswer
		return refused
	}
	if q == nil {
		q = n.ask(key, t, by)
	}
	n.waiting++
	n.mu.Unlock()
	defer func() {
		n.mu.Lock()
		n.waiting--
		n.mu.Unlock()
	}()
	select {
	case <-q.done:
		return q.verdict
	case <-ctx.Done():
		refused.Reason = ReasonWithdrawn
		return refused
	}
}

// caller is the connection that a question is about, as the machine has it. The zero
// value is the host itself.
type caller struct{ from, to netip.AddrPort }

// program asks which program by is, and goes on without when that takes long.
func (n *Network) program(ctx context.Context, by caller) string {
	if n.config.Program == nil || !by.from.IsValid() {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, n.config.ProgramWait)
	defer cancel()
	said := make(chan string, 1)
	n.work.Go(func() { said <- n.config.Program(ctx, by.from, by.to) })
	select {
	case name := <-said:
		return name
	case <-ctx.Done():
		return ""
	}
}

// ask opens a question. It lives on when those that wait for it are gone: the
// answer is for those that try again. n.mu is held.
func (n *Network) ask(key policy.Pattern, t policy.Target, by caller) *question {
	ctx, cancel := context.WithTimeout(n.life, n.config.AskWait)
	q := &question{target: t, cancel: cancel, done: make(chan struct{})}
	n.questions[key] = q
	expires, reason := n.now().Add(n.config.AskWait), ReasonNewName
	if t.Name == "" {
		reason = ReasonNewAddress
	}
	about := vmhost.Question{
		ID: uuid.Must(uuid.NewV7()).String(), Task: n.config.Task, Kind: vmhost.AskNetwork,
		Text: vmhost.Text{Code: CodeConnect, Params: map[string]any{
			"host": t.Host(), "port": int(t.Port), "pattern": key.String(), "reason": reason}},
		Items: []string{key.String()}, Expires: &expires,
	}
	context.AfterFunc(ctx, func() { n.settle(key, q, vmhost.Decision{}, context.Cause(ctx)) })
	n.work.Go(func() {
		if program := n.program(ctx, by); program != "" {
			about.Text.Params["claimedProgram"] = program
		}
		d, err := n.config.Ask(ctx, about)
		n.settle(key, q, d, err)
	})
	return q
}

// settle answers a question; only the first answer counts.
func (n *Network) settle(key policy.Pattern, q *question, d vmhost.Decision, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.questions[key] != q {
		return
	}
	allow := err == nil && d.Answer == vmhost.AnswerAllow
	v := policy.Verdict{Answer: policy.Refuse, Reason: ReasonDenied}
	switch {
	case allow:
		v = policy.Verdict{Answer: policy.Allow, Reason: policy.ReasonRule}
	case err != nil:
		v.Reason = ReasonNoAnswer
	}
	switch d.Scope {
	case vmhost.ScopeTask, vmhost.ScopeFolder, vmhost.ScopeAlways:
		if err == nil {
			n.set.Rules = append(n.set.Rules[:len(n.set.Rules):len(n.set.Rules)], policy.Rule{Allow: allow, Pattern: key, Task: true})
			break
		}
		fallthrough
	default:
		n.remember(key, v)
	}
	n.end(key, q, v)
}

// remember keeps an answer for a little. n.mu is held.
func (n *Network) remember(key policy.Pattern, v policy.Verdict) {
	if len(n.memory) >= maxRemembered {
		clear(n.memory)
	}
	keep := refusedFor
	if v.Answer == policy.Allow {
		keep = allowedFor
	}
	n.memory[key] = remembered{v, n.now().Add(keep)}
}

// end lets those go that wait for q. n.mu is held.
func (n *Network) end(key policy.Pattern, q *question, v policy.Verdict) {
	delete(n.questions, key)
	q.verdict = v
	close(q.done)
	q.cancel()
}
