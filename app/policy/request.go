package policy

import (
	"time"

	"piwork/app/problem"
	"piwork/app/task"
	"piwork/vmhost"
)

// Action is what is done.
type Action string

// Actions.
const (
	Read         Action = "read"
	Write        Action = "write"
	Delete       Action = "delete"
	Connect      Action = "connect"
	Run          Action = "run"
	UseKey       Action = "useKey"
	StartRuntime Action = "startRuntime"
)

// Kinds of what is run, beside the kinds of tasks.
const (
	Program = "program"
	Command = "command" // of an AI
	Session = "session" // a program that is typed in the place of a task
	Server  = "server"  // an MCP server of the person, as "server/tool" a call of it
)

// ServiceKey stands before the name of a service of the person, as what useKey is about.
const ServiceKey = "service/"

// Things of Request.About that the share and the agent ask about, and what is decided about
// changes of a task afterwards.
const (
	AboutMany  = "many"
	AboutWeb   = "web"
	AboutUndo  = "undo"
	AboutRedo  = "redo"
	AboutApply = "apply"
)

// Who acts: a task.
type Who struct {
	Client string    `json:"client,omitempty" maxLength:"64" doc:"name of the token of the program that asks; without it you do"`
	Door   string    `json:"door,omitempty" enum:"window,cli,mcp,acp,stdio,http" doc:"by which the request came, as its program says; rules can forbid and ask by it, and never allow"`
	Task   string    `json:"task,omitempty" maxLength:"64"`
	Kind   task.Kind `json:"kind,omitempty" enum:"chore,ai,exec,tool" doc:"of the task; exec where it is not said"`
	Agent  string    `json:"agent,omitempty" maxLength:"64" doc:"the AI program that works in it"`
}

// What is acted on: one of these, which one follows from the action.
type What struct {
	Path    string `json:"path,omitempty" maxLength:"4096" doc:"read, write and delete: a file or a folder of this computer"`
	Host    string `json:"host,omitempty" maxLength:"253" doc:"connect: a name or an address"`
	Port    int    `json:"port,omitempty" minimum:"0" maximum:"65535" doc:"connect; 443 where it is not said"`
	Program string `json:"program,omitempty" maxLength:"256" doc:"run: a program, a chore or an operation"`
	RunKind string `json:"runKind,omitempty" enum:"program,session,command,server,chore,tool,ai" doc:"run: what that is; a program where it is not said"`
	Key     string `json:"key,omitempty" maxLength:"64" doc:"useKey: the provider that it is for, or service/ and the name of a service"`

	Own string `json:"-"` // the path of a program that is none of the system: its name may be a person's
}

// Condition is under which conditions.
type Condition struct {
	Runtime   string           `json:"runtime,omitempty" maxLength:"64" doc:"kind of place where the task works, and of startRuntime; vm where it is not said"`
	Isolation vmhost.Isolation `json:"isolation,omitempty" enum:"hardware,emulated,namespace,none" doc:"how well that keeps apart"`
	Domain    vmhost.Domain    `json:"domain,omitempty" maxLength:"16" doc:"where it takes effect"`
	Network   task.Network     `json:"network,omitempty" enum:"off,restricted,on" doc:"network of the task; off where it is not said"`
	Risk      string           `json:"risk,omitempty" enum:"none,low,high" doc:"how careful to be; none where it is not said"`
	About     string           `json:"about,omitempty" maxLength:"64" doc:"what piwork would ask about more than the action: many, bytes, startup, git, hidden, programs, web; or what is done with changes of a task: undo, redo, apply"`
	Effects   []string         `json:"effects,omitempty" maxItems:"32" doc:"of a command"`
	Size      int64            `json:"size,omitempty" minimum:"0" doc:"bytes"`
	Files     int64            `json:"files,omitempty" minimum:"0"`
	Time      *time.Time       `json:"time,omitempty" doc:"now where it is not said"`
}

// Request is one question to the rules.
type Request struct {
	Action Action `json:"action" enum:"read,write,delete,connect,run,useKey,startRuntime"`
	Who
	What
	Condition
}

// Effect is the answer to a request.
type Effect string

// Effects, the strictest last.
const (
	Allow Effect = "allow"
	Ask   Effect = "ask"
	Deny  Effect = "deny"
)

// Stricter reports whether e lets through less than o.
func (e Effect) Stricter(o Effect) bool { return e.rank() > o.rank() }

func (e Effect) rank() int {
	switch e {
	case Allow:
		return 0
	case Ask:
		return 1
	}
	return 2
}

// Layer is which file a rule is in.
type Layer string

// Layers, the first that is asked first.
const (
	Managed Layer = "managed"
	Yours   Layer = "yours"
	Default Layer = "default"
)

// Decision is the answer, and the rule that gave it.
type Decision struct {
	Effect Effect     `json:"effect" enum:"allow,ask,deny"`
	Rule   string     `json:"rule,omitempty" doc:"id of the rule that decided; none where no rule is about it, or a file has a fault"`
	Layer  Layer      `json:"layer,omitempty" enum:"managed,yours,default"`
	Fault  *RuleFault `json:"fault,omitempty" doc:"of a file of rules, for which everything is refused"`

	text string // tells the rule from another one with its id
}

// Written reports whether a rule decided that is none of the defaults.
func (d Decision) Written() bool { return d.Fault != nil || d.Layer == Managed || d.Layer == Yours }

// Name is the rule as records say it: its layer and its id.
func (d Decision) Name() string {
	switch {
	case d.Fault != nil:
		return string(d.Fault.Layer) + "/fault"
	case d.Rule == "":
		return "none"
	}
	return string(d.Layer) + "/" + d.Rule
}

// Topic is what a decision about the rule is kept by: its name and a digest of its text, so that
// a yes to one rule is none to another that has its place in the file later.
func (d Decision) Topic() string { return d.Name() + "#" + d.text }

// Explains adds to a problem which rule it is of.
func (d Decision) Explains(p *problem.Problem) *problem.Problem {
	switch {
	case d.Fault != nil:
		return p.By("fault").With("path", d.Fault.Path).With("line", d.Fault.Line).With("layer", string(d.Fault.Layer))
	case d.Rule == "":
		return p.By("none")
	}
	return p.By(string(d.Layer)).With("rule", d.Rule)
}

// Subject is what a request is about, in one word.
func (r Request) Subject() string {
	switch r.Action {
	case Connect:
		return r.Host
	case Run:
		return r.Program
	case UseKey:
		return r.Key
	case StartRuntime:
		return r.runtime()
	}
	return r.Path
}
