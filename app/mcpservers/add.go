package mcpservers

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"piwork/app/gateway/keys"
	"piwork/app/problem"
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
			all[n].Folders, all[n].Hosts = i.Folders, i.Hosts
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
	ctx, done, err := s.o.Use.Begin(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	var kept []string
	defer func() {
		if err == nil {
			return
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), forgetWithin)
		defer cancel()
		for _, id := range kept {
			_ = s.o.Secrets.Delete(ctx, id) // nothing names it
		}
	}()
	keep := func(place string, values map[string]string) error {
		if len(values) == 0 {
			return nil
		}
		c, err := sealed(place, values)
		if err == nil {
			err = s.o.Secrets.Set(ctx, c)
		}
		if err != nil {
			return problem.From(err)
		}
		kept = append(kept, place)
		return nil
	}
	for i, a := range list {
		values := a.Env
		if a.URL != "" {
			values = a.Headers
		}
		if err := keep(secretsOf(out[i].ID), values); err != nil {
			return nil, err
		}
		if a.ClientSecret == "" {
			continue
		}
		if err := keep(clientOf(out[i].ID), map[string]string{secretField: a.ClientSecret}); err != nil {
			return nil, err
		}
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
		for _, v := range out {
			if err := s.o.decide(ctx, "mcp-server/"+v.Name, "created"); err != nil {
				return err
			}
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
	case a.Client+a.ClientSecret != "":
		return v, problem.BadRequest("client", "one signs in to remote servers alone")
	case a.Command == "" || len(a.Command) > maxArg || strings.ContainsRune(a.Command, 0):
		return v, problem.BadRequest("command", "it names no program")
	case len(a.Args) > maxArgs, slices.ContainsFunc(a.Args, func(s string) bool { return len(s) > maxArg || strings.ContainsRune(s, 0) }):
		return v, problem.BadRequest("args", "there are too many, or one is too long")
	case len(a.Env) > maxEnv:
		return v, problem.BadRequest("env", "there are more than %d variables", maxEnv)
	case len(a.Folders) > maxFolders:
		return v, problem.BadRequest("folders", "there are more than %d", maxFolders)
	}
	for name, value := range a.Env {
		if !variable().MatchString(name) || len(value) > maxValue || strings.ContainsRune(value, 0) {
			return v, problem.BadRequest("env", "%q is no variable that can be set", cut(name, 64))
		}
	}
	err := checkRoom("env", v.ID, a.Env)
	if err != nil {
		return v, err
	}
	if v.Hosts, v.Services, err = s.o.reach(Reach{a.Hosts, a.Services}); err != nil {
		return v, err
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
	case a.Command != "" || len(a.Args)+len(a.Env)+len(a.Folders)+len(a.Hosts)+len(a.Services) > 0:
		return v, problem.BadRequest("url", "a server is either a program or reached at an address")
	case len(a.Headers) > maxEnv:
		return v, problem.BadRequest("headers", "there are more than %d", maxEnv)
	case a.Client == "" && a.ClientSecret != "":
		return v, problem.BadRequest("clientSecret", "it belongs to a client, which is not named")
	case !plain(a.Client) || !plain(a.ClientSecret):
		return v, problem.BadRequest("client", "it, or its secret, is none that a service gives out")
	}
	for name, value := range a.Headers {
		if !headerName().MatchString(name) || len(value) > maxValue || !plain(value) {
			return v, problem.BadRequest("headers", "%q is no header that can be sent", cut(name, 64))
		}
	}
	if len(a.ClientSecret) > maxValue {
		return v, problem.BadRequest("clientSecret", "it is longer than %d bytes", maxValue)
	}
	v.URL, v.Headers, v.Client = u.String(), slices.Sorted(maps.Keys(a.Headers)), a.Client
	return v, checkRoom("headers", v.ID, a.Headers)
}

// plain reports whether a text is of characters that can be printed, of ASCII alone
// (VSCHAR of RFC 6749, appendix A).
func plain(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
}

// secretsOf is what the values of a server's variables are kept as, and clientOf the secret of
// its client, in the field secretField.
func secretsOf(id string) string { return "mcp." + id }
func clientOf(id string) string  { return secretsOf(id) + ".client" }

const secretField = "secret"

// sealed is a value as a credential: keys have an alphabet of their own. One that takes more room
// than a key may is a *[keys.InvalidError].
func sealed(place string, value any) (keys.Credential, error) {
	data, err := json.Marshal(value)
	if err != nil {
		return keys.Credential{}, err
	}
	c := keys.Credential{Provider: place, Kind: keys.KindKey, Key: keys.NewSecret(base64.RawURLEncoding.EncodeToString(data))}
	return c, c.Check()
}

// checkRoom returns an error for values that are not kept together.
func checkRoom(field, id string, values map[string]string) error {
	if _, err := sealed(secretsOf(id), values); err != nil && len(values) > 0 {
		return problem.BadRequest(field, "together they take more than about 12 KiB")
	}
	return nil
}

// env are the variables of a server, with their values.
func (s *Servers) env(ctx context.Context, v Server) (map[string]string, error) {
	if len(v.Env)+len(v.Headers) == 0 {
		return nil, nil
	}
	env, err := s.opened(ctx, secretsOf(v.ID))
	if errors.Is(err, keys.ErrNotFound) { // somebody emptied the place of secrets
		return nil, problem.New(problem.CodeMCPServer).With("name", v.Name).By("values").Because(err)
	}
	if err != nil {
		return nil, problem.From(err)
	}
	return env, nil
}

// opened are values that were sealed.
func (s *Servers) opened(ctx context.Context, place string) (values map[string]string, err error) {
	c, err := s.o.Secrets.Get(ctx, place)
	if err != nil {
		return nil, err
	}
	data, err := base64.RawURLEncoding.DecodeString(c.Key.Reveal())
	if err == nil {
		err = json.Unmarshal(data, &values)
	}
	if err != nil {
		return nil, keys.ErrEntry
	}
	return values, nil
}
