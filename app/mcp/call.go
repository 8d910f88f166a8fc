package mcp

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"piwork/app/consent"
	"piwork/app/problem"
	"piwork/app/tasks"
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
	ask    chan vmhost.Question // for the person, by the assistant

	mu       sync.Mutex
	req      *sdk.CallToolRequest // that waits for the answer
	progress float64              // the last that was said
	rounds   int
	asked    map[string]vmhost.Question // by the assistant, and not answered
}

// begun makes a call, or finds the one that goes on.
func (d *Door) begun(req *sdk.CallToolRequest) (c *call, fresh bool, err error) {
	state := req.Params.RequestState
	d.mu.Lock()
	defer d.mu.Unlock()
	if c = d.calls[state]; c != nil {
		delete(d.calls, state)
		return c, false, nil
	}
	if state != "" {
		return nil, false, problem.BadRequest("requestState", "the call is over")
	}
	c = &call{d: d, state: rand.Text(), done: make(chan struct{}), ask: make(chan vmhost.Question, 64), asked: map[string]vmhost.Question{}}
	c.ctx, c.cancel = context.WithCancel(d.life)
	return c, true, nil
}

// tool makes a handler of what a tool does: its errors are said in words, and the person can
// be asked meanwhile.
func tool[In, Out any](d *Door, do func(ctx context.Context, c *call, in In) (*sdk.CallToolResult, Out, error)) sdk.ToolHandlerFor[In, Out] {
	type answer struct {
		res *sdk.CallToolResult
		out Out
		err error
	}
	return func(ctx context.Context, req *sdk.CallToolRequest, in In) (_ *sdk.CallToolResult, none Out, _ error) {
		c, fresh, err := d.begun(req)
		if err != nil {
			return nil, none, d.said(err)
		}
		c.serve(req)
		if fresh {
			d.work.Go(func() {
				defer close(c.done)
				defer c.cancel()
				res, out, err := do(c.ctx, c, in)
				c.result = answer{res, out, err}
			})
		}
		questions, err := c.wait(ctx)
		if questions != nil {
			d.park(c)
			return &sdk.CallToolResult{InputRequests: questions, RequestState: c.state}, none, nil
		}
		if err != nil {
			return nil, none, err
		}
		a, mine := c.result.(answer)
		switch {
		case !mine:
			return nil, none, d.said(problem.BadRequest("requestState", "the call is of another tool"))
		case a.err != nil:
			return nil, none, d.said(a.err)
		}
		return a.res, a.out, nil
	}
}

// park keeps a call until it is called again. One that never is, is cancelled.
func (d *Door) park(c *call) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls[c.state] = c
	time.AfterFunc(askWithin, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.calls[c.state] == c {
			delete(d.calls, c.state)
			c.cancel()
		}
	})
}

// wait returns when the work is done, or with questions for the person. When ctx ends, so does
// the work.
func (c *call) wait(ctx context.Context) (sdk.InputRequestMap, error) {
	for {
		select {
		case <-c.done:
			return nil, nil
		case <-ctx.Done():
			c.cancel()
			<-c.done
			return nil, context.Cause(ctx)
		case q := <-c.ask:
			if c.inRounds() {
				return c.questions(q), nil
			}
			c.d.work.Go(func() { c.elicit(q) })
		}
	}
}

// inRounds reports whether questions are answers to the call.
func (c *call) inRounds() bool {
	p := c.req.Session.InitializeParams()
	return p == nil || p.ProtocolVersion >= roundsSince
}

// questions are all that wait to be asked, beginning with one.
func (c *call) questions(q vmhost.Question) sdk.InputRequestMap {
	out := sdk.InputRequestMap{}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rounds++
	for {
		c.asked[q.ID] = q
		out[q.ID] = form(q)
		select {
		case q = <-c.ask:
		default:
			return out
		}
	}
}

// elicit asks by a request of its own.
func (c *call) elicit(q vmhost.Question) {
	ctx, cancel := context.WithTimeout(c.ctx, askWithin)
	defer cancel()
	got, err := c.req.Session.Elicit(ctx, form(q))
	if err == nil {
		c.answer(q, got)
	}
}

// form is a question as the assistant puts it to the person.
func form(q vmhost.Question) *sdk.ElicitParams {
	return &sdk.ElicitParams{Mode: "form", Message: questionText(q), RequestedSchema: json.RawMessage(
		`{"type":"object","properties":{"answer":{"type":"string","title":"Answer","enum":["allow","deny"],"enumNames":["Yes, this once","No"]}},"required":["answer"]}`,
	)}
}

// serve has another request wait for the answer, which may have answers of the person.
func (c *call) serve(req *sdk.CallToolRequest) {
	c.mu.Lock()
	c.req = req
	c.mu.Unlock()
	for id, r := range req.Params.InputResponses {
		c.mu.Lock()
		q, there := c.asked[id]
		delete(c.asked, id)
		c.mu.Unlock()
		if got, ok := r.(*sdk.ElicitResult); ok && there {
			c.answer(q, got)
		}
	}
}

// answer tells piwork what the person said. Without a yes or a no the question stays open in
// piwork.
func (c *call) answer(q vmhost.Question, got *sdk.ElicitResult) {
	ctx, cancel := context.WithTimeout(c.ctx, cancelWithin)
	defer cancel()
	allow := got.Action == "accept" && got.Content["answer"] == vmhost.AnswerAllow
	switch {
	case !allow && got.Action != "decline" && got.Content["answer"] != vmhost.AnswerDeny:
	case allow && q.ID == tasks.PlanQuestion:
		_, _ = c.d.service.AcceptPlan(ctx, q.Task) // else somebody was quicker, or it is over
	case allow:
		_, _ = c.d.service.Answer(ctx, q.Task, q.ID, consent.AnswerRequest{Answer: vmhost.AnswerAllow, Scope: vmhost.ScopeOnce, Seen: len(q.Items)})
	case q.ID == tasks.PlanQuestion:
		_, _ = c.d.service.CancelTask(ctx, q.Task)
	default:
		_, _ = c.d.service.Answer(ctx, q.Task, q.ID, consent.AnswerRequest{Answer: vmhost.AnswerDeny})
	}
}

// asks puts a question to the person by way of the assistant; false is that piwork alone can.
// A yes or a no is all that is asked so.
func (c *call) asks(q vmhost.Question) bool {
	c.mu.Lock()
	p := c.req.Session.InitializeParams()
	able := p != nil && p.Capabilities != nil && p.Capabilities.Elicitation != nil && c.rounds < maxRounds
	c.mu.Unlock()
	if !able || q.Input || len(q.Choices) > 0 {
		return false
	}
	select {
	case c.ask <- q:
		return true
	default:
		return false
	}
}

// say tells the assistant how far the call is, where it asked for that. The number always
// grows, as the protocol has it.
func (c *call) say(what string, done, total int64) {
	c.mu.Lock()
	req := c.req
	token := req.Params.GetProgressToken()
	c.progress = max(c.progress+1e-6, float64(done))
	note := &sdk.ProgressNotificationParams{ProgressToken: token, Message: what, Progress: c.progress}
	c.mu.Unlock()
	if token == nil {
		return
	}
	if total > 0 && note.Progress <= float64(total) {
		note.Total = float64(total)
	}
	ctx, cancel := context.WithTimeout(c.ctx, cancelWithin)
	defer cancel()
	_ = req.Session.NotifyProgress(ctx, note) // whoever left hears nothing
}
