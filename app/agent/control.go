package agent

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"piwork/app/task"
)

// Image is a picture that goes with a message.
type Image struct {
	Name      string // for the timeline; pi does not hear it
	MediaType string // "image/png", "image/jpeg", "image/webp" or "image/gif"
	Data      []byte
}

// MaxImages bounds the pictures of one message, in bytes; pi makes them smaller
// before it sends them on.
const MaxImages = 20 << 20

// Prompt begins a run. While one is under way pi refuses it with a
// *CommandError: use Steer or FollowUp, which begin one when there is none.
// A model that fails is no error here, but the Outcome of Wait.
func (s *Session) Prompt(ctx context.Context, text string, images ...Image) error {
	return s.prompt(ctx, text, "", images)
}

// Steer says something in the middle of a run: pi hears it after the tools it
// runs now.
func (s *Session) Steer(ctx context.Context, text string, images ...Image) error {
	return s.prompt(ctx, text, "steer", images)
}

// FollowUp says something for after the run.
func (s *Session) FollowUp(ctx context.Context, text string, images ...Image) error {
	return s.prompt(ctx, text, "followUp", images)
}

// prompt uses pi's one command that cannot come too late: its steer and
// follow_up would leave a message lying when the run has just ended.
func (s *Session) prompt(ctx context.Context, text, behaviour string, images []Image) error {
	members := command{"message": text}
	if s.o.Hints != nil {
		members["message"] = HintsLine(s.o.Hints()) + hintsGap + text
	}
	if behaviour != "" {
		members["streamingBehavior"] = behaviour
	}
	size := 0
	var pictures []map[string]string
	for _, i := range images {
		size += len(i.Data)
		if !strings.HasPrefix(i.MediaType, "image/") {
			return fmt.Errorf("%q is no picture", i.MediaType)
		}
		pictures = append(pictures, map[string]string{
			"type": "image", "mimeType": i.MediaType, "data": base64.StdEncoding.EncodeToString(i.Data)})
	}
	if size > MaxImages {
		return fmt.Errorf("%w: pictures of %d bytes, at most %d", ErrTooLong, size, MaxImages)
	}
	if len(pictures) > 0 {
		members["images"] = pictures
	}
	forget := s.names.expect(text, images)
	_, err := s.do(ctx, "prompt", members)
	if err != nil {
		forget()
	}
	return err
}

// Abort ends the run under way and returns the messages that waited, which are
// taken back: pi would go on with them. A pi that does not end the run ends with
// it, soon and whether or not somebody waits for that: whatever is in its place
// would go on, and be paid for.
func (s *Session) Abort(ctx context.Context) (task.QueueData, error) {
	answered := make(chan struct{})
	defer close(answered)
	s.mu.Lock()
	started, idle := s.started, s.idle
	s.mu.Unlock()
	if started {
		go s.insist(answered, idle)
	}
	q, err := s.ClearQueue(ctx)
	if err == nil {
		s.questions.withdrawAll()
		_, err = s.do(ctx, "abort", nil)
	}
	if errors.Is(err, errGivenUp) {
		err = nil
	}
	return q, err
}

// errGivenUp says that pi did not end a run that was aborted.
var errGivenUp = fmt.Errorf("%w: it goes on", ErrStalled)

// insist gives pi up where a run that is aborted does not come to its end, or its
// commands are not answered: the session ends, with the run as the person ended it,
// and emits nothing of what pi still says. A summary is no reason to wait: pi breaks it off.
func (s *Session) insist(answered, idle <-chan struct{}) {
	p := NewPatience(s.o.Patience, time.Now())
	tick := time.NewTicker(p.Beat())
	defer tick.Stop()
	for over := false; !over; {
		select {
		case <-answered:
			answered = nil
		case <-idle:
			idle = nil
		case <-s.over:
			return
		case now := <-tick.C:
			over = p.Over(now, s.o.Paused())
		}
		if answered == nil && idle == nil {
			return
		}
	}
	s.emitting.Lock()
	s.emit(s.line.settled(true))
	s.o.Emit = func(Entry) {} // whatever it still says is of no run
	s.mu.Lock()
	waiting, busy := s.pending, s.busy
	s.pending, s.busy = nil, false
	if busy {
		s.outcome = Outcome{Aborted: true}
		close(s.idle)
	}
	s.mu.Unlock()
	s.emitting.Unlock()
	for _, c := range waiting {
		c.answer <- answer{err: errGivenUp}
	}
	s.end(errGivenUp)
}

// ClearQueue takes back the messages that wait.
func (s *Session) ClearQueue(ctx context.Context) (task.QueueData, error) {
	steering, followUp, err := s.unqueue(ctx)
	return task.QueueData{Steering: queued(steering), FollowUp: queued(followUp)}, err
}

// Unqueue is ClearQueue for who gave the messages: how many of each kind were not
// heard yet. They are the last that were given; what is wanted of them is given
// again.
func (s *Session) Unqueue(ctx context.Context) (steering, followUp int, err error) {
	a, b, err := s.unqueue(ctx)
	return len(a), len(b), err
}

func (s *Session) unqueue(ctx context.Context) (steering, followUp []string, err error) {
	data, err := s.do(ctx, "clear_queue", nil)
	if err != nil {
		return nil, nil, err
	}
	o, _ := parseObject(data)
	return o.strs("steering"), o.strs("followUp"), nil
}

// SetModel changes the model, "<provider>/<model>", from the next request on.
func (s *Session) SetModel(ctx context.Context, model string) error {
	provider, id, ok := strings.Cut(model, "/")
	if !ok {
		return fmt.Errorf("the model %q is not <provider>/<model>", model)
	}
	_, err := s.do(ctx, "set_model", command{"provider": provider, "modelId": id})
	return err
}

// SetThinking changes how long the model thinks, as in task.AI. A level that the
// model does not have becomes the nearest one it has.
func (s *Session) SetThinking(ctx context.Context, level string) error {
	_, err := s.do(ctx, "set_thinking_level", command{"level": level})
	return err
}

// Compact replaces older messages by a summary, which the model writes. It waits
// as long as that takes.
func (s *Session) Compact(ctx context.Context) error {
	_, err := s.do(ctx, "compact", nil)
	return err
}

// State is what pi says of itself.
type State struct {
	Model    string // "<provider>/<model>", "" without one
	Thinking string
	Running  bool
	Messages int // in the session, of all kinds
}

// State asks pi.
func (s *Session) State(ctx context.Context) (State, error) {
	data, err := s.do(ctx, "get_state", nil)
	if err != nil {
		return State{}, err
	}
	o, ok := parseObject(data)
	if !ok {
		return State{}, errors.New("the AI program's state cannot be read")
	}
	m := o.obj("model")
	st := State{Thinking: line(o.str("thinkingLevel"), maxName), Running: o.flag("isStreaming"), Messages: int(o.num("messageCount"))}
	if m != nil {
		st.Model = modelName(m.str("provider"), m.str("id"))
	}
	return st, nil
}

// resume asks what pi knows and adds what the timeline lacks.
func (s *Session) resume(ctx context.Context) (Resumed, error) {
	st, err := s.State(ctx)
	if err != nil {
		return Resumed{}, err
	}
	r := Resumed{State: st}
	if st.Messages == 0 {
		return r, nil
	}
	data, err := s.do(ctx, "get_entries", nil)
	var refused *CommandError
	switch {
	case errors.Is(err, ErrTooLong) || errors.As(err, &refused):
		s.o.Log.Warn("the AI program's session cannot be compared with the timeline", "error", err)
	case err != nil:
		return Resumed{}, err
	}
	o, _ := parseObject(data)
	entries := o.list("entries")
	r.LastUser, r.Unfinished = tail(entries)
	if r.LastUser == "" {
		return r, nil
	}
	s.emitting.Lock()
	defer s.emitting.Unlock()
	s.emit(s.line.Replay(entries))
	s.emit([]Entry{
		{Kind: task.EventQueue, Stored: true, Data: task.QueueData{Steering: []string{}, FollowUp: []string{}}}, // pi keeps it in memory only
		notice(NoticeResumed, "", map[string]any{"messages": int64(st.Messages)}),
	})
	return r, nil
}

// tail looks at how a session ends.
func tail(entries []json.RawMessage) (lastUser string, unfinished bool) {
	for _, raw := range entries {
		e, _ := parseObject(raw)
		if e.str("type") != "message" {
			continue
		}
		m := e.obj("message")
		switch m.str("role") {
		case "user":
			lastUser, unfinished = messageID(m), true
		case "toolResult":
			unfinished = true
		case "assistant":
			stop := m.str("stopReason")
			unfinished = stop == "toolUse" || stop == "error"
		}
	}
	return lastUser, unfinished
}
