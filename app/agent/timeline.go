package agent

import (
	"encoding/json"
	"math/bits"
	"slices"
	"strings"
	"time"

	"piwork/app/task"
)

// DeltaEvery is how often the deltas of a message are passed on, at most.
const DeltaEvery = 50 * time.Millisecond

// Timeline makes what a person sees from the lines of pi. It is a plain state
// machine: the same lines at the same times give the same entries. It may not be
// used by several goroutines at once.
type Timeline struct {
	known func(id string) Presence
	seen  *recent // what it has passed on itself

	running bool    // between the first agent_start and agent_settled
	failure string  // of the last answer, while it is not known whether it is tried again
	ended   Outcome // of the last run
	partial partial
	turn    string // id of the last message of the assistant: part of the ids of its tools
	tools   map[string]*open
	queue   task.QueueData
	before  task.QueueData // the queue before its last change: who left it comes next
	bad     int64          // lines that could not be read
}

// partial is a message that is being written.
type partial struct {
	id             string
	part           int    // how many were passed on
	text, thinking string // not passed on yet
	last           time.Time
}

// open is a tool that runs.
type open struct {
	data task.ToolData
	call string // as callID has it
	at   time.Time
}

// Bounds of what is remembered.
const (
	maxOpen = 256
	maxSeen = 1 << 16
)

// NewTimeline makes an empty one. known says what the task's timeline has
// already; nil is nothing.
func NewTimeline(known func(id string) Presence) *Timeline {
	if known == nil {
		known = func(string) Presence { return Absent }
	}
	return &Timeline{known: known, seen: newRecent(), tools: map[string]*open{}}
}

// Line takes one line of pi, which the caller numbered raw.
func (t *Timeline) Line(line []byte, raw int64, now time.Time) []Entry {
	e, _ := parseObject(line)
	return t.object(e, raw, now)
}

// object takes a line that was parsed; nil is one that could not be.
func (t *Timeline) object(e object, raw int64, now time.Time) []Entry {
	if e.str("type") == "" {
		return withRaw(t.unreadable(), raw)
	}
	return withRaw(t.event(e, now), raw)
}

// unreadable counts a line. It says so at the first and then ever more rarely,
// so that a flood of them is not a flood of notices.
func (t *Timeline) unreadable() []Entry {
	t.bad++
	if bits.OnesCount64(uint64(t.bad)) != 1 {
		return nil
	}
	return []Entry{notice(NoticeUnreadable, "", map[string]any{"lines": t.bad})}
}

func (t *Timeline) event(e object, now time.Time) []Entry {
	switch e.str("type") {
	case "agent_start":
		if t.running {
			return nil // it tries again, or goes on with what waited
		}
		t.running, t.failure = true, ""
		return []Entry{notice(NoticeTurn, "", nil)}
	case "agent_settled":
		return t.settled(e.flag("aborted"))
	case "message_start":
		t.begin(e.obj("message"))
	case "message_update":
		return t.update(e.obj("assistantMessageEvent"), now)
	case "message_end":
		return t.message(e.obj("message"))
	case "tool_execution_start":
		return t.toolStart(e, now)
	case "tool_execution_end":
		return t.toolEnd(e)
	case "queue_update":
		return t.queues(task.QueueData{Steering: queued(e.strs("steering")), FollowUp: queued(e.strs("followUp"))})
	case "compaction_end":
		return compacted(e)
	case "auto_retry_start", "summarization_retry_scheduled":
		t.failure = ""
		return []Entry{notice(NoticeRetry, start(e.str("errorMessage"), maxNotice), map[string]any{
			"attempt": e.num("attempt"), "of": e.num("maxAttempts"), "waitMs": e.num("delayMs")})}
	case "auto_retry_end":
		if !e.flag("success") && e.str("finalError") != "" {
			t.failure = start(e.str("finalError"), maxNotice)
		}
	case "thinking_level_changed":
		return []Entry{notice(NoticeModel, "", map[string]any{"thinking": line(e.str("level"), maxName)})}
	case "response":
		return modelSet(e)
	case "extension_ui_request":
		return notified(e)
	case "extension_error":
		return []Entry{notice(NoticeExtension, start(e.str("error"), maxNotice),
			map[string]any{"event": line(e.str("event"), maxName)})}
	}
	return nil
}

// settled ends a run. Tools that never ended were given up with it.
func (t *Timeline) settled(aborted bool) []Entry {
	var out []Entry
	for _, o := range t.opened() {
		out = append(out, t.endTool(o, ToolFailed))
	}
	t.partial = partial{}
	t.ended = Outcome{Aborted: aborted, Failure: t.failure}
	switch {
	case aborted:
		out = append(out, notice(NoticeAborted, "", nil))
	case t.failure != "":
		out = append(out, notice(NoticeFailed, t.failure, nil))
	}
	t.running, t.failure, t.before = false, "", task.QueueData{}
	return append(out, notice(NoticeSettled, "", nil))
}

// begin notes which message the deltas belong to.
func (t *Timeline) begin(m object) {
	t.partial = partial{}
	if m.str("role") == "assistant" {
		t.partial.id = messageID(m)
	}
}

// update collects deltas, and passes them on when the last ones are old enough.
func (t *Timeline) update(e object, now time.Time) []Entry {
	if t.partial.id == "" {
		return nil
	}
	switch e.str("type") {
	case "text_delta":
		t.partial.text += e.str("delta")
	case "thinking_delta":
		t.partial.thinking += e.str("delta")
	default:
		return nil
	}
	if now.Sub(t.partial.last) < DeltaEvery && len(t.partial.text)+len(t.partial.thinking) < maxDelta {
		return nil
	}
	return t.Flush(now)
}

// Pending says whether deltas wait for Flush.
func (t *Timeline) Pending() bool { return t.partial.text != "" || t.partial.thinking != "" }

// Flush passes on what waits of a message that is being written.
func (t *Timeline) Flush(now time.Time) []Entry {
	p := &t.partial
	if p.id == "" || !t.Pending() {
		return nil
	}
	p.part++
	d := task.DeltaData{ID: p.id, Part: p.part, Text: start(p.text, maxDelta), Thinking: start(p.thinking, maxDelta)}
	p.text, p.thinking, p.last = "", "", now
	return []Entry{{Kind: task.EventDelta, Data: d}}
}

// queues passes the queue on when it is another.
func (t *Timeline) queues(q task.QueueData) []Entry {
	if slices.Equal(q.Steering, t.queue.Steering) && slices.Equal(q.FollowUp, t.queue.FollowUp) {
		return nil
	}
	t.before, t.queue = t.queue, q
	return []Entry{{Kind: task.EventQueue, Stored: true, Data: q}}
}

func queued(texts []string) []string {
	out := []string{}
	for _, s := range texts[:min(len(texts), maxQueue)] {
		out = append(out, start(withoutHints(s), maxQueued))
	}
	return out
}

func compacted(e object) []Entry {
	reason := line(e.str("reason"), maxName)
	if e.has("result") {
		r := e.obj("result")
		return []Entry{notice(NoticeCompacted, "", map[string]any{
			"reason": reason, "before": r.num("tokensBefore"), "after": r.num("estimatedTokensAfter")})}
	}
	if e.flag("aborted") {
		return nil
	}
	said := start(e.str("errorMessage"), maxNotice)
	for _, nothing := range []string{"Nothing to compact", "Already compacted"} { // pi has no code for it
		if strings.Contains(said, nothing) {
			return []Entry{notice(NoticeShort, said, nil)}
		}
	}
	return []Entry{notice(NoticeNotCompact, said, map[string]any{"reason": reason})}
}

// modelSet sees that the model was changed: pi has no event for it, only the
// answer to the command.
func modelSet(e object) []Entry {
	if e.str("command") != "set_model" || !e.flag("success") {
		return nil
	}
	m := e.obj("data")
	return []Entry{notice(NoticeModel, "", map[string]any{"model": modelName(m.str("provider"), m.str("id"))})}
}

func modelName(provider, id string) string {
	if provider == "" {
		return line(id, maxName)
	}
	return line(provider+"/"+id, maxName)
}

func notified(e object) []Entry {
	if e.str("method") != "notify" {
		return nil
	}
	level := e.str("notifyType")
	if level != "warning" && level != "error" {
		level = "info"
	}
	return []Entry{notice(NoticeNotify, start(e.str("message"), maxNotice), map[string]any{"level": level})}
}

// recent is a set that forgets what is oldest.
type recent struct {
	at   map[string]Presence
	ring []string
	next int // the oldest, when ring is full
}

func newRecent() *recent { return &recent{at: map[string]Presence{}} }

func (r *recent) put(id string, p Presence) {
	if _, ok := r.at[id]; !ok {
		if len(r.ring) < maxSeen {
			r.ring = append(r.ring, id)
		} else {
			delete(r.at, r.ring[r.next])
			r.ring[r.next] = id
			r.next = (r.next + 1) % maxSeen
		}
	}
	r.at[id] = p
}

// presence is what the timeline has with what was passed on since.
func (t *Timeline) presence(id string) Presence {
	return max(t.known(id), t.seen.at[id])
}

// Replay takes the entries of a session that pi has stored (get_entries) and
// returns what the task's timeline lacks, in order. Tools that started and have
// no result in the session have failed: pi ended before they did.
func (t *Timeline) Replay(entries []json.RawMessage) []Entry {
	var out []Entry
	for _, raw := range entries {
		e, ok := parseObject(raw)
		if !ok {
			continue
		}
		if e.str("type") == "message" {
			out = append(out, t.stored(e.obj("message"))...)
		}
	}
	for _, o := range t.opened() {
		if t.presence(o.data.ID) == Begun {
			out = append(out, t.endTool(o, ToolFailed))
		} else {
			delete(t.tools, o.call)
		}
	}
	t.failure = ""
	return withRaw(out, 0)
}
