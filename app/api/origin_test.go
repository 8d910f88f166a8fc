package api_test

import (
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"piwork/app/access"
	"piwork/app/api"
	"piwork/app/api/apitest"
	"piwork/app/audit/audittest"
)

// Pages of an origin use the API with a token that names it, and nobody else gains anything by it:
// no other origin, none without that token, none with the token of the person, no pages.
func TestOrigins(t *testing.T) {
	now := time.Now()
	list, err := access.OpenTokens(t.TempDir(), audittest.Open(t), nil, func() time.Time { return now }, nil)
	if err != nil {
		t.Fatal(err)
	}
	secrets := map[string]string{"person": "person", "": ""}
	for _, r := range []access.TokenRequest{
		{Name: "app", Scopes: []access.Scope{access.Read}, Origins: []string{"https://app.example", "http://localhost:5173"}},
		{Name: "other", Scopes: []access.Scope{access.Read}, Origins: []string{"https://other.example"}},
		{Name: "plain", Scopes: []access.Scope{access.Read}},
		{Name: "short", Scopes: []access.Scope{access.Read}, Origins: []string{"https://short.example"}, Days: 1},
	} {
		made, err := list.CreateToken(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		secrets[r.Name] = made.Secret
	}
	now = now.AddDate(0, 0, 2)
	h, err := newAPI(t, apitest.New(apitest.Script{}), api.Options{}).Guarded(api.Guard{Token: "person", Clients: list, Addr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 4711}})
	if err != nil {
		t.Fatal(err)
	}
	const app, tasks, shares = "https://app.example", "/v1/tasks", "Access-Control-Allow-Origin"
	asked := func(method, path, origin string, more ...string) reply {
		header := []string{"Host", "127.0.0.1:4711"}
		if origin != "" {
			header = append(header, "Origin", origin)
		}
		return ask(t, h, method, path, "", append(header, more...)...)
	}
	for name, tt := range map[string]struct {
		origin, token, path string
		want                int
		more                []string
	}{
		"its page":                       {app, "app", tasks, 200, []string{"Sec-Fetch-Site", "cross-site"}},
		"its page here":                  {"http://localhost:5173", "app", tasks, 200, []string{"Sec-Fetch-Site", "same-site"}},
		"no page":                        {"", "app", tasks, 200, nil},
		"a foreign page with it":         {"https://evil.example", "app", tasks, 403, nil},
		"the origin of another token":    {"https://other.example", "app", tasks, 403, nil},
		"a token without pages":          {app, "plain", tasks, 403, nil},
		"the token of the person":        {app, "person", tasks, 403, nil},
		"no token":                       {app, "", tasks, 403, nil},
		"null":                           {"null", "app", tasks, 403, nil},
		"a subdomain":                    {"https://x.app.example", "app", tasks, 403, nil},
		"a domain above":                 {"https://example", "app", tasks, 403, nil},
		"one that begins like it":        {"https://app.example.evil.example", "app", tasks, 403, nil},
		"another port":                   {"https://app.example:444", "app", tasks, 403, nil},
		"without TLS":                    {"http://app.example", "app", tasks, 403, nil},
		"in capitals":                    {"https://APP.example", "app", tasks, 403, nil},
		"with a path":                    {app + "/", "app", tasks, 403, nil},
		"twice":                          {app, "app", tasks, 403, []string{"Origin", app}},
		"another Host":                   {app, "app", tasks, 403, []string{"Host", "evil.example"}},
		"the pages of piwork":            {app, "app", "/index.html", 403, nil},
		"what everybody may ask":         {app, "", "/_health", 403, nil},
		"a token whose time is over":     {"https://short.example", "short", tasks, 403, nil},
		"what the token is not for":      {app, "app", "/v1/tokens", 403, nil},
		"another site without an origin": {"", "app", tasks, 403, []string{"Sec-Fetch-Site", "cross-site"}},
	} {
		w := asked(http.MethodGet, tt.path, tt.origin, append([]string{"Authorization", "Bearer " + secrets[tt.token]}, tt.more...)...)
		shared := w.Header.Get(shares)
		switch {
		case w.StatusCode != tt.want:
			t.Errorf("%s: %d, not %d", name, w.StatusCode, tt.want)
		case tt.want == 200 && shared != tt.origin, tt.want != 200 && shared != "" && name != "what the token is not for", shared == "*", w.Header.Get("Access-Control-Allow-Credentials") != "":
			t.Errorf("%s: shared with %q", name, shared)
		case tt.want == 200 && tt.origin != "" && w.Header.Get("Access-Control-Expose-Headers") != "Content-Disposition, ETag, Idempotency-Replayed, Link, Location, Preference-Applied, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id":
			t.Errorf("%s: it may read %q", name, w.Header.Get("Access-Control-Expose-Headers"))
		}
	}
	for name, tt := range map[string]struct {
		origin, path string
		want         int
		more         []string
	}{
		"its page":          {app, tasks, 204, nil},
		"a private network": {app, tasks, 204, []string{"Access-Control-Request-Private-Network", "true"}},
		"a foreign page":    {"https://evil.example", tasks, 403, nil},
		"null":              {"null", tasks, 403, nil},
		"a subdomain":       {"https://x.app.example", tasks, 403, nil},
		"its time is over":  {"https://short.example", tasks, 403, nil},
		"another Host":      {app, tasks, 403, []string{"Host", "evil.example"}},
		"pages":             {app, "/index.html", 403, nil},
		"no such operation": {app, "/v1/nothing", 204, nil}, // it tells nothing of what there is
	} {
		w := asked(http.MethodOptions, tt.path, tt.origin, append([]string{"Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "authorization"}, tt.more...)...)
		if w.StatusCode != tt.want || (w.Header.Get(shares) == tt.origin) != (tt.want == 204) || len(w.raw) > 0 && tt.want == 204 {
			t.Errorf("before the request of %s: %d, shared with %q", name, w.StatusCode, w.Header.Get(shares))
		}
		if tt.want == 204 && (!strings.Contains(w.Header.Get("Access-Control-Allow-Headers"), "Authorization") || w.Header.Get("Vary") == "") {
			t.Errorf("before the request of %s: %v", name, w.Header)
		}
	}
	if err := list.RevokeToken(t.Context(), "app"); err != nil {
		t.Fatal(err)
	}
	if w := asked(http.MethodOptions, tasks, app, "Access-Control-Request-Method", "GET"); w.StatusCode != 403 || w.Header.Get(shares) != "" {
		t.Errorf("a revoked token lets pages ask: %d", w.StatusCode)
	}
}
