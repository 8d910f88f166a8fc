package acpagent

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"piwork/app/agent"
	"piwork/app/task"
	"piwork/vmhost/wire"
)

// How a message is meant, as in task.MessageData.
const (
	howPrompt   = "prompt"
	howSteer    = "steer"
	howFollowUp = "followUp"
)

// uploads is where the pictures of messages lie in the machine.
const uploads = wire.StateDir + "/" + wire.StateUploads

const maxQueue = 256 // messages that wait

// message is one for the program.
type message struct {
	text   string
	how    string
	images []agent.Image
}

// turn is one message and what the program does for it.
type turn struct {
	message
	heard   bool // the program has the message, and the timeline too
	aborted bool
	over    context.CancelCauseFunc // nobody waits for its end any more
}

// Prompt begins a run.
func (s *Session) Prompt(_ context.Context, text string, images ...agent.Image) error {
	return s.add(message{text, howPrompt, images})
}

// Steer says something in the middle of a run: the program hears it after the turn that it is at,
// and before what was said for later.
func (s *Session) Steer(_ context.Context, text string, images ...agent.Image) error {
	return s.add(message{text, howSteer, images})
}

// FollowUp says something for after the run.
func (s *Session) FollowUp(_ context.Context, text string, images ...agent.Image) error {
	return s.add(message{text, howFollowUp, images})
}

func (s *Session) add(m message) error {
	size := 0
	for _, i := range m.images {
		if size += len(i.Data); !strings.HasPrefix(i.MediaType, "image/") {
			return fmt.Errorf("%q is no picture", i.MediaType)
		}
	}
	if size > agent.MaxImages {
		return fmt.Errorf("%w: pictures of %d bytes, at most %d", agent.ErrTooLong, size, agent.MaxImages)
	}
	s.emitting.Lock()
	defer s.emitting.Unlock()
	s.mu.Lock()
	if s.ctx == nil || s.ctx.Err() != nil {
		s.mu.Unlock()
		return agent.ErrEnded
	}
	if len(s.queue) >= maxQueue {
		s.mu.Unlock()
		return fmt.Errorf("%w: %d messages wait", agent.ErrTooLong, maxQueue)
	}
	at := len(s.queue)
	if !s.busy {
		m.how, s.busy, s.idle = howPrompt, true, make(chan struct{})
	} else if m.how == howSteer {
		if later := slices.IndexFunc(s.queue, func(m message) bool { return m.how == howFollowUp }); later >= 0 {
			at = later
		}
	}
	s.queue = slices.Insert(s.queue, at, m)
	q := s.queued()
	s.mu.Unlock()
	if m.how != howPrompt {
		s.emit([]agent.Entry{{Kind: task.EventQueue, Stored: true, Data: q}})
	}
	select {
	case s.news <- struct{}{}:
	default:
	}
	return nil
}

// runTurns gives the program what waits, one message after the other.
func (s *Session) runTurns() {
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-s.news:
		}
		for {
			t, ctx, ok := s.next()
			if !ok {
				break
			}
			out, alive := s.run(ctx, t)
			if !alive || !s.settle(out, errors.Is(context.Cause(ctx), agent.ErrStalled)) {
				return
			}
		}
	}
}

// next takes the message that is due.
func (s *Session) next() (*turn, context.Context, bool) {
	s.emitting.Lock()
	defer s.emitting.Unlock()
	s.mu.Lock()
	if len(s.queue) == 0 || s.ctx.Err() != nil {
		s.mu.Unlock()
		return nil, nil, false
	}
	t := &turn{message: s.queue[0]}
	s.queue = slices.Delete(s.queue, 0, 1)
	ctx, cancel := context.WithCancelCause(s.ctx)
	t.over, s.now = cancel, t
	q := s.queued()
	s.mu.Unlock()
	if t.how != howPrompt {
		s.emit([]agent.Entry{{Kind: task.EventQueue, Stored: true, Data: q}})
	}
	s.emit(s.line.Turn())
	return t, ctx, true
}

// run has the program do a turn. It returns false when the session is over.
func (s *Session) run(ctx context.Context, t *turn) (agent.Outcome, bool) {
	answer, err := sdk.SendRequest[sdk.PromptResponse](s.conn, ctx, sdk.AgentMethodSessionPrompt, sdk.PromptRequest{SessionId: s.session(), Prompt: s.content(t.message)})
	t.over(nil)
	s.emitting.Lock()
	defer s.emitting.Unlock()
	select {
	case <-s.conn.Done():
		s.open.withdrawAll()
		s.emit(s.line.End("", time.Now()))
		return agent.Outcome{}, false
	default:
	}
	s.hear(t)
	s.mu.Lock()
	out := agent.Outcome{Aborted: t.aborted}
	s.now = nil
	s.mu.Unlock()
	s.open.withdrawAll() // no turn is found from here on
	switch {
	case out.Aborted:
	case err != nil:
		out.Failure = said(err)
	case answer.StopReason == sdk.StopReasonCancelled:
		out.Aborted = true
	case answer.StopReason != sdk.StopReasonEndTurn:
		out.Failure = agent.OneLine(string(answer.StopReason), agent.MaxName) // "max_tokens", "refusal" and the like
	}
	s.emit(s.line.End(out.Failure, time.Now()))
	return out, true
}

// hear notes that the program has the message of a turn. emitting is held.
func (s *Session) hear(t *turn) {
	if t.heard {
		return
	}
	t.heard = true
	var images []string
	for _, i := range t.images {
		images = append(images, i.Name)
	}
	s.emit(s.line.User(t.text, t.how, images))
}

// settle ends the run, unless a message waits, and reports whether the session goes on. A program
// that is stalled would do the next turn beside the one it is at: its session ends, and messages that
// wait are not heard.
func (s *Session) settle(out agent.Outcome, stalled bool) bool {
	s.emitting.Lock() // whoever adds a message holds it
	defer s.emitting.Unlock()
	s.mu.Lock()
	waits := len(s.queue) > 0
	s.mu.Unlock()
	if !waits && (out.Aborted || !stalled) {
		s.ended(out)
	}
	if stalled {
		s.end(fmt.Errorf("%w: it goes on", agent.ErrStalled))
	}
	return !stalled
}

// ended says that a run is over, when one is under way. emitting is held.
func (s *Session) ended(out agent.Outcome) {
	s.mu.Lock()
	busy := s.busy
	s.mu.Unlock()
	if !busy {
		return
	}
	s.emit(s.line.Settled(out.Aborted))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy, s.last = false, out
	close(s.idle)
}

// content is a message as the program gets it. A program that looks at no pictures is told where
// they lie.
func (s *Session) content(m message) []sdk.ContentBlock {
	out := []sdk.ContentBlock{sdk.TextBlock(m.text)}
	if s.o.Hints != nil {
		out = append(out, sdk.TextBlock(agent.HintsLine(s.o.Hints())))
	}
	for _, i := range m.images {
		if s.able.PromptCapabilities.Image {
			out = append(out, sdk.ImageBlock(base64.StdEncoding.EncodeToString(i.Data), i.MediaType))
		} else {
			out = append(out, sdk.TextBlock("A picture goes with this, below "+uploads+": "+agent.OneLine(i.Name, agent.MaxName)))
		}
	}
	return out
}

// Abort ends the run under way and returns the messages that waited, which are taken back.
func (s *Session) Abort(ctx context.Context) (task.QueueData, error) {
	t, q, err := s.stop()
	s.open.withdrawAll() // the turn asks nothing from here on
	if t == nil || err != nil {
		return q, err
	}
	id := s.session()
	go func() { // a program that does not read is waited for no longer than its session
		if err := s.conn.SendNotification(s.ctx, sdk.AgentMethodSessionCancel, sdk.CancelNotification{SessionId: id}); err != nil {
			s.o.Log.Debug("the AI program was not told to stop", "error", err)
		}
	}()
	// One that does not end by itself its task ends, whether or not somebody waits for that.
	late := time.AfterFunc(s.o.Patience, func() { t.over(agent.ErrStalled) })
	if _, err = s.Wait(ctx); ctx.Err() == nil {
		late.Stop()
	}
	return q, err
}

// stop takes back what waits, and marks the turn under way as ended by the person. Where there
// is none, the run is over.
func (s *Session) stop() (*turn, task.QueueData, error) {
	s.emitting.Lock()
	defer s.emitting.Unlock()
	s.mu.Lock()
	if s.ctx == nil || s.ctx.Err() != nil {
		s.mu.Unlock()
		return nil, task.QueueData{}, agent.ErrEnded
	}
	q, t := s.queued(), s.now
	s.queue = nil
	if t != nil {
		t.aborted = true
	}
	empty := s.queued()
	s.mu.Unlock()
	if len(q.Steering)+len(q.FollowUp) > 0 {
		s.emit([]agent.Entry{{Kind: task.EventQueue, Stored: true, Data: empty}})
	}
	if t == nil {
		s.ended(agent.Outcome{Aborted: true})
	}
	return t, q, nil
}

// Unqueue takes back the messages that wait: how many of each kind.
func (s *Session) Unqueue(context.Context) (steering, followUp int, err error) {
	q, err := s.takeBack()
	return len(q.Steering), len(q.FollowUp), err
}

// takeBack takes back what was said in the middle of a run.
func (s *Session) takeBack() (task.QueueData, error) {
	s.emitting.Lock()
	defer s.emitting.Unlock()
	s.mu.Lock()
	if s.ctx == nil || s.ctx.Err() != nil {
		s.mu.Unlock()
		return task.QueueData{}, agent.ErrEnded
	}
	q := s.queued()
	s.queue = slices.DeleteFunc(s.queue, func(m message) bool { return m.how != howPrompt })
	empty := s.queued()
	s.mu.Unlock()
	if len(q.Steering)+len(q.FollowUp) > 0 {
		s.emit([]agent.Entry{{Kind: task.EventQueue, Stored: true, Data: empty}})
	}
	return q, nil
}
