package approval

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"

	"piwork/vmhost"
)

// ErrNotOpen says that there is no such question, or that it was answered or withdrawn.
var ErrNotOpen = errors.New("the question is not open")

// Answer is what a person, or something that stands for one, says.
type Answer struct {
	Who
	Answer string // vmhost.AnswerAllow or vmhost.AnswerDeny
	Scope  string // vmhost.ScopeOnce and so on; "" is what [Usual] says
	Seen   int    // items that were shown; 0 is all that there are
	Choice *int   // as in vmhost.Decision
	Text   string // as in vmhost.Decision
	// May says why this question is not to be answered so; nil has nothing against any.
	May func(vmhost.Question) error
}

// Who decided.
type Who struct {
	By      string // as in vmhost.Decision
	Client  string // as in vmhost.Decision
	Door    string // as in task.DoorOf
	Request string // x-request-id of the answer
}

// Log is a log of what is done in a task for who asked.
func (w Who) Log(log *slog.Logger, task string) *slog.Logger {
	if log = log.With("task", task); w.Request == "" {
		return log
	}
	return log.With("request", w.Request)
}

// Asker is who asks.
type Asker struct {
	// Show is called when the question appears, and again when it has grown.
	Show func(q vmhost.Question)
	// Decide records the answer, once. With an error the question stays open.
	Decide func(q vmhost.Question, a Answer) error
}

// Inbox has the open questions. The zero value is ready; its methods may be
// called from several goroutines at once.
type Inbox struct {
	mu   sync.Mutex
	open []*entry
}

// entry is an open question.
type entry struct {
	task, id string
	by       Asker
	answer   chan Answer // gets the one answer

	mu   sync.Mutex // held while it is decided
	over bool
	q    vmhost.Question
	n    int // items in all
}

// Ask puts a question, whose task and id are set, with its risk, and waits for its
// answer. More of the same question comes in more. When ctx ends it is withdrawn.
func (b *Inbox) Ask(ctx context.Context, q vmhost.Question, more <-chan vmhost.Question, by Asker) (Answer, error) {
	q = Rated(q)
	e := &entry{task: q.Task, id: q.ID, by: by, answer: make(chan Answer, 1), q: q, n: count(q)}
	// Open before it is shown: who sees it may answer at once.
	b.mu.Lock()
	b.open = append(b.open, e)
	b.mu.Unlock()
	defer func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.open = slices.DeleteFunc(b.open, func(o *entry) bool { return o == e })
	}()
	by.Show(q)
	for {
		select {
		case a := <-e.answer:
			return a, nil
		case q := <-more:
			e.grow(q)
		case <-ctx.Done():
			return e.withdraw(context.Cause(ctx))
		}
	}
}

func (e *entry) grow(q vmhost.Question) {
	e.mu.Lock()
	defer e.mu.Unlock()
	q.Rule = e.q.Rule
	q = Rated(q)
	q.Task, q.ID = e.task, e.id
	if !e.over {
		e.q, e.n = q, count(q)
		e.by.Show(q)
	}
}

// withdraw ends a question that nobody waits for, unless it was just answered.
func (e *entry) withdraw(err error) (Answer, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.over = true
	select {
	case a := <-e.answer:
		return a, nil
	default:
		return Answer{}, err
	}
}

// count is how many things a question is about: it may list fewer.
func count(q vmhost.Question) int {
	if n, ok := q.Text.Params["count"].(int); ok {
		return n
	}
	return len(q.Items)
}

// Open returns the open questions, oldest first; with a task only those of it.
func (b *Inbox) Open(task string) []vmhost.Question {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := []vmhost.Question{}
	for _, e := range b.open {
		if task == "" || e.task == task {
			e.mu.Lock()
			if !e.over {
				out = append(out, e.q)
			}
			e.mu.Unlock()
		}
	}
	return out
}

// Answer decides an open question and returns it as it was decided.
func (b *Inbox) Answer(task, id string, a Answer) (vmhost.Question, error) {
	b.mu.Lock()
	i := slices.IndexFunc(b.open, func(e *entry) bool { return e.task == task && e.id == id })
	if i < 0 {
		b.mu.Unlock()
		return vmhost.Question{}, ErrNotOpen
	}
	e := b.open[i]
	b.mu.Unlock()
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.over {
		return vmhost.Question{}, ErrNotOpen
	}
	if a.May != nil {
		if err := a.May(e.q); err != nil {
			return e.q, err
		}
	}
	if a.Seen <= 0 || a.Seen > e.n {
		a.Seen = e.n
	}
	a.Scope = cmp.Or(a.Scope, Usual(e.q, a.Answer))
	if err := e.by.Decide(e.q, a); err != nil {
		return e.q, err
	}
	e.over = true
	e.answer <- a
	return e.q, nil
}
