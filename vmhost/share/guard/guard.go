package guard

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"piwork/vmhost"
	"piwork/vmhost/share/internal/at"
)

// ErrDenied refuses a change that a person, or a rule, did not want. To the
// guest it is EACCES.
var ErrDenied = errors.New("the change was not allowed")

// MaxItems is how many paths a question lists.
const MaxItems = 100

const (
	maxIdents  = 4096 // that a decision for once can cover
	maxStrikes = 3    // single refusals of a topic
	firstMore  = 100  // how many more "once" covers in a question about numbers
)

// Answer is a decision, and how many of the items the person saw.
type Answer struct {
	vmhost.Decision
	Seen int // 0 is all of them
}

// AskFunc asks a person, and shows what more arrives of the question meanwhile:
// the whole question again, with more items. It returns when it is answered or
// ctx ends.
type AskFunc func(ctx context.Context, q vmhost.Question, more <-chan vmhost.Question) (Answer, error)

// Standing is a decision from before: of a topic, in one folder (its id) or in
// all ("").
type Standing struct {
	Topic, Folder string
	Allow         bool
}

// Options of a Guard.
type Options struct {
	Task   string
	Ask    AskFunc        // nil: what would be asked about is refused
	Window time.Duration  // for which a question waits for others to join; 0 is 200 ms
	Used   func(Standing) // hears of each decision from before when it first counts; must not wait; may be nil
	Space  Space          // the disk of the folders; the zero value does not look at it
	Over   Over           // what stands over all of this; may be nil
}

// Over are rules that somebody wrote. They come before the plan, what was decided, and the
// limits. Their methods are called with the guard held, and must not call it.
type Over interface {
	// Concerned reports whether there is a rule that may refuse or ask about changes: else
	// Decide is not asked.
	Concerned() bool
	// Decide says what the rules say to a change, and which of them ask, each of which a person
	// has to answer. Allow leaves it to the guard.
	Decide(Intent) (v Verdict, ask []string)
}

// over is what the rules that somebody wrote say to a change.
func (g *Guard) over(i Intent) (Verdict, []string) {
	if g.o.Over == nil || !g.o.Over.Concerned() {
		return Allow, nil
	}
	return g.o.Over.Decide(i)
}

// Guard decides for one task. Its methods may be called from several goroutines
// at once.
type Guard struct {
	o      Options
	p      Policy
	globs  []compiled
	plan   planned
	ctx    context.Context
	cancel context.CancelFunc
	work   sync.WaitGroup
	epoch  atomic.Uint64

	writing  writing
	fetching fetching

	mu       sync.Mutex
	files    map[string]int // of each folder, as far as that matters
	names    map[string]string
	topics   map[string]*topic
	standing map[about]bool
	decided  map[about]bool // in this task
	used     map[about]bool // of standing: Options.Used heard
	queue    []*pending
	asking   bool
	closed   bool
}

// about is what a decision holds for; folder "" is all of them.
type about struct{ topic, folder string }

// topic is what happened so far of one kind.
type topic struct {
	seen    map[ident]struct{}
	folders map[string]int // how many of seen
	once    map[ident]struct{}
	extra   int // allowed beyond the limit
	strikes int
}

// step is a change that was counted.
type step struct {
	t      *topic
	who    ident
	folder string
	once   bool // allowed by a decision for once
}

// ident is what a change is of. What is not there yet is known by its path.
type ident struct {
	id     at.ID
	path   string
	delete bool
	to     string // where it moves, for written rules: a yes to one is to what its question shows
}

func (i Intent) ident() ident {
	x := ident{id: i.ID, delete: i.Effect == Delete}
	if i.ID == (at.ID{}) {
		x.path = i.Folder + "/" + i.Path
	}
	return x
}

// New makes the guard of a task. Close ends it.
func New(p Policy, o Options) *Guard {
	o.Window = cmp.Or(o.Window, 200*time.Millisecond)
	g := &Guard{o: o, p: p, plan: newPlanned(p.Plan), files: map[string]int{}, names: map[string]string{},
		topics: map[string]*topic{}, standing: map[about]bool{}, decided: map[about]bool{}, used: map[about]bool{}}
	g.writing.amount = amount{topic: TopicWrite, code: "guard-write-much", limit: p.Writes}
	g.fetching = fetching{amount: amount{topic: TopicFetch, code: "guard-fetch-much", limit: p.Fetches}, seen: map[at.ID]struct{}{}}
	for _, r := range p.Rules {
		g.globs = append(g.globs, compile(r.Globs))
	}
	g.ctx, g.cancel = context.WithCancel(context.Background())
	g.bound()
	return g
}

// Close refuses what waits, and everything that would have to be asked about
// from now on. It returns when nothing of the guard runs.
func (g *Guard) Close() {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	g.cancel()
	g.work.Wait()
}

// Files is how many files of a folder the guard wants counted, at most.
func (g *Guard) Files() int { return g.p.Files() }

// Folder tells of a folder: its name as questions say it, and how many files it
// had, as far as [Guard.Files] asked.
func (g *Guard) Folder(id, name string, files int) {
	g.writing.starts(id, g.o.Space)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.names[id], g.files[id] = name, files
}

// Epoch changes with every decision: what was allowed in an earlier one is to be
// asked for again.
func (g *Guard) Epoch() uint64 { return g.epoch.Load() }

// SetStanding replaces the decisions from before, also while the task runs.
func (g *Guard) SetStanding(list []Standing) {
	g.mu.Lock()
	defer g.mu.Unlock()
	clear(g.standing)
	clear(g.used)
	for _, s := range list {
		g.standing[about{s.Topic, s.Folder}] = s.Allow
	}
	g.epoch.Add(1)
}

// Forget takes back a decision of this task.
func (g *Guard) Forget(topic, folder string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.decided, about{topic, folder})
	if t := g.topics[topic]; t != nil {
		t.extra, t.strikes = 0, 0
		clear(t.once)
	}
	g.bound()
	g.epoch.Add(1)
}

// Ruled reports whether a rule names what is changed.
func (g *Guard) Ruled(i Intent) bool {
	if v, _ := g.over(i); v != Allow {
		return true
	}
	_, r := g.p.topic(g.globs, i)
	return r != nil
}

// Idle reports whether a change with these effects at these paths is of no
// interest, whatever it is of: nothing has to be found out about it.
func (g *Guard) Idle(folder string, e Effect, kind at.Kind, paths ...string) bool {
	if g.o.Over != nil && g.o.Over.Concerned() {
		return false
	}
	for n, r := range g.p.Rules {
		if r.Effects&e == 0 {
			continue
		}
		if r.Programs || r.Effects&Create != 0 && (kind == at.Directory && e&Move != 0 || kind == at.Symlink) {
			return false // it depends on what is there, or on what this would bring
		}
		for _, p := range paths {
			if g.globs[n].touches(Intent{Path: p, Effect: e, Kind: kind}) {
				return false
			}
		}
	}
	if e == Create {
		return true
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, t := range []string{TopicDelete, TopicChange} {
		if t == TopicDelete && e&Delete == 0 || t == TopicChange && e&^(Delete|Create) == 0 {
			continue
		}
		if allow, ok := g.decision(t, folder); !ok || !allow {
			return false
		}
	}
	return true
}

// Take allows changes that are made together, or says why not: ErrDenied, or a
// *Wait. back takes them out of the count again, because they failed.
func (g *Guard) Take(list ...Intent) (back func(), err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	var steps []step
	for _, i := range list {
		next, err := g.take(i)
		if err != nil {
			g.uncount(steps)
			return nil, err
		}
		steps = append(steps, next...)
	}
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.uncount(steps)
	}, nil
}

// take allows one change, or none; there are no steps where it does not count. mu is held.
func (g *Guard) take(i Intent) ([]step, error) {
	over, rules := g.over(i)
	name, rule := g.p.topic(g.globs, i)
	switch {
	case over == Deny, over == Ask && len(rules) == 0:
		return nil, ErrDenied
	case over == Ask:
		var all []step
		who := i.ident()
		who.to = i.To
		for _, name := range rules {
			next, err := g.takeTopic(name, &Rule{Name: name}, i, who)
			if err != nil {
				g.uncount(all)
				return nil, err
			}
			all = append(all, next...)
		}
		return all, nil
	case rule != nil && rule.Verdict == Deny:
		return nil, ErrDenied
	case !i.Original, rule == nil && i.Effect == Create, g.plan.covers(i), rule != nil && rule.Verdict == Allow:
		return nil, nil
	}
	return g.takeTopic(name, rule, i, i.ident())
}

// takeTopic allows a change as far as a topic goes: as it was decided, or by its number. mu is held.
func (g *Guard) takeTopic(name string, rule *Rule, i Intent, who ident) ([]step, error) {
	if allow, ok := g.decision(name, i.Folder); ok && allow {
		return nil, nil
	} else if ok {
		return nil, ErrDenied
	}
	t := g.topic(name)
	if _, ok := t.seen[who]; ok {
		return nil, nil
	}
	_, once := t.once[who]
	switch {
	case once, rule == nil && g.room(name, t, i):
	case g.closed || g.o.Ask == nil:
		return nil, ErrDenied
	default:
		return nil, g.join(name, rule, i, who)
	}
	delete(t.once, who)
	t.seen[who] = struct{}{}
	t.folders[i.Folder]++
	return []step{{t, who, i.Folder, once}}, nil
}

// uncount takes back what Take counted. mu is held.
func (g *Guard) uncount(steps []step) {
	for _, s := range steps {
		delete(s.t.seen, s.who)
		s.t.folders[s.folder]--
		if s.once {
			s.t.once[s.who] = struct{}{}
		}
	}
}

func (g *Guard) topic(name string) *topic {
	t := g.topics[name]
	if t == nil {
		t = &topic{seen: map[ident]struct{}{}, folders: map[string]int{}, once: map[ident]struct{}{}}
		g.topics[name] = t
	}
	return t
}

// decision is what a person said of a topic, the most particular first.
func (g *Guard) decision(topic, folder string) (allow, ok bool) {
	list := []about{{topic, folder}, {topic, ""}}
	for _, a := range list {
		if allow, ok = g.decided[a]; ok {
			return allow, true
		}
	}
	for _, a := range list {
		if allow, ok = g.standing[a]; ok {
			if !g.used[a] && g.o.Used != nil {
				g.o.Used(Standing{a.topic, a.folder, allow})
			}
			g.used[a] = true
			return allow, true
		}
	}
	return false, false
}

func (g *Guard) limit(topic string) Limit {
	if topic == TopicDelete {
		return g.p.Deletes
	}
	return g.p.Changes
}

// room reports whether one more of a topic is within the limits.
func (g *Guard) room(name string, t *topic, i Intent) bool {
	l := g.limit(name)
	return len(t.seen) < l.Free+t.extra && t.folders[i.Folder] < l.of(g.files[i.Folder])+t.extra
}
