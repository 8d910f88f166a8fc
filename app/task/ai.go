package task

// AI is what a task has that was asked for in a person's own words.
type AI struct {
	Model    string `json:"model"`              // "<provider>/<model>"
	Program  string `json:"program,omitempty"`  // AI program, as in package app/agent/program; "" is pi
	Thinking string `json:"thinking,omitempty"` // "off", "minimal", "low", "medium", "high"; "" is the model's own
	Budget   int64  `json:"budget,omitempty"`   // at which it stops, in millionths of a US dollar; 0 has none
	Usage    Usage  `json:"usage"`
	Resumes  int    `json:"resumes,omitempty"` // how often it went on after an interruption

	// Servers tells that the AI may use MCP servers of the person while it is at work: no
	// program with a token steers it then.
	Servers bool `json:"servers,omitempty"`

	// Dir is where it works in its machine, for the life of the task; "" is its first
	// folder, also when that was removed.
	Dir string `json:"dir,omitempty"`

	// Pending are messages that the agent does not have yet: what a task that was
	// interrupted begins with when it goes on.
	Pending []Pending `json:"pending,omitempty"`
}

// Pending is a message of the person on its way to the agent.
type Pending struct {
	ID     string   `json:"id"` // MessageData.Pending of what the agent has of it
	Text   string   `json:"text"`
	How    string   `json:"how"`              // as MessageData.How
	Images []string `json:"images,omitempty"` // names in the task's uploads
}

// Usage is what a task used of models, so far.
type Usage struct {
	Requests   int64 `json:"requests"`
	Input      int64 `json:"input"`  // tokens that were not read from a cache
	Output     int64 `json:"output"` // tokens
	CacheRead  int64 `json:"cacheRead,omitempty"`
	CacheWrite int64 `json:"cacheWrite,omitempty"`
	Cost       int64 `json:"cost,omitempty"`    // millionths of a US dollar, of what has a known price
	Unknown    bool  `json:"unknown,omitempty"` // some of it has no known price
}

// Kinds of events of AI tasks.
const (
	EventMessage EventKind = "message" // MessageData: something was said
	EventDelta   EventKind = "delta"   // DeltaData: a part of a message that is being written; not stored
	EventTool    EventKind = "tool"    // ToolData: the agent did something
	EventUsage   EventKind = "usage"   // Usage
	EventNotice  EventKind = "notice"  // NoticeData: the agent's own state
	EventQueue   EventKind = "queue"   // QueueData: messages that wait
)

// MessageData is the data of EventMessage: one message, whole.
type MessageData struct {
	ID       string   `json:"id"`   // unique in the task
	Role     string   `json:"role"` // "user" or "assistant"
	Text     string   `json:"text"` // Markdown
	Thinking string   `json:"thinking,omitempty"`
	How      string   `json:"how,omitempty"`     // of the user's: "prompt", "steer" or "followUp"
	Images   []string `json:"images,omitempty"`  // of the user's: names
	Pending  string   `json:"pending,omitempty"` // of the user's: id of the [Pending] that it was
	Model    string   `json:"model,omitempty"`
	Raw      int64    `json:"raw,omitempty"` // line of the agent's own record (agent.jsonl), from 1; 0 has none
}

// DeltaData is the data of EventDelta.
type DeltaData struct {
	ID       string `json:"id"`             // of the message
	Part     int    `json:"part,omitempty"` // counts from 1; a number that is missing is a part that did not arrive
	Text     string `json:"text,omitempty"`
	Thinking string `json:"thinking,omitempty"`
}

// ToolData is the data of EventTool. The same id comes twice: when it starts and
// when it ended.
type ToolData struct {
	ID     string `json:"id"`
	Name   string `json:"name"`             // as the agent calls it
	Verb   string `json:"verb"`             // "read", "write", "edit", "run", "list", "search", "fetch" or "other"
	Target string `json:"target,omitempty"` // what it is about: a path, a command, a pattern
	State  string `json:"state"`            // "started", "done" or "failed"
	Output string `json:"output,omitempty"` // its end, at most 4 KiB
	Diff   string `json:"diff,omitempty"`   // unified, of an edit, at most 16 KiB
	WallMS int64  `json:"wallMs,omitempty"`
	Raw    int64  `json:"raw,omitempty"` // as MessageData.Raw
}

// NoticeData is the data of EventNotice. The words of a code are in the
// catalogues; text is the agent's own and only shown where it is asked for.
type NoticeData struct {
	// "turn" (it begins to work on something), "settled" (it waits for a message),
	// "compacting" (as the person asked), "compacted", "short" (there was nothing to
	// summarise), "not-compact", "retry", "aborted", "resumed", "lost-work" (what was in /work is
	// gone), "budget", "model", "notify" (of an extension), "pictures-left" (those of the message
	// before it: the model is not known to look at pictures), "cache-shared" (another task has
	// the cache, whose changes alone are kept), "cache-renewed" (it was damaged and begins empty),
	// "cache-not-kept" (it is as before the task), "place" (why it works in a place that is no
	// machine)
	Code   string         `json:"code"`
	Params map[string]any `json:"params,omitempty" doc:"of model: model, or thinking; with wanted, the level that was chosen and that the model does not have; of place: runtime, reason, rule, problem and cause of the machine, and engine, version and rootless of what runs it"`
	Text   string         `json:"text,omitempty"`
	Raw    int64          `json:"raw,omitempty"`
}

// QueueData is the data of EventQueue.
type QueueData struct {
	Steering []string `json:"steering"`
	FollowUp []string `json:"followUp"`
}
