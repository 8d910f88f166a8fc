package keys

import (
	"net/url"
	"strings"
)

// maxPasted bounds what a person pastes: an address with a code in it.
const maxPasted = 2 * maxSecret

// read finds the code of this login in what a person pasted: the code, "code#state",
// or the address the browser ended at. An address has to be the one that this login
// sends the browser to, with this login's state. A code alone is good without: who has
// another's cannot use it here, because the verifier is not theirs (RFC 7636).
func (l *Login) read(text string) (g grant, err error) {
	wrong := &LoginError{l.Provider, LoginWrong}
	text = strings.TrimSpace(text)
	if l.Flow == FlowDevice || text == "" || len(text) > maxPasted {
		return grant{}, wrong
	}
	q, is, err := l.query(text)
	switch {
	case err != nil:
		return grant{}, wrong
	case is:
		if !l.state.IsZero() && !NewSecret(q.Get("state")).Equal(l.state) {
			return grant{}, wrong
		}
		if q.Get("error") != "" {
			return grant{}, &LoginError{l.Provider, LoginDenied}
		}
		g = grantOf(q)
	default:
		var state string
		g.code, state, _ = strings.Cut(text, "#")
		if state != "" && !l.state.IsZero() && !NewSecret(state).Equal(l.state) {
			return grant{}, wrong
		}
	}
	if !g.good(l.e) {
		return grant{}, wrong
	}
	return g, nil
}

func grantOf(q url.Values) grant { return grant{code: q.Get("code"), client: q.Get("client_id")} }

// good reports whether a grant can be what an endpoint gave. A client is one that is
// needed: of others nothing is believed.
func (g *grant) good(e Endpoint) bool {
	if !e.Registers {
		g.client = ""
	}
	bare := func(s string, most int) bool {
		return len(s) <= most && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
	}
	return g.code != "" && bare(g.code, maxSecret) && bare(g.client, maxClient) && (g.client != "") == e.Registers
}

// query is what a pasted address, or the end of one, says; is reports that the text is
// one. An address of another place is an error.
func (l *Login) query(text string) (q url.Values, is bool, err error) {
	wrong := &LoginError{l.Provider, LoginWrong}
	end := strings.TrimPrefix(text, "?")
	if to, err := url.Parse(l.redirect); err == nil {
		if strings.HasPrefix(text, to.Host+to.Path) { // as browsers show it
			text = to.Scheme + "://" + text
		}
		if strings.Contains(text, "://") {
			u, err := url.Parse(text)
			if err != nil || u.Scheme != to.Scheme || u.Host != to.Host || u.Path != to.Path || u.User != nil || u.Opaque != "" {
				return nil, true, wrong
			}
			end = u.RawQuery
			q, err = url.ParseQuery(end)
			return q, true, err
		}
	}
	if !strings.Contains(end, "code=") && !strings.Contains(end, "error=") {
		return nil, false, nil
	}
	q, err = url.ParseQuery(end)
	return q, true, err
}
