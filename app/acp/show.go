package acp

import (
	"cmp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	sdk "github.com/coder/acp-go-sdk"

	"piwork/app/agent"
	"piwork/app/task"
)

// told is what an editor knows of a turn.
type told struct {
	now   written         // the message that is being written
	done  map[string]bool // messages that it has whole
	tools map[string]bool // tools, and whether they are over
	text  bool            // the last that it heard is text
}

// written is a message that is being written, as far as the editor has it.
type written struct {
	id             string
	part           int
	gap            bool // a part is missing, or it is as long as a message can be: the rest comes with the whole message
	text, thinking string
}

// update tells the editor something. One that has gone hears nothing.
func (u *turn) update(what sdk.SessionUpdate) {
	_ = u.d.conn.SessionUpdate(u.d.life, sdk.SessionNotification{SessionId: u.s.id, Update: what})
}

// say is a text of the AI. A text that follows another, of another message, is set apart.
func (u *turn) say(text string, begins bool) {
	if text == "" {
		return
	}
	if begins && u.told.text {
		text = "\n\n" + text
	}
	u.told.text = true
	u.update(sdk.UpdateAgentMessageText(text))
}

// note is a text of piwork itself.
func (u *turn) note(text string) { u.say(text, true) }

func (u *turn) thought(text string) {
	if text != "" {
		u.update(sdk.UpdateAgentThoughtText(text))
	}
}

// delta is a part of a message.
func (u *turn) delta(d task.DeltaData) {
	n := &u.told.now
	if u.told.done[d.ID] {
		return
	}
	begins := n.id != d.ID
	if begins {
		*n = written{id: d.ID}
	}
	n.gap = n.gap || d.Part != n.part+1
	if n.part = d.Part; n.gap {
		return
	}
	u.thought(d.Thinking)
	u.say(d.Text, n.text == "")
	n.text, n.thinking = n.text+d.Text, n.thinking+d.Thinking
	n.gap = len(n.text) >= agent.MaxText || len(n.thinking) >= agent.MaxThinking
}

// message is one that is whole: what the editor has not of it is told.
func (u *turn) message(d task.MessageData) {
	if u.told.done[d.ID] {
		return
	}
	u.told.done[d.ID] = true
	if d.Role == "user" {
		if u.sent != "" && strings.TrimSpace(d.Text) == strings.TrimSpace(agent.Shown(u.sent)) {
			u.sent = "" // the editor wrote it
			return
		}
		u.told.text = false
		u.update(sdk.UpdateUserMessageText(d.Text))
		return
	}
	var had written
	if u.told.now.id == d.ID {
		had = u.told.now
	}
	u.thought(rest(d.Thinking, had.thinking))
	u.say(rest(d.Text, had.text), had.text == "")
	u.told.now = written{}
}

// rest is what follows in a whole text on what was told of it. Space does not count: between the
// parts of a message there is some that no delta has.
func rest(whole, had string) string {
	i := 0
	for _, r := range had {
		if unicode.IsSpace(r) {
			continue
		}
		for i < len(whole) {
			next, size := utf8.DecodeRuneInString(whole[i:])
			i += size
			if next == r {
				break
			}
			if !unicode.IsSpace(next) {
				if strings.HasSuffix(whole, "…") && i == len(whole) {
					return "" // it was cut there
				}
				return "\n\n" + whole // it is another text
			}
		}
	}
	return whole[i:]
}

// quiet are notices that say nothing to a person who sees the rest.
var quiet = map[string]bool{"turn": true, "settled": true, "resumed": true, "unreadable": true, "chore-done": true, "failed": true}

func (u *turn) notice(d task.NoticeData) {
	if d.Code == agent.NoticeAborted {
		u.aborted = true
	}
	if text := u.d.o.Words.Notice(d); !quiet[d.Code] && text != "" {
		u.note("*" + escaped(text) + "*")
	}
}

var kinds = map[string]sdk.ToolKind{
	"read": sdk.ToolKindRead, "write": sdk.ToolKindEdit, "edit": sdk.ToolKindEdit, "run": sdk.ToolKindExecute,
	"list": sdk.ToolKindSearch, "search": sdk.ToolKindSearch, "fetch": sdk.ToolKindFetch,
}

// tool is something that the AI does, or did.
func (u *turn) tool(d task.ToolData) {
	over, known := u.told.tools[d.ID]
	if over || known && d.State == agent.ToolStarted {
		return
	}
	u.told.text = false
	u.told.tools[d.ID] = d.State != agent.ToolStarted
	file, isFile := "", false
	if d.Verb == "read" || d.Verb == "write" || d.Verb == "edit" || d.Verb == "list" {
		file, isFile = here(u.folders, d.Target)
	}
	status := sdk.ToolCallStatusInProgress
	switch d.State {
	case agent.ToolDone:
		status = sdk.ToolCallStatusCompleted
	case agent.ToolFailed:
		status = sdk.ToolCallStatusFailed
	}
	if !known {
		kind := cmp.Or(kinds[d.Verb], sdk.ToolKindOther)
		call := sdk.SessionUpdateToolCall{
			ToolCallId: sdk.ToolCallId(d.ID), Title: u.titled(d), Kind: kind, Status: status,
			Content: content(d, file), RawInput: map[string]any{"tool": d.Name, "target": d.Target},
		}
		if isFile {
			call.Locations = []sdk.ToolCallLocation{{Path: file}}
		}
		u.update(sdk.SessionUpdate{ToolCall: &call})
		return
	}
	u.update(sdk.UpdateToolCall(sdk.ToolCallId(d.ID), sdk.WithUpdateStatus(status), func(c *sdk.SessionToolCallUpdate) { c.Content = content(d, file) }))
}

// titled says what a tool does. What it works on is as it is.
func (u *turn) titled(d task.ToolData) string {
	const mark = "⁂" // in no text of piwork
	d.State = agent.ToolStarted
	whole := u.d.o.Words.Tooling(d)
	d.Target, d.Name = mark, mark // one of them is said
	before, after, found := strings.Cut(u.d.o.Words.Tooling(d), mark)
	if !found {
		return escaped(whole)
	}
	return before + code(strings.TrimSuffix(strings.TrimPrefix(whole, before), after)) + after
}

// endTools says of what still ran that it did not end.
func (u *turn) endTools() {
	for id, over := range u.told.tools {
		if !over {
			u.told.tools[id] = true
			u.update(sdk.UpdateToolCall(sdk.ToolCallId(id), sdk.WithUpdateStatus(sdk.ToolCallStatusFailed)))
		}
	}
}

// content is what a tool gave: how it changed a file, where that is known, or its output.
func content(d task.ToolData, file string) (out []sdk.ToolCallContent) {
	if file != "" {
		for _, h := range hunks(d.Diff) {
			out = append(out, sdk.ToolDiffContent(file, h.after, h.before))
		}
	}
	if len(out) == 0 && d.Output != "" {
		out = append(out, sdk.ToolContent(sdk.TextBlock(fenced(d.Output))))
	}
	return out
}

// hunk is a piece of a file before and after.
type hunk struct{ before, after string }

// hunks are the pieces of a unified diff of one file, such as
//
//	--- a.txt
//	+++ a.txt
//	@@ -1,2 +1,2 @@
//	 one
//	-two
//	+three
//
// The last piece of one that was cut is left out.
func hunks(diff string) (out []hunk) {
	var before, after strings.Builder
	old, fresh := 0, 0 // lines that are still to come
	for line := range strings.Lines(diff) {
		line = strings.TrimSuffix(line, "\n")
		if old == 0 && fresh == 0 {
			old, fresh = ranges(line)
			before.Reset()
			after.Reset()
			continue
		}
		kind, text := byte(' '), "\n" // of an empty line some leave the space out
		if line != "" {
			kind, text = line[0], line[1:]+"\n"
		}
		switch {
		case kind == '\\': // no newline at the end of the file
			continue
		case kind == ' ' && old > 0 && fresh > 0:
			before.WriteString(text)
			after.WriteString(text)
			old, fresh = old-1, fresh-1
		case kind == '-' && old > 0:
			before.WriteString(text)
			old--
		case kind == '+' && fresh > 0:
			after.WriteString(text)
			fresh--
		default: // not a diff
			return out
		}
		if old == 0 && fresh == 0 {
			out = append(out, hunk{before.String(), after.String()})
		}
	}
	return out
}

// ranges are how many lines of each side a piece has, by its first line.
func ranges(line string) (old, fresh int) {
	rest, ok := strings.CutPrefix(line, "@@ -")
	if !ok {
		return 0, 0
	}
	left, rest, _ := strings.Cut(rest, " +")
	right, _, _ := strings.Cut(rest, " @@")
	count := func(s string) int {
		_, n, ok := strings.Cut(s, ",")
		if !ok {
			return 1
		}
		c, err := strconv.Atoi(n)
		if err != nil || c < 0 {
			return 0
		}
		return c
	}
	return count(left), count(right)
}
