package mcpservers

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"piwork/app/gateway/keys"
	"piwork/app/problem"
	"piwork/vmhost/network/policy"
)

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
		if all[n].URL == "" { // one at an address sees none
			all[n].Folders = i.Folders
		}
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
		values := a.Env
		if a.URL != "" {
			values = a.Headers
		}
		if len(values) == 0 {
			continue
		}
		c, err := sealed(out[i].ID, values)
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
	if !serverName().MatchString(a.Name) {
		return v, problem.BadRequest("name", "%q is not of small letters, digits and -, at most %d", cut(a.Name, 64), maxName)
	}
	if a.URL != "" {
		return checkRemote(v, a)
	}
	switch {
	case len(a.Headers) > 0:
		return v, problem.BadRequest("headers", "a program is sent none")
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

// checkRemote makes an entry of a remote server.
func checkRemote(v Server, a Addition) (Server, error) {
	u, err := checkAddress(a.URL)
	switch {
	case err != nil:
		return v, problem.BadRequest("url", "%w", err)
	case a.Command != "" || len(a.Args)+len(a.Env)+len(a.Folders)+len(a.Hosts) > 0:
		return v, problem.BadRequest("url", "a server is either a program or reached at an address")
	case len(a.Headers) > maxEnv:
		return v, problem.BadRequest("headers", "there are more than %d", maxEnv)
	}
	for name, value := range a.Headers {
		if !headerName().MatchString(name) || len(value) > maxValue || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' }) {
			return v, problem.BadRequest("headers", "%q is no header that can be sent", cut(name, 64))
		}
	}
	v.URL, v.Headers = u.String(), slices.Sorted(maps.Keys(a.Headers))
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
	if len(v.Env)+len(v.Headers) == 0 {
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
		return nil, problem.From(keys.ErrDamaged)
	}
	return env, nil
}
