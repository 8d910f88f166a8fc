package transcript

import (
	"cmp"
	"math/bits"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	sdk "github.com/coder/acp-go-sdk"

	"piwork/app/agent"
	"piwork/app/task"
)

// Transcript is that of one session. It may not be used by several goroutines at once.
type Transcript struct {
	prefix string // of ids
	count  int64  // of ids
	model  string // as messages name it

	running bool // a run is under way
	message message
	tools   map[sdk.ToolCallId]*tool
	bad     int64 // lines that could not be read
}

// message is one of the agent's that is being written.
type message struct {
	id             string // "" while none is
	theirs         string // the agent's id of it
	text, thinking strings.Builder
	part           int                // how many deltas were passed on
	delta          [2]strings.Builder // text and thinking that was not passed on yet
	last           time.Time          // when deltas were passed on
}

// New makes an empty transcript. The prefix is another for each start of the agent, so that ids
// are unique in the task.
func New(prefix, model string) *Transcript {
	return &Transcript{prefix: prefix, model: model, tools: map[sdk.ToolCallId]*tool{}}
}

// SetModel has messages from now on be of another model.
func (t *Transcript) SetModel(model string) { t.model = model }

func (t *Transcript) id(kind string) string {
	t.count++
	return kind + t.prefix + "-" + strconv.FormatInt(t.count, 36)
}

// Turn begins a turn.
func (t *Transcript) Turn() []agent.Entry {
	t.drop()
	if t.running {
		return nil
	}
	t.running = true
	return []agent.Entry{agent.Notice(agent.NoticeTurn, "", nil)}
}

// User is a message of the person that the agent has.
func (t *Transcript) User(text, how string, images []string) []agent.Entry {
	d := task.MessageData{ID: t.id("u"), Role: "user", Text: agent.Shown(text), How: how}
	for _, name := range images {
		d.Images = append(d.Images, agent.OneLine(name, agent.MaxName))
	}
	return []agent.Entry{{Kind: task.EventMessage, Stored: true, Data: d}}
}

// Update takes one update of the agent. raw is the number of its line.
func (t *Transcript) Update(u sdk.SessionUpdate, raw int64, now time.Time) []agent.Entry {
	switch {
	case u.AgentMessageChunk != nil:
		c := u.AgentMessageChunk
		return agent.WithRaw(t.chunk(c.MessageId, c.Content, false, now), raw)
	case u.AgentThoughtChunk != nil:
		c := u.AgentThoughtChunk
		return agent.WithRaw(t.chunk(c.MessageId, c.Content, true, now), raw)
	case u.ToolCall != nil:
		return agent.WithRaw(t.called(u.ToolCall, now), raw)
	case u.ToolCallUpdate != nil:
		return agent.WithRaw(t.updated(u.ToolCallUpdate, now), raw)
	}
	return nil // of its plan, its commands and the like nobody is told
}

// chunk takes a part of a message.
func (t *Transcript) chunk(id *string, c sdk.ContentBlock, thought bool, now time.Time) (out []agent.Entry) {
	text := ""
	switch {
	case c.Text != nil:
		text = c.Text.Text
	case c.ResourceLink != nil:
		text = c.ResourceLink.Uri
	}
	if text == "" {
		return nil
	}
	theirs := ""
	if id != nil && len(*id) <= agent.MaxName {
		theirs = *id
	}
	m := &t.message
	if m.id != "" && theirs != "" && m.theirs != "" && theirs != m.theirs {
		out = t.said(now)
	}
	if m.id == "" {
		m.id = t.id("a")
	}
	m.theirs = cmp.Or(m.theirs, theirs)
	whole, most := &m.text, agent.MaxText
	delta := &m.delta[0]
	if thought {
		whole, most, delta = &m.thinking, agent.MaxThinking, &m.delta[1]
	}
	grow(whole, text, 2*most)
	grow(delta, text, 2*agent.MaxDelta)
	if now.Sub(m.last) < agent.DeltaEvery && m.delta[0].Len()+m.delta[1].Len() < agent.MaxDelta {
		return out
	}
	return append(out, t.Flush(now)...)
}

// grow adds to what is bounded.
func grow(b *strings.Builder, s string, most int) {
	room := most - b.Len()
	if room <= 0 {
		return
	}
	if len(s) > room {
		for room > 0 && !utf8.RuneStart(s[room]) {
			room--
		}
		s = s[:room]
	}
	b.WriteString(s)
}

// Pending reports whether deltas wait for Flush.
func (t *Transcript) Pending() bool {
	return t.message.id != "" && t.message.delta[0].Len()+t.message.delta[1].Len() > 0
}

// Flush passes on what waits of a message that is being written.
func (t *Transcript) Flush(now time.Time) []agent.Entry {
	if !t.Pending() {
		return nil
	}
	m := &t.message
	m.part++
	d := task.DeltaData{ID: m.id, Part: m.part, Text: agent.Beginning(m.delta[0].String(), agent.MaxDelta), Thinking: agent.Beginning(m.delta[1].String(), agent.MaxDelta)}
	m.delta[0].Reset()
	m.delta[1].Reset()
	m.last = now
	return []agent.Entry{{Kind: task.EventDelta, Data: d}}
}

// said ends the message that is being written.
func (t *Transcript) said(now time.Time) []agent.Entry {
	m := &t.message
	if m.id == "" {
		return nil
	}
	out := t.Flush(now)
	d := task.MessageData{
		ID: m.id, Role: "assistant", Model: t.model,
		Text: agent.Beginning(m.text.String(), agent.MaxText), Thinking: agent.Beginning(m.thinking.String(), agent.MaxThinking),
	}
	t.drop()
	if strings.TrimSpace(d.Text) == "" && strings.TrimSpace(d.Thinking) == "" {
		return out
	}
	return append(out, agent.Entry{Kind: task.EventMessage, Stored: true, Data: d})
}

func (t *Transcript) drop() { t.message = message{} }

// End ends a turn. failure is why the model or the agent did not come to its end, "" when it did.
func (t *Transcript) End(failure string, now time.Time) []agent.Entry {
	out := append(t.said(now), t.endTools(now)...)
	if failure != "" {
		out = append(out, agent.Notice(agent.NoticeFailed, agent.Beginning(failure, agent.MaxNotice), nil))
	}
	return out
}

// Settled ends a run.
func (t *Transcript) Settled(aborted bool) []agent.Entry {
	var out []agent.Entry
	if aborted {
		out = append(out, agent.Notice(agent.NoticeAborted, "", nil))
	}
	t.running = false
	return append(out, agent.Notice(agent.NoticeSettled, "", nil))
}

// Unreadable counts a line that cannot be read. It says so at the first and then ever more rarely.
func (t *Transcript) Unreadable() []agent.Entry {
	t.bad++
	if bits.OnesCount64(uint64(t.bad)) != 1 {
		return nil
	}
	return []agent.Entry{agent.Notice(agent.NoticeUnreadable, "", map[string]any{"lines": t.bad})}
}
