package provider

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"piwork/app/gateway/keys"
)

// What may be asked of Radius: questions, and nothing of what else a token of it is
// good for.
func TestDecideRadius(t *testing.T) {
	for _, tt := range []struct{ id, method, path, want string }{
		{"radius", "POST", "/v1/messages", "/messages"},
		{"radius", "GET", "/v1/messages", ""},
		{"radius", "GET", "/v1/config", ""},
		{"radius", "GET", "/v1/oauth", ""},
		{"radius", "POST", "/v1/oauth/token", ""},
		{"radius", "POST", "/v1/artifacts", ""},
		{"radius", "POST", "/v1/bug-reports", ""},
		{"radius", "POST", "/mcp", ""},
		{"radius", "POST", "/messages", ""},
		{"radius", "POST", "/v1/messages/count_tokens", ""},
		{"radius", "POST", "/v1/chat/completions", ""},
	} {
		op, err := Decide(builtin(t, tt.id), tt.method, tt.path)
		if op.Path != tt.want || (err == nil) != (tt.want != "") || err == nil && (op.Protocol != Pi || !op.Meters || op.Query != nil) {
			t.Errorf("%s %s %s: %+v, %v", tt.id, tt.method, tt.path, op, err)
		}
	}
	p := builtin(t, "radius")
	if !Supported("radius", keys.KindOAuth) || !Supported("radius", keys.KindKey) || !p.Reports || p.BaseURL != "https://radius.pi.dev/v1" {
		t.Errorf("%+v", p)
	}
	h := http.Header{}
	Sign(p.Protocol, h, keys.Credential{Kind: keys.KindOAuth, Access: keys.NewSecret("access-canary")})
	if h.Get("Authorization") != "Bearer access-canary" || len(h) != 1 {
		t.Errorf("signed as %v", h)
	}
	// Another service's word for what it costs is not taken.
	if other, err := For(keys.Info{Provider: "radius", BaseURL: "https://radius.company.example/v1"}); err != nil || other.Protocol != Pi || other.Reports {
		t.Errorf("%+v, %v", other, err)
	}
}

func TestParseConfig(t *testing.T) {
	const good = `{"id":"a","name":"A","reasoning":true,"input":["text","image"],"cost":{"input":1},"contextWindow":1000,"maxTokens":10}`
	with := func(old, text string) string { return strings.Replace(good, old, text, 1) }
	config := func(models ...string) string {
		return `{"baseUrl":"https://elsewhere.example/v1","models":[` + strings.Join(models, ",") + `]}`
	}
	got, err := ParseConfig([]byte(config(with(`"a"`, `"z"`), good)))
	if err != nil || len(got) != 2 || got[0].ID != "a" || got[1].ID != "z" || !*got[0].Images || !*got[0].Thinks || got[0].Context != 1000 {
		t.Errorf("%+v, %v", got, err)
	}
	got, err = ParseConfig([]byte(config(with(`["text","image"]`, `["text",7]`), with(`"a"`, `"b"`))))
	if err != nil || len(got) != 2 || *got[0].Images || !*got[1].Images {
		t.Errorf("%+v, %v", got, err)
	}
	for name, one := range map[string]string{
		"no id": with(`"id":"a",`, ""), "no name": with(`"name":"A",`, ""), "an id of 1": with(`"id":"a"`, `"id":1`), "nothing": with(`"id":"a"`, `"id":""`),
		"two words": with(`"id":"a"`, `"id":"a b"`), "long": with(`"id":"a"`, `"id":"`+strings.Repeat("a", maxModelID+1)+`"`),
		"no cost": with(`"cost":{"input":1},`, ""), "a cost of 1": with(`{"input":1}`, "1"), "null": "null", "a list": "[]",
		"it may think": with("true", `"yes"`), "no context": with(`"contextWindow":1000,`, ""), "a context in words": with("1000", `"long"`), "no answer": with(`,"maxTokens":10`, ""),
	} {
		if got, err := ParseConfig([]byte(config(one))); err != nil || len(got) != 0 {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	for _, context := range []string{"-1", "1e300", "0"} {
		if got, err := ParseConfig([]byte(config(with("1000", context)))); err != nil || len(got) != 1 || got[0].Context != 0 {
			t.Errorf("a context of %s: %+v, %v", context, got, err)
		}
	}
	many := make([]string, maxListed+10)
	for i := range many {
		many[i] = with(`"a"`, `"a`+strings.Repeat("b", i%150)+strings.Repeat("c", i/150)+`"`)
	}
	if got, err := ParseConfig([]byte(config(many...))); err != nil || len(got) != maxListed {
		t.Errorf("%d models, %v", len(got), err)
	}
	for _, bad := range []string{"", "<html>", "[]", "{}", `{"models":[]}`, `{"baseUrl":null,"models":[]}`, `{"baseUrl":"x","models":null}`, `{"data":[]}`} {
		if got, err := ParseConfig([]byte(bad)); err == nil {
			t.Errorf("%s: %+v", bad, got)
		}
	}
}

// pi is told of the models that it does not know, and believes its own list of the
// others.
func TestRadiusModels(t *testing.T) {
	yes := true
	p := builtin(t, "radius")
	data, err := PiModels("127.0.0.1:8377", []PiProvider{{Provider: p}, {Provider: builtin(t, "openrouter")}},
		Model{ID: "radius/balanced", Able: Able{Images: &yes}}, Model{ID: "radius/brand-new", Able: Able{Images: &yes, Thinks: &yes, Context: 100_000}}, Model{ID: "openrouter/brand-new"})
	if err != nil {
		t.Fatal(err)
	}
	type model struct {
		ID        string
		Input     []string
		Reasoning bool
		Context   int64 `json:"contextWindow"`
	}
	var v struct {
		Providers map[string]struct {
			BaseURL, APIKey, API string
			Models               []model
		}
	}
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	r := v.Providers["radius"]
	if r.BaseURL != "http://127.0.0.1:8377/radius/v1" || r.APIKey != dummyKey || r.API != "pi-messages" || len(r.Models) != 1 {
		t.Fatalf("%s", data)
	}
	if m := r.Models[0]; m.ID != "brand-new" || !m.Reasoning || !slices.Equal(m.Input, []string{"text", "image"}) || m.Context != 100_000 {
		t.Errorf("%+v", m)
	}
	if o := v.Providers["openrouter"]; o.Models != nil || o.API != "" {
		t.Errorf("%+v", o)
	}
}
