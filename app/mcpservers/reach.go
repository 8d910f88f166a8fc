package mcpservers

import (
	"context"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"piwork/app/problem"
	"piwork/app/services"
	"piwork/vmhost/network/policy"
)

// Reach is what a program of a server may connect to.
type Reach struct {
	Hosts    []string `json:"hosts" maxItems:"16" doc:"written as rules of the network are; without any, and without services, it has no network"`
	Services []string `json:"services,omitempty" maxItems:"8" doc:"services of the person: their secrets are put into its requests on this computer, and it never has them"`
}

// fetchers are programs that fetch a server when they start it.
var fetchers = []string{"npx", "pnpm", "pnpx", "yarn", "bunx", "bun", "deno", "uvx", "uv", "pipx", "docker", "podman"}

// Fetches reports whether the program of a server would fetch the server itself. It is not
// started: each time another program could run with what the person allowed to this one.
func (v Server) Fetches() bool {
	name := strings.ToLower(path.Base(strings.ReplaceAll(v.Command, `\`, "/")))
	for _, ending := range []string{".exe", ".cmd"} {
		name = strings.TrimSuffix(name, ending)
	}
	return slices.Contains(fetchers, name) || name == "npm" && (slices.Contains(v.Args, "exec") || slices.Contains(v.Args, "x"))
}

// SetMCPServerReach changes what a server may connect to. Where it runs, it ends, and what was
// allowed for longer than once is asked about again: it was for another reach.
func (s *Servers) SetMCPServerReach(ctx context.Context, name string, r Reach) (Server, error) {
	var out Server
	hosts, services, err := s.o.reach(r)
	if err != nil {
		return out, err
	}
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
		v := &next[i]
		switch {
		case v.remote():
			return problem.BadRequest("hosts", "%s is reached at an address; it runs in no place of ours", name)
		case !slices.Equal(v.Hosts, hosts) || !slices.Equal(v.Services, services):
			if err := s.o.decide(ctx, "mcp-server/"+name, "reach"); err != nil {
				return err
			}
			v.Hosts, v.Services, v.Turn = hosts, services, v.Turn+1
		}
		out, d.Servers = next[i], next
		return nil
	})
	if err != nil {
		return Server{}, problem.From(err)
	}
	s.mu.Lock()
	uses := slices.Collect(maps.Keys(s.uses))
	s.mu.Unlock()
	for _, u := range uses {
		u.restart(out)
	}
	return out, nil
}

// reach checks what a server is to reach.
func (o *Options) reach(r Reach) (hosts, services []string, err error) {
	if len(r.Hosts) > maxHosts {
		return nil, nil, problem.BadRequest("hosts", "there are more than %d", maxHosts)
	}
	for _, h := range r.Hosts {
		p, err := policy.ParsePattern(h)
		if err == nil && p.Wide() {
			err = policy.ErrWide
		}
		if err != nil {
			return nil, nil, problem.BadRequest("hosts", "%w", err)
		}
		if h = p.String(); !slices.Contains(hosts, h) {
			hosts = append(hosts, h)
		}
	}
	_, err = o.terms(r.Services)
	return hosts, slices.Clone(r.Services), err
}

// terms are those of services by their names.
func (o *Options) terms(names []string) (services.Terms, error) {
	switch {
	case len(names) == 0:
		return services.Terms{}, nil
	case o.Services == nil:
		return services.Terms{}, problem.New(problem.CodeUnsupported).With("what", "services")
	}
	return o.Services(names)
}

// scope is what a server may connect to at one time.
type scope struct {
	hosts []string // for a person
	topic string   // how topics of rules about calls end: a rule is about what the server could reach then
	run   string   // what a server was started for: with a new secret of a service it starts again, and rules stay
}

// scope is that of a server now. A service that is gone since is named: the server does not start
// with it.
func (o *Options) scope(v Server) (s scope) {
	if v.Turn > 0 {
		s.topic = "-" + strconv.Itoa(v.Turn)
	}
	t, err := o.terms(v.Services)
	if err != nil {
		t.Hosts = v.Services
	}
	if len(v.Services) > 0 {
		s.topic += "-" + t.Digest
	}
	s.hosts, s.run = slices.Concat(v.Hosts, t.Hosts), s.topic+"-"+strconv.Itoa(t.Ended)
	return s
}

// restart ends a server whose reach changed; the next call starts it.
func (u *Use) restart(v Server) {
	now := u.s.o.scope(v).run
	u.mu.Lock()
	r := u.runs[v.ID]
	if r == nil || r.reach == now {
		u.mu.Unlock()
		return
	}
	delete(u.runs, v.ID)
	u.mu.Unlock()
	r.stop()
}
