package guard

import (
	"context"
	"strings"
	"time"

	"piwork/vmhost"
)

// pending is a question that is asked or will be: the changes that wait for it.
// It is guarded by Guard.mu.
type pending struct {
	about  about
	kind   vmhost.QuestionKind
	code   string
	rule   bool
	idents map[ident]int // in the order of their arrival, up to maxIdents
	items  []string      // up to MaxItems
	count  int
	next   int // how many more "once" covers, where it is about a number

	waiters int
	cancel  context.CancelFunc // ends the asking; nil before it is asked
	off     bool               // it is taken back: nobody joins it any more
	more    chan vmhost.Question
	done    chan struct{}
	denied  func(ident) bool // how it ended
}

// Wait is the error of a change that a person has to be asked about first.
type Wait struct {
	g   *Guard
	p   *pending
	who ident
}

func (w *Wait) Error() string { return "a person is being asked" }

// Wait waits for the answer: with nil the call is to be made again. It is called
// once.
func (w *Wait) Wait(ctx context.Context) error {
	defer w.leave()
	select {
	case <-w.p.done:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	w.g.mu.Lock()
	defer w.g.mu.Unlock()
	if w.p.denied(w.who) {
		return ErrDenied
	}
	return nil
}

// leave takes the question back when nobody waits for it any more.
func (w *Wait) leave() {
	w.g.mu.Lock()
	defer w.g.mu.Unlock()
	w.p.waiters--
	w.p.withdraw()
}

// withdraw takes a question back that was asked and that nobody waits for. mu is
// held.
func (p *pending) withdraw() {
	if p.waiters == 0 && p.cancel != nil {
		p.off = true
		p.cancel()
	}
}

// join adds a change to the question about its topic. mu is held.
func (g *Guard) join(name string, rule *Rule, i Intent, who ident) *Wait {
	key := about{name, i.Folder}
	var p *pending
	for _, q := range g.queue {
		if q.about == key && !q.off {
			p = q
		}
	}
	if p == nil {
		p = &pending{about: key, rule: rule != nil, idents: map[ident]int{}, done: make(chan struct{}), more: make(chan vmhost.Question, 1)}
		p.kind, p.code, p.next = g.wording(name, rule, i)
		g.queue = append(g.queue, p)
	}
	if a := g.amountOf(name); a != nil {
		p.next = max(p.next, g.next(a, i.Size))
	}
	if _, ok := p.idents[who]; !ok {
		p.count++
		if len(p.idents) < maxIdents {
			p.idents[who] = p.count
		}
		if len(p.items) < MaxItems {
			p.items = append(p.items, g.item(i))
		}
		g.tell(p)
	}
	p.waiters++
	if !g.asking {
		g.asking = true
		g.work.Go(g.run)
	}
	return &Wait{g: g, p: p, who: who}
}

// wording is which question is asked about a topic, and how many more changes an
// answer for once covers.
func (g *Guard) wording(name string, rule *Rule, i Intent) (kind vmhost.QuestionKind, code string, next int) {
	many, a := rule == nil && g.limit(name).Free > 0, g.amountOf(name)
	switch {
	case a != nil:
		return vmhost.AskMassChange, a.code, g.next(a, i.Size)
	case rule != nil && i.Effect == Delete:
		return vmhost.AskDelete, "guard-rule", 0
	case rule != nil:
		return vmhost.AskOverwrite, "guard-rule", 0
	case many && name == TopicDelete:
		return vmhost.AskMassChange, "guard-delete-many", g.more(name)
	case many:
		return vmhost.AskMassChange, "guard-change-many", g.more(name)
	case name == TopicDelete:
		return vmhost.AskDelete, "guard-delete", 0
	}
	return vmhost.AskOverwrite, "guard-change", 0
}

// more grows, so that a large work is not asked about for ever.
func (g *Guard) more(name string) int { return max(firstMore, 2*g.topic(name).extra) }

// tell shows an open question again. mu is held.
func (g *Guard) tell(p *pending) {
	if p.cancel == nil {
		return
	}
	select {
	case <-p.more: // nobody saw that one
	default:
	}
	p.more <- g.question(p)
}

// question is what is asked. mu is held.
func (g *Guard) question(p *pending) vmhost.Question {
	t := g.topic(p.about.topic)
	params := map[string]any{"topic": p.about.topic, "folder": p.about.folder, "name": text(g.names[p.about.folder]), "count": p.count, "done": len(t.seen)}
	if p.next > 0 {
		params["next"] = p.next
	}
	if a := g.amountOf(p.about.topic); a != nil {
		params["bytes"] = a.bytes.Load()
	}
	return vmhost.Question{Task: g.o.Task, Kind: p.kind, Text: vmhost.Text{Code: p.code, Params: params},
		Items: append([]string(nil), p.items...)}
}

// item is a change as a question lists it.
func (g *Guard) item(i Intent) string {
	s := text(i.Path)
	if i.To != "" {
		s += " → " + text(i.To)
	}
	return s
}

// text makes what the guest named fit for JSON.
func text(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// run asks what is to be asked, one after the other.
func (g *Guard) run() {
	for {
		g.mu.Lock()
		if len(g.queue) == 0 {
			g.asking = false
			g.mu.Unlock()
			return
		}
		p := g.queue[0]
		g.mu.Unlock()
		g.pause()
		ctx, cancel := context.WithCancel(g.ctx)
		g.mu.Lock()
		p.cancel = cancel
		p.withdraw()
		if g.closed {
			cancel()
		}
		q := g.question(p)
		_, settled := g.decision(p.about.topic, p.about.folder) // by the answer to the one before
		g.mu.Unlock()
		a, err := Answer{}, ctx.Err()
		if !settled && err == nil {
			a, err = g.o.Ask(ctx, q, p.more)
		}
		cancel()
		g.mu.Lock()
		if settled {
			p.denied = func(ident) bool { return false } // what is decided is found out by asking again
		} else {
			g.settle(p, a, err)
		}
		g.queue = g.queue[1:]
		g.mu.Unlock()
		close(p.done)
	}
}

// pause lets others join a question.
func (g *Guard) pause() {
	t := time.NewTimer(g.o.Window)
	defer t.Stop()
	select {
	case <-t.C:
	case <-g.ctx.Done():
	}
}

// settle takes an answer over. mu is held.
func (g *Guard) settle(p *pending, a Answer, err error) {
	g.epoch.Add(1)
	seen := a.Seen
	if seen <= 0 || seen > p.count {
		seen = p.count
	}
	p.denied = func(ident) bool { return false }
	t := g.topic(p.about.topic)
	switch allow := a.Answer == vmhost.AnswerAllow; {
	case err != nil: // nobody answered: refused, and nothing to be remembered
		p.denied = func(ident) bool { return true }
	case a.Scope == vmhost.ScopeTask || a.Scope == vmhost.ScopeAlways:
		g.decided[about{p.about.topic, ""}] = allow
	case a.Scope == vmhost.ScopeFolder:
		g.decided[p.about] = allow
	case allow && p.next > 0:
		t.extra = int(Sum(int64(t.extra), int64(p.next)))
		g.bound()
	case allow:
		for who, n := range p.idents {
			if n <= seen {
				t.once[who] = struct{}{}
			}
		}
	default:
		p.denied = func(who ident) bool {
			n, ok := p.idents[who]
			return !ok || n <= seen
		}
		if t.strikes++; t.strikes >= maxStrikes {
			g.decided[about{p.about.topic, ""}] = false
		}
	}
}
