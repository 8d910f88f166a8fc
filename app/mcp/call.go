package mcp

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"sync"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"piwork/app/consent"
	"piwork/app/problem"
	"piwork/app/tasks"
	"piwork/app/words"
	"piwork/vmhost"
)

const (
	cancelWithin = 10 * time.Second // for asking that a task ends
	askWithin    = 30 * time.Minute // for the answers of a person
	maxRounds    = 8                // of questions in one call: clients give up after ten
	roundsSince  = "2026-07-28"     // revision since which a call that asks is answered, and called again
)

// call is the work of one call of a tool. It goes on while the assistant asks the person:
// since the revision of 2026-07-28 the call is answered with the questions, and called again
// with the answers; before, the questions are requests to the client meanwhile.
type call struct {
	d      *Door
	ctx    context.Context
	cancel context.CancelFunc
	state  string        // by which it is found again
	done   chan struct{} // closed when there is a result
	result any
	ask    chan asking

	mu       sync.Mutex
	req      *sdk.CallToolRequest // that waits for the answer; nil while the call is parked
	values   context.Context      // of that request, by which the SDK finds its stream
	able     bool                 // the assistant can ask; also while the call is parked: then with the next answer
	progress float64              // the last that was said
	rounds   int
	asked    map[string]asking // by the assistant, and not answered
	parked   *time.Timer       // cancels it
}

// asking is a question on its way to the person by the assistant.
type asking struct {
	vmhost.Question
	back func() // it cannot ask, or has no answer: piwork alone can
}

// begun makes a call, or finds the one that goes on.
func (d *Door) begun(req *sdk.CallToolRequest) (c *call, fresh bool, err error) {
	state := req.Params.RequestState
	d.mu.Lock()
	defer d.mu.Unlock()
	if c = d.calls[state]; c != nil {
		delete(d.calls, state)
		c.parked.Stop()
		return c, false, nil
	}
	if state != "" {
		return nil, false, problem.BadRequest("requestState", "the call is over")
	}
	if d.life.Err() != nil {
		return nil, false, problem.New(problem.CodeCancelled)
	}
	d.work.Add(1) // before the door waits for it
	c = &call{d: d, state: rand.Text(), done: make(chan struct{}), ask: make(chan asking, 64), asked: map[string]asking{}}
	c.ctx, c.cancel = context.WithCancel(d.life)
	return c, true, nil
}

// work is what a tool does.
type work[In, Out any] func(ctx context.Context, c *call, in In) (*sdk.CallToolResult, Out, error)

// addTool adds a tool with the schema of its answers. These are not compared with it: both are of
// one type, and the SDK would read each answer again for that. Tests compare them.
func addTool[In, Out any](d *Door, s *sdk.Server, t *sdk.Tool, do work[In, Out]) {
	schema, err := jsonschema.For[Out](nil)
	if err != nil {
		panic(err) //nolint:forbidigo // as sdk.AddTool does: it is of the type, and so at every start or at none
	}
	t.OutputSchema = schema
	sdk.AddTool(s, t, tool(d, do))
}

// tool makes a handler of what a tool does: its errors are said in words, and the person can
// be asked meanwhile.
func tool[In, Out any](d *Door, do work[In, Out]) sdk.ToolHandlerFor[In, any] {
	type answer struct {
		res *sdk.CallToolResult
		out Out
		err error
	}
	return func(ctx context.Context, req *sdk.CallToolRequest, in In) (*sdk.CallToolResult, any, error) {
		c, fresh, err := d.begun(req)
		if err != nil {
			return nil, nil, d.said(err)
		}
		c.serve(ctx, req)
		if fresh {
			go func() {
				defer d.work.Done()
				defer close(c.done)
				defer c.cancel()
				res, out, err := do(c.ctx, c, in)
				c.result = answer{res, out, err}
			}()
		}
		waits, release := d.requests.attached(ctx, req)
		questions, err := c.wait(waits)
		release()
		if questions != nil {
			d.park(c)
			return &sdk.CallToolResult{InputRequests: questions, RequestState: c.state}, nil, nil
		}
		if err != nil {
			return nil, nil, err
		}
		a, mine := c.result.(answer)
		switch {
		case !mine:
			return nil, nil, d.said(problem.BadRequest("requestState", "the call is of another tool"))
		case a.err != nil:
			return nil, nil, d.said(a.err)
		}
		res, err := answered(a.res, a.out)
		return res, nil, err
	}
}

// park keeps a call until it is called again. One that never is, is cancelled.
func (d *Door) park(c *call) {
	d.mu.Lock()
	defer d.mu.Unlock()
	c.mu.Lock()
	c.req = nil
	c.mu.Unlock()
	d.calls[c.state] = c
	c.parked = time.AfterFunc(askWithin, func() { d.drop(c) })
}

// drop cancels a call that is parked.
func (d *Door) drop(c *call) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if c != nil && d.calls[c.state] == c {
		delete(d.calls, c.state)
		c.parked.Stop()
		c.cancel()
	}
}

// wait returns when the work is done, or with questions for the person. When ctx ends, so does
// the work.
func (c *call) wait(ctx context.Context) (sdk.InputRequestMap, error) {
	rounds := c.inRounds()
	for {
		select {
		case <-c.done:
			return nil, nil
		case <-ctx.Done():
			c.cancel()
			<-c.done
			return nil, context.Cause(ctx)
		case q := <-c.ask:
			if rounds {
				return c.questions(q), nil
			}
			session, values := c.req.Session, c.values
			c.d.work.Go(func() { c.elicit(values, session, q) })
		}
	}
}

// inRounds reports whether questions are answers to the call.
func (c *call) inRounds() bool {
	p := c.req.Session.InitializeParams()
	return p == nil || p.ProtocolVersion >= roundsSince
}

// questions are all that wait to be asked, beginning with one.
func (c *call) questions(q asking) sdk.InputRequestMap {
	out := sdk.InputRequestMap{}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rounds++
	for {
		c.asked[q.ID] = q
		out[q.ID] = form(c.d.o.Words, q.Question)
		select {
		case q = <-c.ask:
		default:
			return out
		}
	}
}

// elicit asks by a request of its own, which stays when the call is over.
func (c *call) elicit(values context.Context, session *sdk.ServerSession, q asking) {
	ctx, cancel := context.WithTimeout(values, askWithin)
	defer cancel()
	defer context.AfterFunc(c.d.life, cancel)()
	got, err := session.Elicit(ctx, form(c.d.o.Words, q.Question))
	if err != nil {
		got = nil
	}
	c.answer(q, got)
}

// form is a question as the assistant puts it to the person.
func form(c *words.Catalogue, q vmhost.Question) *sdk.ElicitParams {
	return &sdk.ElicitParams{Mode: "form", Message: questionText(c, q), RequestedSchema: json.RawMessage(
		`{"type":"object","properties":{"answer":{"type":"string","title":"Answer","enum":["allow","deny"],"enumNames":["Yes, this once","No"]}},"required":["answer"]}`,
	)}
}

// serve has another request wait for the answer. It has the answers of the person to what was
// asked, or none.
func (c *call) serve(ctx context.Context, req *sdk.CallToolRequest) {
	c.mu.Lock()
	c.req, c.values, c.able = req, context.WithoutCancel(ctx), canAsk(req.Session)
	asked := c.asked
	c.asked = map[string]asking{}
	c.mu.Unlock()
	for id, q := range asked {
		got, _ := req.Params.InputResponses[id].(*sdk.ElicitResult)
		c.answer(q, got)
	}
}

// answer tells piwork what the person said. Without a yes or a no the question stays open in
// piwork.
func (c *call) answer(q asking, got *sdk.ElicitResult) {
	ctx, cancel := context.WithTimeout(c.d.life, cancelWithin) // the call may be over by now
	defer cancel()
	c.d.asked.end(q.Question)
	said := ""
	if got != nil {
		said, _ = got.Content["answer"].(string)
	}
	var err error
	switch {
	case got != nil && got.Action == "accept" && said == vmhost.AnswerAllow && q.ID == tasks.PlanQuestion:
		_, err = c.d.service.AcceptPlan(ctx, q.Task)
	case got != nil && got.Action == "accept" && said == vmhost.AnswerAllow:
		_, err = c.d.service.Answer(ctx, q.Task, q.ID, consent.AnswerRequest{Answer: vmhost.AnswerAllow, Scope: vmhost.ScopeOnce, Seen: min(len(q.Items), words.ShownItems)})
	case got == nil || got.Action != "decline" && (got.Action != "accept" || said != vmhost.AnswerDeny):
		q.back()
	case q.ID == tasks.PlanQuestion:
		_, err = c.d.service.CancelTask(ctx, q.Task)
	default:
		_, err = c.d.service.Answer(ctx, q.Task, q.ID, consent.AnswerRequest{Answer: vmhost.AnswerDeny})
	}
	if err != nil {
		q.back() // where somebody was quicker, the task goes on all the same
	}
}

// asks puts a question to the person by way of the assistant; false is that piwork alone can.
// A yes or a no is all that is asked so.
func (c *call) asks(q vmhost.Question, back func()) bool {
	c.mu.Lock()
	able := c.able && !c.d.o.Aside && c.rounds < maxRounds
	c.mu.Unlock()
	if !able || q.Input || len(q.Choices) > 0 {
		return false
	}
	if !c.d.asked.begin(q) {
		return true // it has not answered the last time yet
	}
	select {
	case c.ask <- asking{q, back}:
		return true
	default:
		c.d.asked.end(q)
		return false
	}
}

// canAsk reports whether an assistant can put forms to the person.
func canAsk(s *sdk.ServerSession) bool {
	p := s.InitializeParams()
	if p == nil || p.Capabilities == nil || p.Capabilities.Elicitation == nil {
		return false
	}
	e := p.Capabilities.Elicitation
	return e.Form != nil || e.URL == nil
}

// asked are questions that assistants have before the person.
type asked struct {
	mu  sync.Mutex
	all map[string]bool // by task and id
}

// begin notes one; false is that it is before the person already.
func (a *asked) begin(q vmhost.Question) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	key := q.Task + "/" + q.ID
	if a.all[key] {
		return false
	}
	if a.all == nil {
		a.all = map[string]bool{}
	}
	a.all[key] = true
	return true
}

func (a *asked) end(q vmhost.Question) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.all, q.Task+"/"+q.ID)
}

// say tells the assistant how far the call is, where it asked for that. The number always
// grows, as the protocol has it.
func (c *call) say(what string, done, total int64) {
	c.mu.Lock()
	req, values := c.req, c.values
	c.progress = max(c.progress+1e-6, float64(done))
	note := &sdk.ProgressNotificationParams{Message: what, Progress: c.progress}
	c.mu.Unlock()
	if req == nil || req.Params.GetProgressToken() == nil {
		return
	}
	note.ProgressToken = req.Params.GetProgressToken()
	if total > 0 && note.Progress <= float64(total) {
		note.Total = float64(total)
	}
	ctx, cancel := context.WithTimeout(values, cancelWithin)
	defer cancel()
	_ = req.Session.NotifyProgress(ctx, note) // whoever left hears nothing
}
