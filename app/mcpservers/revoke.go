package mcpservers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"golang.org/x/oauth2"
)

// announced notes how a sign-in is described (RFC 8414, section 2). Anybody can describe one: where
// tokens are taken back counts as [returns] has it, and where they are given out as [guardedCode] has it.
type announced struct {
	base http.RoundTripper

	mu  sync.Mutex
	all []description
}

// description is what one document says of a sign-in.
type description struct {
	from                 *url.URL // of the document
	login, token, revoke string
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
		Login  string `json:"authorization_endpoint"`
		Token  string `json:"token_endpoint"`
		Revoke string `json:"revocation_endpoint"`
	}
	if json.Unmarshal(data, &m) == nil && max(len(m.Login), len(m.Token), len(m.Revoke)) <= maxValue {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.all = append(d.all, description{r.URL, m.Login, m.Token, m.Revoke})
	}
	return a, nil
}

func (d *announced) descriptions() []description {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.all)
}

// revokes is where tokens from a place are taken back, as the last document has it that says so.
func (d *announced) revokes(token string) (at string) {
	for _, one := range d.descriptions() {
		if one.token == token && one.revoke != "" {
			at = one.revoke
		}
	}
	return at
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
