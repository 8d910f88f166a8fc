package transcript

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aymanbagabas/go-udiff"
	sdk "github.com/coder/acp-go-sdk"

	"piwork/app/agent"
	"piwork/app/task"
)

// Bounds of what is remembered of tools.
const (
	maxTools = 256
	maxID    = 1 << 10
	maxSide  = 64 << 10 // bytes of one side of an edit, of which a difference is made
	maxTexts = 64       // parts of an output
)

// tool is one that runs.
type tool struct {
	data  task.ToolData
	kind  sdk.ToolKind
	input map[string]any // what of it is looked at, bounded
	at    time.Time
	told  bool // that it started
}

// verbs says what kinds of tools do; others are "other".
var verbs = map[sdk.ToolKind]string{
	sdk.ToolKindRead: "read", sdk.ToolKindEdit: "edit", sdk.ToolKindExecute: "run", sdk.ToolKindSearch: "search", sdk.ToolKindFetch: "fetch",
}

// Call is what is known of a tool that runs.
type Call struct {
	Kind    sdk.ToolKind
	Title   string   // in one line
	Command string   // of what runs one, as it came
	Dir     string   // where it runs, "" where that is not said
	Paths   []string // as they came
}

// Running is a tool that runs; ok is false where none of the id does.
func (t *Transcript) Running(id sdk.ToolCallId) (c Call, ok bool) {
	o := t.tools[id]
	if o == nil {
		return c, false
	}
	return CallOf(o.kind, o.data.Name, o.input, nil), true
}

// CallOf puts together what is known of a call.
func CallOf(kind sdk.ToolKind, title string, input any, places []sdk.ToolCallLocation) Call {
	c := Call{Kind: kind, Title: agent.OneLine(title, agent.MaxTarget)}
	in, _ := input.(map[string]any)
	c.Command, c.Dir = first(in, "command", "cmd"), first(in, dirs...)
	if p := first(in, paths...); p != "" {
		c.Paths = append(c.Paths, p)
	}
	for _, p := range places[:min(len(places), maxTexts)] {
		c.Paths = append(c.Paths, p.Path)
	}
	return c
}

var dirs = []string{"cwd", "workdir", "working_directory", "directory"}

var paths = []string{"filePath", "file_path", "filepath", "path", "abs_path", "file"}

// first is the first of some members that is a text.
func first(in map[string]any, names ...string) string {
	for _, name := range names {
		if s, ok := in[name].(string); ok && s != "" {
			return s
		}
	}
	return ""
}

// essential is what of an input is looked at. A command that is too long to be shown stays too
// long.
func essential(in map[string]any) map[string]any {
	out := map[string]any{}
	for _, name := range slices.Concat([]string{"command", "cmd", "pattern", "query", "url"}, dirs, paths) {
		if s := first(in, name); s != "" {
			out[name] = strings.Clone(s[:min(len(s), agent.MaxCommand+1)])
		}
	}
	return out
}

// called notes a tool that was called.
func (t *Transcript) called(c *sdk.SessionUpdateToolCall, now time.Time) []agent.Entry {
	out := t.said(now)
	if len(c.ToolCallId) > maxID {
		return out
	}
	o := t.tools[c.ToolCallId]
	if o == nil {
		if len(t.tools) >= maxTools {
			return out
		}
		o = &tool{at: now, data: task.ToolData{ID: t.id("t"), Verb: "other"}}
		t.tools[c.ToolCallId] = o
	}
	return append(out, t.learn(o, c.ToolCallId, c.Kind, c.Title, c.RawInput, c.Locations, c.Status, c.Content, now)...)
}

// updated learns more of a tool.
func (t *Transcript) updated(c *sdk.SessionToolCallUpdate, now time.Time) []agent.Entry {
	o := t.tools[c.ToolCallId]
	if o == nil {
		return nil // it never began, or has ended
	}
	var kind sdk.ToolKind
	var title string
	var status sdk.ToolCallStatus
	if c.Kind != nil {
		kind = *c.Kind
	}
	if c.Title != nil {
		title = *c.Title
	}
	if c.Status != nil {
		status = *c.Status
	}
	return t.learn(o, c.ToolCallId, kind, title, c.RawInput, c.Locations, status, c.Content, now)
}

// learn takes what is new of a tool, and tells of it when that is something.
func (t *Transcript) learn(o *tool, id sdk.ToolCallId, kind sdk.ToolKind, title string, input any, places []sdk.ToolCallLocation, status sdk.ToolCallStatus, content []sdk.ToolCallContent, now time.Time) (out []agent.Entry) {
	if kind != "" && !o.told {
		o.kind, o.data.Verb = kind, cmp.Or(verbs[kind], "other")
	}
	if in, ok := input.(map[string]any); ok && len(in) > 0 && !o.told {
		o.input = essential(in)
	}
	if o.data.Name == "" { // the first is that of the tool, later ones are of what it does
		o.data.Name = agent.OneLine(title, agent.MaxName)
	}
	if !o.told {
		o.data.Target = target(o, title, places)
	}
	over := status == sdk.ToolCallStatusCompleted || status == sdk.ToolCallStatusFailed
	if !o.told && (o.data.Target != "" || over || status == sdk.ToolCallStatusInProgress) {
		o.told = true
		d := o.data
		d.State = agent.ToolStarted
		out = append(out, agent.Entry{Kind: task.EventTool, Stored: true, Data: d})
	}
	if len(content) > 0 {
		o.result(content)
	}
	if over {
		state := agent.ToolDone
		if status == sdk.ToolCallStatusFailed {
			state = agent.ToolFailed
		}
		out = append(out, t.endTool(id, o, state, now))
	}
	return out
}

// target is what a call is about.
func target(o *tool, title string, places []sdk.ToolCallLocation) string {
	c := CallOf(o.kind, title, o.input, places)
	if c.Command != "" {
		return agent.Beginning(c.Command, agent.MaxTarget)
	}
	if s := first(o.input, "pattern", "query", "url"); s != "" {
		if p := first(o.input, paths...); p != "" {
			s += " · " + p
		}
		return agent.OneLine(s, agent.MaxTarget)
	}
	if len(c.Paths) > 0 && o.kind != sdk.ToolKindExecute {
		return agent.OneLine(c.Paths[0], agent.MaxTarget)
	}
	if title != o.data.Name {
		return agent.OneLine(title, agent.MaxTarget)
	}
	return ""
}

// result takes what a tool gave: its text, and what it changed.
func (o *tool) result(content []sdk.ToolCallContent) {
	var texts []string
	diff := ""
	for _, c := range content[:min(len(content), maxTexts)] {
		switch {
		case c.Content != nil && c.Content.Content.Text != nil:
			texts = append(texts, agent.Ending(c.Content.Content.Text.Text, agent.MaxOutput))
		case c.Diff != nil && len(diff) < agent.MaxDiff:
			diff += difference(*c.Diff)
		}
	}
	if len(texts) > 0 {
		o.data.Output = agent.Ending(strings.Join(texts, "\n"), agent.MaxOutput)
	}
	if diff != "" {
		o.data.Diff = agent.Beginning(diff, agent.MaxDiff)
	}
}

// difference is that of an edit; "" where it is too large to be made.
func difference(d sdk.ToolCallContentDiff) string {
	before := ""
	if d.OldText != nil {
		before = *d.OldText
	}
	if len(before) > maxSide || len(d.NewText) > maxSide {
		return ""
	}
	name := agent.OneLine(d.Path, agent.MaxTarget)
	return udiff.Unified(name, name, before, d.NewText)
}

// endTools ends what never ended, in the order in which it began.
func (t *Transcript) endTools(now time.Time) (out []agent.Entry) {
	ids := slices.SortedFunc(maps.Keys(t.tools), func(a, b sdk.ToolCallId) int {
		return cmp.Or(t.tools[a].at.Compare(t.tools[b].at), cmp.Compare(t.tools[a].data.ID, t.tools[b].data.ID))
	})
	for _, id := range ids {
		o := t.tools[id]
		if !o.told {
			delete(t.tools, id)
			continue
		}
		out = append(out, t.endTool(id, o, agent.ToolFailed, now))
	}
	return out
}

func (t *Transcript) endTool(id sdk.ToolCallId, o *tool, state string, now time.Time) agent.Entry {
	delete(t.tools, id)
	d := o.data
	d.State, d.WallMS = state, max(0, now.Sub(o.at).Milliseconds())
	return agent.Entry{Kind: task.EventTool, Stored: true, Data: d}
}
