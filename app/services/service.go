package services

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpguts"

	"piwork/app/gateway/keys"
	"piwork/app/problem"
	"piwork/pack/lazyregexp"
	"piwork/vmhost/network/inspect"
	"piwork/vmhost/network/policy"
	"piwork/vmhost/network/scrub"
)

// Service is one that a person lets tasks use.
type Service struct {
	Name  string `json:"name" maxLength:"31" doc:"what it is called: small letters, digits and -"`
	Hosts []Host `json:"hosts"`

	Secret Secret `json:"secret" enum:"none,missing,set" doc:"none: nothing is put in; missing: it has to be given; set: it is in the keychain"`
	Ending string `json:"ending,omitempty" doc:"last four characters of the secret"`
}

// Secret says whether a service has one.
type Secret string

// What a service has of a secret.
const (
	SecretNone    Secret = "none"
	SecretMissing Secret = "missing"
	SecretSet     Secret = "set"
)

// Host is one of a service.
type Host struct {
	Host  string   `json:"host" minLength:"1" maxLength:"260" doc:"its name, with a port where it is not 443"`
	Put   *Put     `json:"put,omitempty" doc:"where the secret goes; without it the host gets none"`
	Rules []string `json:"rules" maxItems:"64" doc:"about requests: allow or refuse, methods or *, a path with * and **. The first that is about a request counts; without one it is refused"`
	Test  string   `json:"test,omitempty" maxLength:"256" doc:"path that testService asks for"`
}

// Put says where a secret goes. It is Template in Header, or of User a basic authentication.
type Put struct {
	Header   string `json:"header,omitempty" maxLength:"64" doc:"field of requests; Authorization without one"`
	Template string `json:"template,omitempty" maxLength:"200" doc:"what the field is, with {secret} in it"`
	User     string `json:"user,omitempty" maxLength:"100" doc:"name of a basic authentication, whose password is the secret"`
}

// Definition is what a service is to be.
type Definition struct {
	Preset string `json:"preset,omitempty" maxLength:"64" doc:"code of a preset, in place of hosts"`
	Hosts  []Host `json:"hosts,omitempty" maxItems:"8"`
}

// SecretRequest is a secret to be kept.
type SecretRequest struct {
	Secret string `json:"secret" minLength:"8" maxLength:"1024"`
}

// Bounds.
const (
	maxServices = 32
	maxHosts    = 8 // of a service
	maxSecret   = 1024

	placeholder = "{secret}"
	usualField  = "Authorization"
)

var serviceName = lazyregexp.New(`^[a-z0-9][a-z0-9-]{0,30}$`)

// site is a host of a service, checked.
type site struct {
	inspect.Site
	put *Put
}

// check reads the hosts of a service.
func (s Service) check() ([]site, error) {
	if !serviceName().MatchString(s.Name) {
		return nil, problem.BadRequest("name", "%q is not of small letters, digits and -", s.Name)
	}
	if len(s.Hosts) == 0 || len(s.Hosts) > maxHosts {
		return nil, problem.BadRequest("hosts", "a service has 1 to %d hosts", maxHosts).By("service-host")
	}
	var out []site
	for _, h := range s.Hosts {
		one, err := h.check()
		if err != nil {
			return nil, err
		}
		one.Service = s.Name
		if slices.ContainsFunc(out, func(o site) bool { return o.Host == one.Host && o.Port == one.Port }) {
			return nil, problem.BadRequest("hosts", "%s is there twice", h.Host).By("service-host")
		}
		out = append(out, one)
	}
	return out, nil
}

func (h Host) check() (site, error) {
	out := site{Site: inspect.Site{Port: 443}, put: h.Put}
	name := h.Host
	if host, port, ok := strings.Cut(h.Host, ":"); ok {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 || n == 80 {
			return out, problem.BadRequest("hosts", "%q has no port for https", h.Host).By("service-host")
		}
		name, out.Port = host, uint16(n)
	}
	var err error
	if out.Host, err = policy.Name(name); err != nil || strings.HasSuffix(name, ".") {
		return out, problem.BadRequest("hosts", "%q is no name of a host", h.Host).By("service-host")
	}
	if len(h.Rules) == 0 || len(h.Rules) > 64 {
		return out, problem.BadRequest("rules", "%s needs 1 to 64 rules", h.Host).By("service-rule")
	}
	if out.Rules, err = inspect.ParseRules(h.Rules); err != nil {
		return out, problem.BadRequest("rules", "%w", err).By("service-rule")
	}
	if h.Test != "" {
		if _, err := inspect.ParsePath(h.Test); err != nil {
			return out, problem.BadRequest("test", "%q is no path", h.Test)
		}
	}
	if h.Put == nil {
		return out, nil
	}
	return out, h.Put.check()
}

// refused are fields that are not a secret's.
var refused = []string{"host", "content-length", "content-type", "content-encoding", "transfer-encoding", "connection", "upgrade", "te", "trailer", "expect", "accept-encoding", "range", "user-agent"}

func (p *Put) check() error {
	field := cmp.Or(p.Header, usualField)
	switch {
	case !httpguts.ValidHeaderFieldName(field) || slices.Contains(refused, strings.ToLower(field)):
		return problem.BadRequest("header", "%q is no field that a secret can be in", p.Header).By("service-secret")
	case (p.User == "") == (p.Template == ""):
		return problem.BadRequest("template", "a secret is put in by a template or as a password, one of both").By("service-secret")
	case p.Template != "" && (strings.Count(p.Template, placeholder) != 1 || !printable(p.Template)):
		return problem.BadRequest("template", "%q has not one %s", p.Template, placeholder).By("service-secret")
	case p.User != "" && (strings.Contains(p.User, ":") || !printable(p.User)):
		return problem.BadRequest("user", "%q is no name of a basic authentication", p.User).By("service-secret")
	case p.User != "" && !strings.EqualFold(field, usualField):
		return problem.BadRequest("header", "a basic authentication is in %s", usualField).By("service-secret")
	}
	return nil
}

func printable(s string) bool {
	return !strings.ContainsFunc(s, func(c rune) bool { return c < ' ' || c > '~' })
}

// with is what goes into requests.
func (p *Put) with(s keys.Secret, scrubber *scrub.Scrubber) inspect.Credential {
	c := inspect.Credential{Header: cmp.Or(p.Header, usualField), Scrub: scrubber}
	if p.User != "" {
		c.Value = "Basic " + base64.StdEncoding.EncodeToString([]byte(p.User+":"+s.Reveal()))
	} else {
		c.Value = strings.ReplaceAll(p.Template, placeholder, s.Reveal())
	}
	return c
}

// wants reports whether a service has a place for a secret.
func (s Service) wants() bool {
	return slices.ContainsFunc(s.Hosts, func(h Host) bool { return h.Put != nil })
}

// bound says for which hosts and places a secret is: what it was kept with is compared.
func (s Service) bound() string {
	type place struct {
		Host string
		Put  *Put
	}
	var all []place
	for _, h := range s.Hosts {
		if h.Put != nil {
			all = append(all, place{strings.ToLower(h.Host), h.Put})
		}
	}
	text, err := json.Marshal(all)
	if err != nil {
		return "" // of no text
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// address is a host and its port.
func (s site) address() string { return net.JoinHostPort(s.Host, strconv.Itoa(int(s.Port))) }
