package access

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"

	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/app/toolcall"
	"piwork/pack/tools"
	"piwork/vmhost"
)

// Scope is a part of what the API does.
type Scope string

// Scopes; see the package comment.
const (
	Read   Scope = "read"
	Tasks  Scope = "tasks"
	Tools  Scope = "tools"
	AI     Scope = "ai"
	Decide Scope = "decide"
	Manage Scope = "manage"
)

// Scopes are all, the mightiest last.
func Scopes() []Scope { return []Scope{Read, Tasks, Tools, AI, Decide, Manage} }

// Client is a program with a token. Nil is the person, who may do everything. It does not
// change.
type Client struct {
	Name    string
	id      string // Token.Client
	scopes  []Scope
	folders []task.FolderRequest
	origins []string
	valid   context.Context // ends when the token is revoked, or its time is over
}

type clientKey struct{}

// Context returns a context for a request of the client, which ends with its token.
func (c *Client) Context(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(context.WithValue(task.WithClient(ctx, c.id), clientKey{}, c))
	stop := context.AfterFunc(c.valid, func() { cancel(context.Cause(c.valid)) })
	return ctx, func() { stop(); cancel(nil) }
}

// ClientOf is who asks; nil is the person.
func ClientOf(ctx context.Context) *Client {
	c, _ := ctx.Value(clientKey{}).(*Client)
	return c
}

// Identity is what tasks carry of the client.
func (c *Client) Identity() string { return c.id }

// May tells whether a scope is the client's.
func (c *Client) May(s Scope) bool {
	return c == nil || slices.Contains(c.scopes, s) || slices.Contains(c.scopes, Manage)
}

// Denied is what a client is told that lacks a scope.
func (c *Client) Denied(s Scope) error {
	return problem.New(problem.CodeTokenScope).With("client", c.Name).With("scope", string(s))
}

// DeniedAlways is what a client is told that asks for what is the person's alone.
func (c *Client) DeniedAlways() error {
	return problem.New(problem.CodeTokenScope).By("person").With("client", c.Name)
}

// Sees tells whether a client may know of a task.
func (c *Client) Sees(t task.Task) bool { return c.May(Read) || t.Client == c.id }

// Owns tells whether a client may do something to the tasks of another one, "" being the person.
func (c *Client) Owns(client string) bool { return c.May(Manage) || client == c.id }

// Start makes a request one of the client, or says why it is none that it may make. Services
// are the person's to lend: no token is enough, and none to steer a task that has one.
func (c *Client) Start(r *tasks.StartRequest) (err error) {
	if c != nil && len(r.Services) > 0 {
		return c.DeniedAlways()
	}
	if c.May(Manage) {
		return nil
	}
	if err := c.Begins(r.Kind); err != nil {
		return err
	}
	loose := r.Accept || r.Network == task.NetworkOn || len(r.Presets) > 0 || r.Runtime != "" && r.Runtime != vmhost.KindVM
	switch {
	case loose && !c.May(Decide):
		return c.Denied(Decide)
	case r.Cache != "":
		return c.Denied(Manage)
	}
	r.Agent = true
	for i, f := range r.Folders {
		if r.Folders[i], err = c.Folder(f); err != nil {
			return err
		}
	}
	return nil
}

// Again returns an error where the client may not have a task of its own go on, or start it
// again with another choice of a place: it may have folders that the person gave it for once.
func (c *Client) Again(t task.Task, accept bool, runtime string) error {
	if c != nil && len(t.Services) > 0 {
		return c.DeniedAlways()
	}
	if c != nil && runtime == vmhost.KindHost {
		return c.DeniedAlways()
	}
	if c.May(Manage) {
		return nil
	}
	r := tasks.StartRequest{Kind: t.Kind, Network: t.Network, PolicyRequest: t.PolicyRequest, Accept: accept, MachineChoice: tasks.MachineChoice{Runtime: runtime}}
	if t.Asked != nil {
		r.Runtime, r.Cache = cmp.Or(runtime, t.Asked.Runtime), t.Asked.Cache
	}
	for _, f := range t.Shared() {
		r.Folders = append(r.Folders, task.FolderRequest{Path: f.Path, Mode: f.Mode})
	}
	return c.Start(&r)
}

// Begins returns an error where the client may not start tasks of a kind.
func (c *Client) Begins(k task.Kind) error {
	s := Tasks
	switch k {
	case task.KindAI:
		s = AI
	case task.KindTool:
		s = Tools
	}
	if !c.May(s) {
		return c.Denied(s)
	}
	return nil
}

// Folder is a folder of the token as a request has it; without a mode it has the token's.
func (c *Client) Folder(f task.FolderRequest) (task.FolderRequest, error) {
	if c.May(Manage) {
		return f, nil
	}
	i := slices.IndexFunc(c.folders, func(has task.FolderRequest) bool { return has.Path == filepath.Clean(f.Path) })
	if i < 0 {
		return f, problem.New(problem.CodeTokenFolder).With("client", c.Name).With("path", f.Path)
	}
	has := c.folders[i]
	has.Exact = true // whoever may change what is above it could make a link of it
	if f.Mode == "" {
		return has, nil
	}
	if f.Mode.Exceeds(has.Mode) {
		return f, problem.New(problem.CodeTokenFolder).With("client", c.Name).With("path", f.Path).With("mode", string(has.Mode))
	}
	has.Mode = f.Mode
	return has, nil
}

// Tool makes the request for an operation on files of this computer, which are in folders of
// the token. It has those folders alone, and can write where it has to. Nothing of the files
// is looked at on the disk.
func (c *Client) Tool(call toolcall.Call) (tasks.StartRequest, error) {
	none := tasks.StartRequest{}
	op, _ := tools.Find(call.Op)
	used := map[string]task.Mode{}
	for i, p := range append(slices.Clone(call.In), call.Out) {
		if p == "" {
			continue
		}
		at := slices.IndexFunc(c.folders, func(f task.FolderRequest) bool { return task.Contains(f.Path, filepath.Clean(p)) })
		if at < 0 {
			return none, problem.New(problem.CodeTokenFolder).With("client", c.Name).With("path", p)
		}
		f := c.folders[at]
		if written := i == len(call.In) || op.Changes; written || used[f.Path] == "" {
			used[f.Path] = task.ModeReadOnly
			if written {
				used[f.Path] = f.Mode
			}
		}
	}
	var all []task.Folder
	var requests []task.FolderRequest
	for _, f := range c.folders {
		mode := used[f.Path]
		if mode == "" && op.Changes { // where a parameter says that files go
			mode = f.Mode
		}
		if mode != "" {
			all = append(all, task.Folder{Path: f.Path, Mode: mode, Name: task.FolderName(filepath.Base(f.Path), f.Path, all)})
			requests = append(requests, task.FolderRequest{Path: f.Path, Mode: mode, Exact: true})
		}
	}
	p, err := call.On(all)
	if err != nil {
		return none, err
	}
	return tasks.StartRequest{Kind: task.KindTool, Tool: &p, Folders: requests}, nil
}
