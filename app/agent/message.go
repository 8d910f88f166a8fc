package agent

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"time"

	"piwork/app/task"
)

// messageID makes an id from what pi both says and stores of a message: the time
// it was made, in milliseconds, and for a user's message what it says, since
// several may be passed on in one moment.
func messageID(m object) string {
	at := strconv.FormatInt(m.num("timestamp"), 36)
	if m.str("role") == "assistant" {
		return "a" + at
	}
	sum := sha256.Sum256(m["content"])
	return "u" + at + "-" + hex.EncodeToString(sum[:4])
}

// message takes a message that is whole.
func (t *Timeline) message(m object) []Entry {
	switch m.str("role") {
	case "user":
		return t.user(m)
	case "assistant":
		return t.assistant(m)
	}
	return nil // results of tools have events of their own; the rest is pi's own
}

func (t *Timeline) user(m object) []Entry {
	blocks := m.blocks("content")
	d := task.MessageData{ID: messageID(m), Role: "user", Text: start(withoutHints(textOf(blocks, "text", "text")), maxText)}
	d.How = t.how(d.Text)
	for _, b := range blocks {
		if b.str("type") == "image" && len(d.Images) < maxQueue {
			d.Images = append(d.Images, line(b.str("mimeType"), maxName))
		}
	}
	return t.say(d)
}

// how says how a message came: pi tells what waits, and takes a message out of
// the queue before it passes it on.
func (t *Timeline) how(text string) string {
	short := start(text, maxQueued)
	switch {
	case slices.Contains(t.queue.Steering, short) || slices.Contains(t.before.Steering, short):
		return "steer"
	case slices.Contains(t.queue.FollowUp, short) || slices.Contains(t.before.FollowUp, short):
		return "followUp"
	}
	return "prompt"
}

func (t *Timeline) assistant(m object) []Entry {
	blocks := m.blocks("content")
	d := task.MessageData{
		ID: messageID(m), Role: "assistant",
		Text:     start(textOf(blocks, "text", "text"), maxText),
		Thinking: start(textOf(blocks, "thinking", "thinking"), maxThinking),
		Model:    modelName(m.str("provider"), m.str("model")),
	}
	t.turn, t.partial, t.failure = d.ID, partial{}, ""
	if m.str("stopReason") == "error" {
		t.failure = cmp.Or(start(m.str("errorMessage"), maxNotice), "error")
	}
	if d.Text == "" && d.Thinking == "" {
		return nil // it only calls tools, or failed before it said anything
	}
	return t.say(d)
}

// say passes a message on, once.
func (t *Timeline) say(d task.MessageData) []Entry {
	if t.presence(d.ID) == Whole {
		return nil
	}
	t.seen.put(d.ID, Whole)
	return []Entry{{Kind: task.EventMessage, Stored: true, Data: d}}
}

// stored takes a message of a stored session. What calls a tool opens it, its
// result ends it.
func (t *Timeline) stored(m object) []Entry {
	if m.str("role") == "toolResult" {
		return t.storedResult(m)
	}
	out := t.message(m)
	if m.str("role") != "assistant" {
		return out
	}
	for _, b := range m.blocks("content") {
		if b.str("type") != "toolCall" {
			continue
		}
		t.openTool(callID(b, "id"), b.str("name"), b.obj("arguments"), time.Time{})
	}
	return out
}

func (t *Timeline) storedResult(m object) []Entry {
	o := t.tools[callID(m, "toolCallId")]
	if o == nil {
		return nil
	}
	o.result(m)
	return t.finish(o, m.flag("isError"))
}
