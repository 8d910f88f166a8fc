package mcpservers

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"piwork/app/consent"
	"piwork/app/gateway/keys"
	"piwork/app/problem"
	"piwork/app/settings"
	"piwork/vmhost/network/policy"
)

// Options say where the list is, and with what servers are started.
type Options struct {
	ConfigDir string
	Secrets   keys.Store                                 // of values of variables, under "mcp." and an entry's id
	Start     Starter                                    // nil starts none
	Folder    func(path string) (real string, err error) // refuses folders that nothing may have
	Changed   func()                                     // nil is nobody
	Log       *slog.Logger
	Now       func() time.Time
}

// Servers are all that a person added. It is safe for concurrent use.
type Servers struct {
	o    Options
	file *settings.File[document]
}

// listName is the file of the list, in the directory of settings.
const listName = "mcp-servers.json"

// New returns those of the list.
func New(o Options) (*Servers, error) {
	f, err := settings.Open(filepath.Join(o.ConfigDir, listName), document{V: 1}, o.Changed)
	if err != nil {
		return nil, err
	}
	return &Servers{o: o, file: f}, nil
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

// AddMCPServer adds a server, of which nothing is allowed.
func (s *Servers) AddMCPServer(ctx context.Context, a Addition) (Server, error) {
	all, err := s.add(ctx, a)
	if err != nil {
		return Server{}, err
	}
	return all[0], nil
}

// ImportMCPServers adds all servers of a file as other programs have it, or none.
func (s *Servers) ImportMCPServers(ctx context.Context, i Import) ([]Server, error) {
	all, err := parseImport(i.Config)
	if err != nil {
		return nil, problem.BadRequest("config", "%w", err)
	}
	for n := range all {
		all[n].Folders = i.Folders
	}
	return s.add(ctx, all...)
}

// add adds servers, all or none. Their secrets are kept before the list names them.
func (s *Servers) add(ctx context.Context, list ...Addition) (out []Server, err error) {
	for _, a := range list {
		v, err := s.check(a)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	var kept []string
	defer func() {
		if err != nil {
			for _, id := range kept {
				_ = s.o.Secrets.Delete(context.WithoutCancel(ctx), id) // nothing names it
			}
		}
	}()
	for i, a := range list {
		if len(a.Env) == 0 {
			continue
		}
		c, err := sealed(out[i].ID, a.Env)
		if err == nil {
			err = s.o.Secrets.Set(ctx, c)
		}
		if err != nil {
			return nil, problem.From(err)
		}
		kept = append(kept, c.Provider)
	}
	err = s.file.Update(func(d *document) error {
		next := slices.Clone(d.Servers)
		for _, v := range out {
			if slices.ContainsFunc(next, func(o Server) bool { return o.Name == v.Name }) {
				return problem.New(problem.CodeBadRequest).With("field", "name").With("name", v.Name).By("mcp-server-exists")
			}
			next = append(next, v)
		}
		if len(next) > maxServers {
			return problem.BadRequest("name", "there are %d servers already", maxServers)
		}
		slices.SortFunc(next, func(a, b Server) int { return strings.Compare(a.Name, b.Name) })
		d.V, d.Servers = 1, next
		return nil
	})
	if err != nil {
		return nil, problem.From(err)
	}
	return out, nil
}

// check makes an entry of what is to be added.
func (s *Servers) check(a Addition) (Server, error) {
	v := Server{Name: a.Name, ID: strings.ToLower(rand.Text()), Command: a.Command, Args: a.Args, Env: slices.Sorted(maps.Keys(a.Env))}
	switch {
	case !serverName().MatchString(a.Name):
		return v, problem.BadRequest("name", "%q is not of small letters, digits and -, at most %d", cut(a.Name, 64), maxName)
	case a.Command == "" || len(a.Command) > maxArg || strings.ContainsRune(a.Command, 0):
		return v, problem.BadRequest("command", "it names no program")
	case len(a.Args) > maxArgs, slices.ContainsFunc(a.Args, func(s string) bool { return len(s) > maxArg || strings.ContainsRune(s, 0) }):
		return v, problem.BadRequest("args", "there are too many, or one is too long")
	case len(a.Env) > maxEnv:
		return v, problem.BadRequest("env", "there are more than %d variables", maxEnv)
	case len(a.Folders) > maxFolders:
		return v, problem.BadRequest("folders", "there are more than %d", maxFolders)
	case len(a.Hosts) > maxHosts:
		return v, problem.BadRequest("hosts", "there are more than %d", maxHosts)
	}
	for name, value := range a.Env {
		if !variable().MatchString(name) || len(value) > maxValue || strings.ContainsRune(value, 0) {
			return v, problem.BadRequest("env", "%q is no variable that can be set", cut(name, 64))
		}
	}
	for _, h := range a.Hosts {
		p, err := policy.ParsePattern(h)
		if err == nil && p.Wide() {
			err = policy.ErrWide
		}
		if err != nil {
			return v, problem.BadRequest("hosts", "%w", err)
		}
		v.Hosts = append(v.Hosts, p.String())
	}
	for _, f := range a.Folders {
		real, err := s.o.Folder(f)
		if err != nil {
			return v, problem.From(err)
		}
		if !slices.Contains(v.Folders, real) {
			v.Folders = append(v.Folders, real)
		}
	}
	return v, nil
}

// secretsOf is what the values of a server's variables are kept as.
func secretsOf(id string) string { return "mcp." + id }

// sealed are the values of a server's variables as a credential: keys have an alphabet of
// their own.
func sealed(id string, env map[string]string) (keys.Credential, error) {
	data, err := json.Marshal(env)
	if err != nil {
		return keys.Credential{}, err
	}
	return keys.Credential{Provider: secretsOf(id), Kind: keys.KindKey, Key: keys.NewSecret(base64.RawURLEncoding.EncodeToString(data))}, nil
}

// env are the variables of a server, with their values.
func (s *Servers) env(ctx context.Context, v Server) (map[string]string, error) {
	if len(v.Env) == 0 {
		return nil, nil
	}
	c, err := s.o.Secrets.Get(ctx, secretsOf(v.ID))
	if err != nil {
		return nil, problem.From(err)
	}
	data, err := base64.RawURLEncoding.DecodeString(c.Key.Reveal())
	var env map[string]string
	if err == nil {
		err = json.Unmarshal(data, &env)
	}
	if err != nil {
		return nil, problem.From(fmt.Errorf("%w", keys.ErrDamaged))
	}
	return env, nil
}

// RemoveMCPServer removes a server and its secrets.
func (s *Servers) RemoveMCPServer(ctx context.Context, name string) error {
	v, err := s.find(name)
	if err != nil {
		return err
	}
	if len(v.Env) > 0 { // first: what is not in the list any more cannot be removed again
		if err := s.o.Secrets.Delete(ctx, secretsOf(v.ID)); err != nil && !errors.Is(err, keys.ErrNotFound) {
			return problem.From(err)
		}
	}
	err = s.file.Update(func(d *document) error {
		d.Servers = slices.DeleteFunc(slices.Clone(d.Servers), func(o Server) bool { return o.ID == v.ID })
		return nil
	})
	if err != nil {
		return problem.From(err)
	}
	return nil
}

// CheckMCPServer starts a server, lists its tools, and ends it.
func (s *Servers) CheckMCPServer(ctx context.Context, name string) (Server, error) {
	v, err := s.find(name)
	if err != nil {
		return Server{}, err
	}
	if s.o.Start == nil {
		return Server{}, problem.New(problem.CodeUnsupported).With("what", "mcp-server")
	}
	c, err := s.open(ctx, ctx, v, Program{By: consent.WhoOf(ctx)})
	if err != nil {
		return Server{}, s.failed(v, err)
	}
	defer c.end()
	listing, cancel := context.WithTimeout(ctx, listWithin)
	defer cancel()
	all, err := c.tools(listing)
	if err != nil {
		return Server{}, s.failed(v, err)
	}
	return s.learn(v, readTools(v.Name, all))
}

// failed is the problem of a server that does not do what it should.
func (s *Servers) failed(v Server, err error) error {
	var p *problem.Problem
	if errors.As(err, &p) {
		return p
	}
	var own *serverError
	if !errors.As(err, &own) {
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
	err := s.file.Update(func(d *document) error {
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
		return nil
	})
	if err != nil {
		return Server{}, problem.From(err)
	}
	return out, nil
}
