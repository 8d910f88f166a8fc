package mcpservers

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"piwork/app/audit"
	"piwork/app/consent"
	"piwork/app/gateway/keys"
	"piwork/app/problem"
	"piwork/app/services"
	"piwork/app/settings"
	"piwork/app/telemetry"
	"piwork/vmhost"
	"piwork/vmhost/network/policy"
)

// Options say where the list is, and with what servers are started.
type Options struct {
	ConfigDir string
	Secrets   keys.Store // of values of variables, under "mcp." and an entry's id
	Audit     *audit.Log
	Use       audit.Use
	Start     Starter                                              // nil starts none
	Outlet    func(p Program, rules []policy.Rule) (Outlet, error) // for a remote server
	Services  func(names []string) (services.Terms, error)         // of the person; nil has none
	Folder    func(path string) (real string, err error)           // refuses folders that nothing may have
	Changed   func()                                               // nil is nobody
	Say       keys.Say                                             // what a browser is shown after a sign-in
	Log       *slog.Logger
	Telemetry *telemetry.Telemetry // nil counts nothing
	Now       func() time.Time
}

// Servers are all that a person added. It is safe for concurrent use.
type Servers struct {
	o    Options
	file *settings.File[document]

	life context.Context // of sign-ins
	end  context.CancelFunc
	work sync.WaitGroup

	mu     sync.Mutex
	logins map[string]*signIn // by the entry's id
	turned map[string]int     // how often the person signed in, or out; likewise
	uses   map[*Use]struct{}  // of the tasks that live

	unsaved unsaved                        // of sign-ins; it has a lock of its own, after all others
	signing map[string]*semaphore.Weighted // held while what is kept of a sign-in changes; likewise. Only mu is locked after it
}

// listName is the file of the list, in the directory of settings.
const listName = "mcp-servers.json"

// New returns those of the list.
func New(o Options) (*Servers, error) {
	f, err := settings.Open(filepath.Join(o.ConfigDir, listName), document{V: 1}, o.Changed)
	if err != nil {
		return nil, err
	}
	s := &Servers{o: o, file: f, logins: map[string]*signIn{}, turned: map[string]int{}, uses: map[*Use]struct{}{}, signing: map[string]*semaphore.Weighted{}}
	s.life, s.end = context.WithCancel(context.Background())
	return s, nil
}

// Close ends the sign-ins that are under way.
func (s *Servers) Close() {
	s.mu.Lock()
	s.end()
	s.mu.Unlock()
	s.work.Wait()
}

// MCPServers lists them by name.
func (s *Servers) MCPServers(context.Context) ([]Server, error) {
	return slices.Clone(s.file.Get().Servers), nil
}

// find finds one by its name.
func (s *Servers) find(name string) (Server, error) {
	for _, v := range s.file.Get().Servers {
		if v.Name == name {
			return v, nil
		}
	}
	return Server{}, unknown(name)
}

func unknown(name string) *problem.Problem {
	return problem.New(problem.CodeNotFound).With("what", "mcp-server").With("name", name)
}

// RemoveMCPServer removes a server and its secrets. Where it runs, it ends.
func (s *Servers) RemoveMCPServer(ctx context.Context, name string) error {
	v, err := s.find(name)
	if err != nil {
		return err
	}
	ctx, done, err := s.o.Use.Begin(ctx)
	if err != nil {
		return err
	}
	defer done()
	if v.remote() {
		if _, err := s.forget(ctx, v); err != nil {
			return err
		}
	}
	if err := s.remove(ctx, v); err != nil {
		return problem.From(err)
	}
	s.mu.Lock()
	uses := slices.Collect(maps.Keys(s.uses))
	s.mu.Unlock()
	for _, u := range uses {
		u.stop(v.ID)
	}
	return s.o.decide(ctx, "mcp-server/"+name, "removed") // last: what only takes a right away waits for no record
}

// decide records who changes the list, before it is changed.
func (o *Options) decide(ctx context.Context, topic, answer string) error {
	return o.Audit.Decide(ctx, "", audit.Decision{Topic: topic, Answer: answer})
}

// remove takes a server out of the list, and forgets its secrets.
func (s *Servers) remove(ctx context.Context, v Server) error {
	release, err := s.endLogin(ctx, v)
	if err != nil {
		return err
	}
	defer release()
	var named []string
	if len(v.Env)+len(v.Headers) > 0 {
		named = append(named, secretsOf(v.ID))
	}
	if v.remote() {
		named = append(named, loginOf(v.ID), clientOf(v.ID))
	}
	for _, id := range named { // first: what is not in the list any more cannot be removed again
		if err := s.drop(ctx, id); err != nil {
			return err
		}
	}
	return s.file.Update(func(d *document) error {
		d.Servers = slices.DeleteFunc(slices.Clone(d.Servers), func(o Server) bool { return o.ID == v.ID })
		return nil
	})
}

// drop deletes a secret. Where there is none, the place of secrets is left alone: it may be
// locked.
func (s *Servers) drop(ctx context.Context, id string) error {
	have, err := s.o.Secrets.List(ctx)
	if err != nil || slices.ContainsFunc(have, func(i keys.Info) bool { return i.Provider == id }) {
		if err := s.o.Secrets.Delete(ctx, id); err != nil && !errors.Is(err, keys.ErrNotFound) {
			return err
		}
	}
	s.unsaved.forget(id)
	return nil
}

// CheckMCPServer starts a server, lists its tools, and ends it.
func (s *Servers) CheckMCPServer(ctx context.Context, name string) (Server, error) {
	v, err := s.find(name)
	if err != nil {
		return Server{}, err
	}
	if s.o.Start == nil && !v.remote() {
		return Server{}, problem.New(problem.CodeUnsupported).With("what", "mcp-server")
	}
	c, err := s.open(ctx, ctx, v, Program{By: consent.WhoOf(ctx)})
	if err != nil {
		return Server{}, failedOf(v, err)
	}
	defer c.end()
	listing, cancel := context.WithTimeout(ctx, listWithin)
	defer cancel()
	all, err := c.tools(listing)
	if err != nil {
		return Server{}, failedOf(v, err)
	}
	return s.learn(v, readTools(v.Name, all))
}

// CauseHost is the cause of a problem whose host nobody agreed to.
const CauseHost = "host"

// failedOf is the problem of a server that does not do what it should.
func failedOf(v Server, err error) *problem.Problem {
	var p *problem.Problem
	if errors.As(err, &p) {
		return p
	}
	var host *hostError
	switch {
	case errors.As(err, &host):
		return problem.New(problem.CodeMCPServer).With("name", v.Name).With("host", host.host).By(CauseHost)
	case errors.Is(err, ErrSignIn):
		return problem.New(problem.CodeMCPServer).With("name", v.Name).By("sign-in")
	case errors.Is(err, errDeclined):
		return problem.New(problem.CodeMCPServer).With("name", v.Name).By("declined")
	}
	if _, is := errors.AsType[*serverError](err); !is {
		if p := problem.From(err); p.Code != problem.CodeUnknown {
			return p
		}
	}
	return problem.New(problem.CodeMCPServer).With("name", v.Name).Because(err)
}

// learn notes which tools a server has now. What is as it was stays allowed.
func (s *Servers) learn(v Server, now []Tool) (Server, error) {
	var out Server
	err := s.file.Update(func(d *document) error {
		next := slices.Clone(d.Servers)
		i := slices.IndexFunc(next, func(o Server) bool { return o.ID == v.ID })
		if i < 0 {
			return unknown(v.Name)
		}
		at := s.o.Now().UTC()
		next[i].Tools, next[i].Checked = merged(next[i].Tools, now), &at
		out, d.Servers = next[i], next
		return nil
	})
	if err != nil {
		return Server{}, problem.From(err)
	}
	return out, nil
}

// merged are the tools of now with what was decided about them before.
func merged(before, now []Tool) []Tool {
	out := slices.Clone(now)
	for i, t := range out {
		j := slices.IndexFunc(before, func(o Tool) bool { return o.Name == t.Name })
		if t.State != ToolOff || j < 0 {
			continue
		}
		switch b := before[j]; {
		case b.Hash == t.Hash:
			out[i].State = b.State
		case b.State == ToolOn || b.State == ToolChanged:
			out[i].State = ToolChanged
		}
		if out[i].State == ToolUnfit { // it was, by an older program
			out[i].State = ToolOff
		}
	}
	return out
}

// AllowMCPTool allows a tool as it was shown, or not any more.
func (s *Servers) AllowMCPTool(ctx context.Context, name string, c ToolChoice) (Server, error) {
	var out Server
	topic := "mcp-tool/" + name + "/" + c.Tool
	ctx, done, err := s.o.Use.Begin(ctx)
	if err != nil {
		return out, err
	}
	defer done()
	err = s.file.Update(func(d *document) error {
		next := slices.Clone(d.Servers)
		i := slices.IndexFunc(next, func(o Server) bool { return o.Name == name })
		if i < 0 {
			return unknown(name)
		}
		tools := slices.Clone(next[i].Tools)
		j := slices.IndexFunc(tools, func(t Tool) bool { return t.Name == c.Tool })
		switch {
		case j < 0:
			return problem.New(problem.CodeNotFound).With("what", "mcp-tool").With("name", c.Tool)
		case !c.Allow && tools[j].State != ToolUnfit:
			tools[j].State = ToolOff
		case !c.Allow:
		case tools[j].State == ToolUnfit:
			return problem.New(problem.CodeBadRequest).With("field", "tool").With("name", c.Tool).By("mcp-tool-unfit")
		case c.Hash == "" || tools[j].Hash != c.Hash:
			return problem.New(problem.CodeBadRequest).With("field", "hash").With("name", c.Tool).By("mcp-tool-changed")
		default:
			tools[j].State = ToolOn
		}
		next[i].Tools = tools
		out, d.Servers = next[i], next
		if c.Allow {
			return s.o.decide(ctx, topic, vmhost.AnswerAllow)
		}
		return nil
	})
	if err == nil && !c.Allow { // what only takes a right away waits for no record
		err = s.o.decide(ctx, topic, vmhost.AnswerDeny)
	}
	if err != nil {
		return Server{}, problem.From(err)
	}
	return out, nil
}
