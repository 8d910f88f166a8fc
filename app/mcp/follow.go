package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"piwork/app/chore"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/app/words"
	"piwork/vmhost"
)

// begin starts a task and follows it. It is that of the door: it ends with it.
func (d *Door) begin(ctx context.Context, c *call, r tasks.StartRequest) (Outcome, error) {
	id, err := task.NewID()
	if err != nil {
		return Outcome{}, err
	}
	r.ID, r.MachineChoice, r.Agent = id, d.o.Machine, true
	if r.Kind == task.KindAI {
		r.Budget = d.o.Budget
	}
	events, stop := d.service.Subscribe(task.EventFilter{Task: id}) // before it is there, so that nothing is missed
	defer stop()
	if _, err := d.service.StartTask(d.life, r); err != nil {
		return Outcome{}, err
	}
	d.note(id)
	f := d.following(c, id)
	err = f.until(ctx, events)
	if err == nil {
		var out Outcome
		if out, err = f.stands(ctx); err == nil {
			return out, nil
		}
	}
	d.cancel(id) // nobody hears of it
	return Outcome{}, err
}

// cancel ends a task, whoever has gone.
func (d *Door) cancel(id string) {
	ctx, done := context.WithTimeout(context.Background(), cancelWithin)
	defer done()
	_, _ = d.service.CancelTask(ctx, id) // else it is over, or ends with the door
}

// following is what a call hears of a task.
type following struct {
	d     *Door
	c     *call
	id    string
	asked map[string]bool      // questions, by id
	back  chan vmhost.Question // that the assistant did not ask, or got no answer to

	accepted bool // its plan is
	answer   string
	waits    []string // questions that piwork alone can ask
	over     bool     // it is, or waits for somebody whom the assistant cannot ask
}

func (d *Door) following(c *call, id string) *following {
	return &following{d: d, c: c, id: id, asked: map[string]bool{}, back: make(chan vmhost.Question, 64)}
}

// until returns when the task is over, or waits for somebody whom the assistant cannot ask.
func (f *following) until(ctx context.Context, events <-chan task.Event) error {
	for !f.over {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case q := <-f.back:
			if err := f.returned(ctx, q); err != nil {
				return err
			}
		case e, open := <-events:
			if !open {
				return errors.New("piwork does not answer any more")
			}
			if err := f.event(ctx, e); err != nil {
				return err
			}
		}
	}
	return nil
}

// stands is how the task stands, with what was heard of it.
func (f *following) stands(ctx context.Context) (Outcome, error) {
	t, err := f.d.service.Task(ctx, f.id)
	if err == nil && f.answer == "" && t.Kind == task.KindAI && t.State.Final() {
		err = f.recall(ctx)
	}
	out := f.d.outcome(t)
	out.Answer, _ = clip([]byte(f.answer))
	out.Waits = f.waits
	return out, err
}

// recall finds what was said and decided in a task before this call.
func (f *following) recall(ctx context.Context) error {
	all, err := f.d.service.Timeline(ctx, f.id, 0)
	for _, e := range all {
		f.heard(e)
	}
	return err
}

// heard notes what the AI said, and that the plan is accepted.
func (f *following) heard(e task.Event) {
	switch data := e.Data.(type) {
	case task.MessageData:
		if data.Role == "assistant" && data.Text != "" {
			f.answer = data.Text
		}
	case vmhost.Decision:
		f.accepted = f.accepted || data.ID == tasks.PlanQuestion
	}
}

// look finds out how the task stands, where events were missed.
func (f *following) look(ctx context.Context) error {
	t, err := f.d.service.Task(ctx, f.id)
	if err != nil {
		return err
	}
	f.over = t.State.Final()
	if t.State == task.StateWaiting {
		return f.waiting(ctx)
	}
	return nil
}

// waiting handles all that the person is asked; a plan that is not accepted yet is a question,
// too.
func (f *following) waiting(ctx context.Context) error {
	all, err := f.d.service.Questions(ctx, f.id)
	if err != nil {
		return err
	}
	for _, q := range all {
		f.question(q)
	}
	if len(all) > 0 || f.accepted {
		return nil
	}
	t, err := f.d.service.Task(ctx, f.id)
	if err != nil || t.Chore == "" || t.State != task.StateWaiting {
		return err
	}
	p, err := f.d.service.Plan(ctx, f.id)
	if err == nil {
		f.plan(p)
	}
	return err
}

// maxPlan is how many lines of a plan are shown to the person in the assistant.
const maxPlan = 60

// plan is a question with all that the plan does. A longer one is for piwork's own window.
func (f *following) plan(p chore.Plan) {
	q := vmhost.Question{ID: tasks.PlanQuestion, Task: f.id, Title: f.d.o.Words.ChoreTitle(p.Chore), Detail: p.Summary}
	if f.d.o.PlanLines != nil {
		q.Notes = f.d.o.PlanLines(p)
	}
	q.Input = len(q.Notes) == 0 || len(q.Notes) > maxPlan // cannot be answered with a yes or a no there
	if q.Input {
		q.Notes = nil
	}
	f.question(q)
}

func (f *following) event(ctx context.Context, e task.Event) error {
	if e.Kind == task.EventReset {
		return f.look(ctx)
	}
	switch data := e.Data.(type) {
	case task.StateData:
		f.over = data.State.Final()
		if data.State == task.StateWaiting {
			return f.waiting(ctx)
		}
	case task.StepData:
		f.c.say(f.d.o.Words.Name("step", data.Step), 0, 0)
	case task.ProgressData:
		f.c.say(words.Printable(data.Item), data.Done, data.Total)
	case vmhost.Question:
		f.question(data)
	default:
		f.heard(e)
	}
	return nil
}

// question has the assistant ask the person, or notes that piwork does.
func (f *following) question(q vmhost.Question) {
	if f.asked[q.ID] {
		return
	}
	f.asked[q.ID] = true
	if q.Title == "" && q.Text.Code != "" { // an event that was not rendered
		f.d.o.Words.Question(&q)
	}
	text := questionText(f.d.o.Words, q)
	f.c.say(text, 0, 0)
	back := func() {
		select {
		case f.back <- q:
		default: // nobody hears of it any more
		}
	}
	if !f.c.asks(q, back) {
		f.left(text)
	}
}

// returned handles a question to which the assistant has no answer: it is left to piwork,
// unless somebody answered it there meanwhile.
func (f *following) returned(ctx context.Context, q vmhost.Question) error {
	all, err := f.d.service.Questions(ctx, f.id)
	if err != nil {
		return err
	}
	open := slices.ContainsFunc(all, func(o vmhost.Question) bool { return o.ID == q.ID })
	if q.ID == tasks.PlanQuestion && !f.accepted {
		t, err := f.d.service.Task(ctx, f.id)
		if err != nil {
			return err
		}
		open = t.State == task.StateWaiting
	}
	if open {
		f.left(questionText(f.d.o.Words, q))
	}
	return nil
}

// left notes a question that piwork alone can ask.
func (f *following) left(text string) { f.waits, f.over = append(f.waits, text), true }

// questionText is a question as the person reads it.
func questionText(c *words.Catalogue, q vmhost.Question) string {
	return joined(append([]string{q.Title}, words.QuestionLines(c, q)...), "\n")
}

// missing is a task that is not there, or not at work.
func missing(err error) bool {
	p := problem.From(err)
	return p != nil && (p.Code == problem.CodeNotFound || p.Code == problem.CodeNotAtWork)
}

func asJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}
