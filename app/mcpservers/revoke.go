package mcpservers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"golang.org/x/oauth2"
)

// announced notes where a service takes back what it gave out (RFC 8414, section 2). Whoever
// describes a sign-in can say so: it counts as [returns] has it.
type announced struct {
	base http.RoundTripper

	mu sync.Mutex
	at map[string]string // by the place of tokens
}

// RoundTrip implements http.RoundTripper.
func (d *announced) RoundTrip(r *http.Request) (*http.Response, error) {
	a, err := d.base.RoundTrip(r)
	if err != nil || a.StatusCode != http.StatusOK || r.Method != http.MethodGet ||
		!strings.Contains(r.URL.Path, "/.well-known/oauth-authorization-server") && !strings.Contains(r.URL.Path, "/.well-known/openid-configuration") {
		return a, err
	}
	data, err := io.ReadAll(a.Body) // it is bounded
	_ = a.Body.Close()
	if err != nil {
		return nil, err
	}
	a.Body = io.NopCloser(bytes.NewReader(data))
	var m struct {
		Token  string `json:"token_endpoint"`
		Revoke string `json:"revocation_endpoint"`
	}
	if json.Unmarshal(data, &m) == nil && m.Revoke != "" && len(m.Revoke) <= maxValue {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.at == nil {
			d.at = map[string]string{}
		}
		d.at[m.Token] = m.Revoke
	}
	return a, nil
}

func (d *announced) revokes(token string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.at[token]
}

// revoke reads what is kept of a sign-in, and returns what tells the service that it is over
// (RFC 7009): whether that took it.
func (s *Servers) revoke(ctx context.Context, v Server) (tell func() bool) {
	l, err := s.kept(ctx, v)
	if err != nil || !returns(l) {
		return func() bool { return false }
	}
	return func() bool {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tellWithin)
		defer cancel()
		err := s.tell(ctx, v, l)
		if err != nil {
			s.o.Log.Warn("a service was not told that a sign-in is over", "server", v.Name, "error", hideIn(err, l))
		}
		return err == nil
	}
}

// returns reports whether what is kept goes back to who gave it out: to the origin of its tokens. A
// server may have described another place, to get what renews a sign-in and the client's secret.
func returns(l login) bool {
	from, err := url.Parse(l.Token)
	if err != nil || from.Host == "" {
		return false
	}
	to, err := url.Parse(l.Revoke)
	return err == nil && to.Scheme == from.Scheme && originOf(to) == originOf(from)
}

// hideIn is the text of an error without what is secret of a sign-in.
func hideIn(err error, l login) string {
	hidden := newSecrets(nil)
	l.hide(hidden)
	return hidden.clean(err.Error())
}

// errKept is a service that did not take back what it gave out.
var errKept = errors.New("the service did not take it back")

func (s *Servers) tell(ctx context.Context, v Server, l login) error {
	at, err := url.Parse(l.Revoke)
	if err != nil {
		return err
	}
	c, _, done, err := s.client(v, v.Hosts, Program{Server: v.Name}, nil)
	if err != nil {
		return err
	}
	defer done()
	form := url.Values{"token": {l.Access.AccessToken}, "token_type_hint": {"access_token"}}
	if l.Access.RefreshToken != "" { // what came of it goes, too
		form = url.Values{"token": {l.Access.RefreshToken}, "token_type_hint": {"refresh_token"}}
	}
	basic := l.Secret != "" && oauth2.AuthStyle(l.Style) == oauth2.AuthStyleInHeader
	if !basic {
		form.Set("client_id", l.Client)
		if l.Secret != "" {
			form.Set("client_secret", l.Secret)
		}
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, at.String(), strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if basic {
		r.SetBasicAuth(url.QueryEscape(l.Client), url.QueryEscape(l.Secret))
	}
	a, err := c.Do(r)
	if err != nil {
		return err
	}
	_ = a.Body.Close()
	if a.StatusCode != http.StatusOK {
		return errKept
	}
	return nil
}
