package agent

import "piwork/app/task"

// Entry is what becomes one event of a task.
type Entry struct {
	Kind task.EventKind
	// task.MessageData, task.DeltaData, task.ToolData, task.NoticeData or
	// task.QueueData, by Kind.
	Data any
	// Stored says that it belongs into the timeline; deltas are only for those
	// who look on.
	Stored bool
	// Raw is the line it comes from, as Options.Record numbered it; 0 for what
	// comes from the session that pi had stored.
	Raw int64
}

// Codes of notices, beside those that the application makes itself.
const (
	NoticeTurn       = "turn"        // it begins to work on something
	NoticeSettled    = "settled"     // it waits for a message
	NoticeCompacted  = "compacted"   // params: reason, before, after (tokens)
	NoticeNotCompact = "not-compact" // older messages could not be summarised; text
	NoticeShort      = "short"       // there is nothing to summarise; text
	NoticeRetry      = "retry"       // params: attempt, of, waitMs; text is the error
	NoticeFailed     = "failed"      // the model did not answer, and it is not tried again; text
	NoticeAborted    = "aborted"
	NoticeResumed    = "resumed"    // params: messages
	NoticeModel      = "model"      // params: model or thinking, and the level that was wanted where the model has another
	NoticeNotify     = "notify"     // params: level ("info", "warning", "error"); text
	NoticeExtension  = "extension"  // a part of pi failed; text
	NoticeUnreadable = "unreadable" // params: lines: so many could not be read
	NoticeForgot     = "forgot"     // it begins anew: it does not have what was said before
)

// Presence says what a task's timeline has of a message or tool already.
type Presence int

// What a timeline has.
const (
	Absent Presence = iota
	Begun           // a tool that started
	Whole           // a message, or a tool that ended
)

// Presences collects what a timeline has, for Options.Known. The zero value is
// not ready: make it.
type Presences map[string]Presence

// Add takes the data of one stored event.
func (p Presences) Add(data any) {
	switch d := data.(type) {
	case task.MessageData:
		p[d.ID] = Whole
	case task.ToolData:
		if d.State != ToolStarted {
			p[d.ID] = Whole
		} else if p[d.ID] == Absent {
			p[d.ID] = Begun
		}
	}
}

// Of is for Options.Known.
func (p Presences) Of(id string) Presence { return p[id] }

// States of a tool.
const (
	ToolStarted = "started"
	ToolDone    = "done"
	ToolFailed  = "failed"
)

// Notice is an entry for a notice, as sessions of other AI programs make them.
func Notice(code, text string, params map[string]any) Entry { return notice(code, text, params) }

func notice(code, text string, params map[string]any) Entry {
	return Entry{Kind: task.EventNotice, Stored: true, Data: task.NoticeData{Code: code, Text: text, Params: params}}
}

// WithRaw says which line entries come from.
func WithRaw(entries []Entry, raw int64) []Entry { return withRaw(entries, raw) }

// withRaw says which line entries come from.
func withRaw(entries []Entry, raw int64) []Entry {
	for i := range entries {
		entries[i].Raw = raw
		switch d := entries[i].Data.(type) {
		case task.MessageData:
			d.Raw = raw
			entries[i].Data = d
		case task.ToolData:
			d.Raw = raw
			entries[i].Data = d
		case task.NoticeData:
			d.Raw = raw
			entries[i].Data = d
		}
	}
	return entries
}
