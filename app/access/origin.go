package access

import (
	"net"
	"net/url"
	"slices"
	"strings"

	"piwork/app/problem"
)

// checkOrigins refuses what no browser says of the pages that have a token: each origin is one,
// as browsers write it, over https or of this computer. What pages may do never includes deciding.
func checkOrigins(r TokenRequest) error {
	for i, o := range r.Origins {
		u, err := url.Parse(o)
		if err != nil || u.Host == "" || u.Scheme+"://"+u.Host != o || strings.ToLower(o) != o || strings.ContainsAny(u.Host, "*@ ") || u.Hostname() == "" || strings.HasSuffix(u.Host, ":") {
			return problem.BadRequest("origins", "%q is no origin, such as https://app.example: small letters, no path, no *", o).By("token-origin")
		}
		ip := net.ParseIP(u.Hostname())
		here := u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
		usual := map[string]string{"https": "443", "http": "80"}[u.Scheme]
		switch {
		case usual == "" || u.Scheme == "http" && !here:
			return problem.BadRequest("origins", "%q is not reached over https", o).By("token-origin")
		case u.Port() == usual:
			return problem.BadRequest("origins", "browsers write %q without its port", o).By("token-origin")
		case slices.Contains(r.Origins[:i], o):
			return problem.BadRequest("origins", "%q is named twice", o).By("token-origin")
		}
	}
	if len(r.Origins) > 0 && (slices.Contains(r.Scopes, Decide) || slices.Contains(r.Scopes, Manage)) {
		return problem.BadRequest("origins", "pages of the web get no token with %s or %s", Decide, Manage).By("token-origin-scope")
	}
	return nil
}

// Origin reports whether pages of an origin may have some token that is valid.
func (l *TokenList) Origin(origin string) bool {
	now := l.now()
	return slices.ContainsFunc(l.file.Get().List, func(k kept) bool { return now.Before(k.Expires) && slices.Contains(k.Origins, origin) })
}

// From reports whether pages of an origin may use the token of the client; nil, the person, has
// none for pages of others.
func (c *Client) From(origin string) bool { return c != nil && slices.Contains(c.origins, origin) }
