package api_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"piwork/app/actions"
	"piwork/app/api"
	"piwork/app/api/apitest"
	"piwork/app/problem"
	"piwork/vmhost/wire"
)

// The reference shows every operation, schema and problem, each link in it leads somewhere, and
// nothing is loaded from elsewhere.
func TestReference(t *testing.T) {
	a := newAPI(t, apitest.New(apitest.Script{}), api.Options{Pages: pages})
	res := ask(t, a.Handler(), "GET", "/docs", "")
	if policy := res.Header.Get("Content-Security-Policy"); res.StatusCode != http.StatusOK || !strings.Contains(policy, "default-src 'none'; style-src 'sha256-") {
		t.Fatalf("%d %q %.200s", res.StatusCode, policy, res.raw)
	}
	page, err := html.Parse(strings.NewReader(string(res.raw)))
	if err != nil {
		t.Fatal(err)
	}
	ids, links := map[string]bool{}, map[string]bool{}
	for n := range page.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if n.Data == "script" || n.Data == "img" || n.Data == "link" {
			t.Errorf("a %s", n.Data)
		}
		for _, at := range n.Attr {
			switch at.Key {
			case "id":
				if ids[at.Val] {
					t.Errorf("two are called %s", at.Val)
				}
				ids[at.Val] = true
			case "href":
				links[at.Val] = true
			}
		}
	}
	for link := range links {
		if name, here := strings.CutPrefix(link, "#"); here && !ids[name] || !here && link != "/openapi.yaml" {
			t.Errorf("%s leads nowhere", link)
		}
	}
	for _, o := range api.Operations() {
		if !ids[o.ID] {
			t.Errorf("%s is not there", o.ID)
		}
	}
	for name := range a.OpenAPI().Components.Schemas.Map() {
		if !ids["schema-"+name] {
			t.Errorf("the schema %s is not there", name)
		}
	}
	for _, code := range []string{"not-found", "token-scope", "idempotency", "too-many-streams"} {
		if !ids["problem-"+code] {
			t.Errorf("the problem %s is not there", code)
		}
	}
	if !strings.Contains(string(res.raw), "<code>bad-request</code></td><td>400, 408, 415, 416, 422</td>") {
		t.Error("the statuses of a problem are not all there")
	}
	german := ask(t, a.Handler(), "GET", "/docs", "", "Accept-Language", "de")
	if !strings.Contains(string(german.raw), "Das Token fehlt, ist falsch, abgelaufen oder widerrufen") {
		t.Error("problems are not in German")
	}
}

// A request that comes twice with a key starts one task.
func TestIdempotencyKey(t *testing.T) {
	f := apitest.New(apitest.Script{Endless: true})
	a := newAPI(t, f, api.Options{})
	start := func(body string) reply {
		return ask(t, a.Handler(), "POST", "/v1/tasks", body, "Content-Type", "application/json", "Idempotency-Key", "k")
	}
	const body = `{"kind":"exec","argv":["true"],"folders":[],"detached":true}`
	one, two := start(body), start(body)
	if one.StatusCode != http.StatusCreated || one.body["id"] != two.body["id"] || two.Header.Get("Idempotency-Replayed") != "true" || len(f.Started()) != 1 {
		t.Errorf("%d %s %s", len(f.Started()), one.raw, two.raw)
	}
	if one.Header.Get("X-Request-Id") == two.Header.Get("X-Request-Id") {
		t.Error("two requests have one id")
	}
	if other := start(strings.Replace(body, "true", "false", 1)); other.StatusCode != http.StatusUnprocessableEntity || other.body["code"] != "idempotency" {
		t.Errorf("%d %s", other.StatusCode, other.raw)
	}
}

// brokenVisits fail when their clicks were done.
type brokenVisits struct {
	api.Service
	done int
}

func (b *brokenVisits) Visit(context.Context, string, actions.VisitRequest) (wire.PageResult, error) {
	b.done++
	return wire.PageResult{}, problem.New(problem.CodeFileChanged)
}

// A visit that is refused halfway is not done again when it comes twice with a key.
func TestIdempotencyKeyOfVisit(t *testing.T) {
	b := &brokenVisits{Service: apitest.New(apitest.Script{})}
	a := newAPI(t, b, api.Options{})
	for range 2 {
		got := ask(t, a.Handler(), "POST", "/v1/tasks/x/visit", `{"steps":[{"do":"open","url":"https://example.org"}]}`, "Content-Type", "application/json", "Idempotency-Key", "k")
		if got.StatusCode != http.StatusPreconditionFailed || b.done != 1 {
			t.Errorf("done %d times: %d %s", b.done, got.StatusCode, got.raw)
		}
	}
}
