package agent

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"time"

	"piwork/app/task"
	"piwork/pack/guest/agentkit"
	"piwork/vmhost/sanitize"
)

// verbs says what pi's tools do; others are "other".
var verbs = map[string]string{
	"read": "read", "write": "write", "edit": "edit",
	"bash": "run", "powershell": "run", "codemode": "run",
	"ls": "list", "find": "search", "grep": "search", "tool_search": "search",
	"fetch": "fetch", agentkit.ToolFetch: "fetch", agentkit.ToolSearch: "search",
}

// target is what a call is about.
func target(name string, args object) string {
	var s string
	switch verbs[name] {
	case "run":
		return start(cmp.Or(args.str("command"), args.str("code")), maxTarget)
	case "search":
		s = cmp.Or(args.str("pattern"), args.str("query"))
		if p := args.str("path"); p != "" {
			s += " · " + p
		}
	case "list":
		s = cmp.Or(args.str("path"), ".")
	default:
		s = cmp.Or(args.str("path"), args.str("file_path"), args.str("url"), args.str("query"), args.str("name"))
	}
	return line(s, maxTarget)
}

// callID is pi's id of a call, and a short one in the place of one that is too long to be kept.
func callID(o object, key string) string {
	call := o.str(key)
	if len(call) > maxName || sanitize.Text(call) != call {
		sum := sha256.Sum256([]byte(call))
		call = hex.EncodeToString(sum[:8])
	}
	return call
}

// openTool notes that a tool was called; nil when too many run. Its id is stable and unique in a
// task: some providers count their calls from 0 in every answer, so the answer is a part of it.
func (t *Timeline) openTool(call, name string, args object, now time.Time) *open {
	if _, again := t.tools[call]; !again && len(t.tools) >= maxOpen {
		return nil
	}
	o := &open{call: call, at: now, data: task.ToolData{
		ID: t.turn + "." + call, Name: line(name, maxName), Verb: cmp.Or(verbs[name], "other"), Target: target(name, args)}}
	t.tools[call] = o
	return o
}

// opened are the tools that run, in a stable order.
func (t *Timeline) opened() []*open {
	var out []*open
	for _, o := range t.tools {
		out = append(out, o)
	}
	slices.SortFunc(out, func(a, b *open) int {
		return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.data.ID, b.data.ID))
	})
	return out
}

func (t *Timeline) toolStart(e object, now time.Time) []Entry {
	o := t.openTool(callID(e, "toolCallId"), e.str("toolName"), e.obj("args"), now)
	if o == nil || t.presence(o.data.ID) != Absent {
		return nil
	}
	t.seen.put(o.data.ID, Begun)
	d := o.data
	d.State = ToolStarted
	return []Entry{{Kind: task.EventTool, Stored: true, Data: d}}
}

func (t *Timeline) toolEnd(e object) []Entry {
	o := t.tools[callID(e, "toolCallId")]
	if o == nil {
		return nil // it never started, or has ended
	}
	o.result(e.obj("result"))
	o.data.WallMS = max(0, e.num("durationMs")) // none when it did not run
	return t.finish(o, e.flag("isError"))
}

// finish ends a tool, unless the timeline has it whole.
func (t *Timeline) finish(o *open, failed bool) []Entry {
	if t.presence(o.data.ID) == Whole {
		delete(t.tools, o.call)
		return nil
	}
	if failed {
		return []Entry{t.endTool(o, ToolFailed)}
	}
	return []Entry{t.endTool(o, ToolDone)}
}

// result takes what a tool gave: its text, and the patch of an edit.
func (o *open) result(r object) {
	blocks := r.blocks("content")
	o.data.Output = end(textOf(blocks, "text", "text"), maxOutput)
	if n := pictures(blocks); o.data.Output == "" && n > 0 {
		o.data.Output = strconv.Itoa(n) + " × image"
	}
	o.data.Diff = start(r.obj("details").str("patch"), maxDiff)
}

func pictures(blocks []object) int {
	n := 0
	for _, b := range blocks {
		if b.str("type") == "image" {
			n++
		}
	}
	return n
}

// endTool closes a tool that was not closed yet.
func (t *Timeline) endTool(o *open, state string) Entry {
	delete(t.tools, o.call)
	t.seen.put(o.data.ID, Whole)
	d := o.data
	d.State = state
	return Entry{Kind: task.EventTool, Stored: true, Data: d}
}
