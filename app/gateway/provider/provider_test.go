package provider

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"

	"piwork/app/gateway/keys"
)

// Addresses that a key may be sent to, and those that it must not.
func TestCheck(t *testing.T) {
	tests := []struct {
		url     string
		private bool
		want    string // address, or reason
		local   bool
	}{
		{"https://Models.example/v1/", false, "https://models.example/v1", false},
		{"https://models.example:8443", false, "https://models.example:8443", false},
		{"http://127.0.0.1:11434/v1", false, "http://127.0.0.1:11434/v1", true},
		{"http://[::1]:1/v1", false, "http://[::1]:1/v1", true},
		{"http://localhost:1234/v1", false, "http://localhost:1234/v1", true},
		{"http://192.168.1.5:8080/v1", true, "http://192.168.1.5:8080/v1", true},
		{"http://192.168.1.5:8080/v1", false, AddressPlain, false},
		{"http://models.example/v1", true, AddressPlain, false},
		{"http://8.8.8.8/v1", true, AddressPlain, false},
		{"http://169.254.169.254/", true, AddressPlain, false},
		{"http://localhost.evil.example/", true, AddressPlain, false},
		{"http://127.0.0.1.evil.example/", true, AddressPlain, false},
		{"ftp://models.example", false, AddressScheme, false},
		{"file:///etc/passwd", false, AddressBad, false},
		{"https://user:pw@models.example", false, AddressBad, false},
		{"https://models.example/v1?key=1", false, AddressBad, false},
		{"https://models.example/v1?", false, AddressBad, false},
		{"https://models.example/v1#x", false, AddressBad, false},
		{"https://models.example/a/../b", false, AddressBad, false},
		{"https://models.example/%2e%2e/b", false, AddressBad, false},
		{"https://models.example//b", false, AddressBad, false},
		{"https://", false, AddressBad, false},
		{"https://:443/", false, AddressBad, false},
		{"models.example", false, AddressBad, false},
		{"https:models.example", false, AddressBad, false},
		{"", false, AddressNone, false},
		{"https://models.example/\r\nX: y", false, AddressBad, false},
	}
	for _, tt := range tests {
		p, err := Provider{ID: "mine", Protocol: OpenAI, BaseURL: tt.url, Private: tt.private}.Check()
		got := p.BaseURL
		if e, ok := errors.AsType[*AddressError](err); ok {
			got = e.Reason
		}
		if got != tt.want || p.Local != tt.local {
			t.Errorf("%q: %q (local %v), want %q (%v)", tt.url, got, p.Local, tt.want, tt.local)
		}
	}
	for _, p := range Builtin() {
		if q, err := p.Check(); err != nil || !reflect.DeepEqual(q, p) {
			t.Errorf("%s: %+v, %v", p.ID, q, err)
		}
	}
	if !slices.IsSortedFunc(Builtin(), func(a, b Provider) int { return strings.Compare(a.ID, b.ID) }) {
		t.Error("the list is not sorted")
	}
	for _, p := range []Provider{{ID: "../x", Protocol: OpenAI, BaseURL: "https://a"}, {ID: "x", Protocol: "other", BaseURL: "https://a"}} {
		if _, err := p.Check(); err == nil {
			t.Errorf("%+v is taken", p)
		}
	}
}

func TestFor(t *testing.T) {
	p, err := For(keys.Info{Provider: "openrouter"})
	if err != nil || !p.Reports || !p.Builtin {
		t.Errorf("%+v, %v", p, err)
	}
	if p, err = For(keys.Info{Provider: "openrouter", BaseURL: "https://else.example/v1"}); err != nil || p.Reports || !p.Builtin {
		t.Errorf("another service's word on its price is taken: %+v, %v", p, err)
	}
	if p, err = For(keys.Info{Provider: "mine", BaseURL: "http://localhost:1/v1", Models: []string{"m"}}); err != nil || p.Name != "mine" || p.Protocol != OpenAI || !p.Local {
		t.Errorf("%+v, %v", p, err)
	}
	if _, err = For(keys.Info{Provider: "mine"}); err == nil {
		t.Error("a custom provider without an address")
	}
	if !Supported("anthropic", keys.KindOAuth) || !Supported("openai", keys.KindOAuth) || Supported("groq", keys.KindOAuth) || Supported("github-copilot", keys.KindKey) || !Supported("groq", keys.KindKey) {
		t.Error("what is supported")
	}
}

func TestDecide(t *testing.T) {
	for _, tt := range []struct {
		p            Protocol
		method, path string
		want         string // path behind the base address, or the reason
		meters       bool
	}{
		{Anthropic, "POST", "/p/v1/messages", "/v1/messages", true},
		{Anthropic, "POST", "/p/v1/messages/count_tokens", "/v1/messages/count_tokens", false},
		{Anthropic, "GET", "/p/v1/models", "/v1/models", false},
		{Anthropic, "GET", "/p/v1/messages", "method", false},
		{Anthropic, "POST", "/p/v1/messages/batches", "path", false},
		{OpenAI, "POST", "/p/v1/chat/completions", "/chat/completions", true},
		{OpenAI, "POST", "/p/v1/responses", "/responses", true},
		{OpenAI, "GET", "/p/v1/responses", "method", false},
		{OpenAI, "POST", "/p/chat/completions", "path", false},
		{OpenAI, "POST", "/p/v1/files", "path", false},
		{Google, "POST", "/p/v1beta/models/gemini-2.5-pro:streamGenerateContent", "/models/gemini-2.5-pro:streamGenerateContent", true},
		{Google, "POST", "/p/v1beta/models/gemini-2.5-pro:countTokens", "/models/gemini-2.5-pro:countTokens", false},
		{Google, "GET", "/p/v1beta/models/gemini-2.5-pro:generateContent", "method", false},
		{Google, "POST", "/p/v1beta/models/gemini-2.5-pro:predict", "path", false},
		{Google, "POST", "/p/v1beta/models/:generateContent", "path", false},
		{Google, "POST", "/p/v1beta/models/a/b:generateContent", "path", false},
		{Google, "POST", "/p/v1beta/models/a:b:generateContent", "path", false},
	} {
		id, rest, err := Split(tt.path)
		if err != nil || id != "p" {
			t.Errorf("%s: %q, %v", tt.path, id, err)
			continue
		}
		op, err := Decide(Provider{ID: "p", Protocol: tt.p}, tt.method, rest)
		got := op.Path
		if e, ok := errors.AsType[*RefusedError](err); ok {
			got = e.Reason
		}
		if got != tt.want || op.Meters != tt.meters {
			t.Errorf("%s %s: %q (%v), want %q", tt.method, tt.path, got, op.Meters, tt.want)
		}
	}
}

// Providers of two protocols.
func TestDecideMore(t *testing.T) {
	for _, tt := range []struct {
		p      Provider
		method string
		want   string
	}{
		{Provider{ID: "openrouter", Protocol: OpenAI, Builtin: true}, "POST", "/messages"},
		{Provider{ID: "openrouter", Protocol: OpenAI, Builtin: true}, "GET", ""},
		{Provider{ID: "openai", Protocol: OpenAI, Builtin: true}, "POST", ""},
	} {
		op, err := Decide(tt.p, tt.method, "/v1/v1/messages")
		if op.Path != tt.want || (err == nil) != (tt.want != "") || err == nil && (op.Protocol != Anthropic || op.Provider != "openrouter") {
			t.Errorf("%s: %+v, %v", tt.p.ID, op, err)
		}
	}
}

// Whatever the path: what comes out is of the list, and means the same to
// everybody who reads it.
func FuzzDecide(f *testing.F) {
	for _, p := range []string{"/anthropic/v1/messages", "/a/../b/v1/messages", "/g/v1beta/models/x:generateContent", "//", "/%2e", "/a/v1/models/..:generateContent", "/x/v1beta/models/..:countTokens", "/\\"} {
		f.Add("POST", p)
		f.Add("GET", p)
	}
	f.Fuzz(func(t *testing.T, method, in string) {
		id, rest, err := Split(in)
		if err != nil {
			return
		}
		if !keys.ValidID(id) || "/"+id+rest != in || path.Clean(in) != in && path.Clean(in)+"/" != in {
			t.Errorf("%q becomes %q and %q", in, id, rest)
		}
		for _, proto := range []Protocol{Anthropic, OpenAI, Google} {
			p := Provider{ID: id, Protocol: proto, BaseURL: "https://models.example/base"}
			op, err := Decide(p, method, rest)
			if err != nil {
				continue
			}
			if op.Method != http.MethodGet && op.Method != http.MethodPost {
				t.Errorf("method %q", op.Method)
			}
			u, err := url.Parse(p.BaseURL + op.Path)
			if err != nil || u.Host != "models.example" || u.EscapedPath() != "/base"+op.Path || path.Clean(u.Path) != u.Path || u.RawQuery != "" || u.Fragment != "" {
				t.Errorf("%q goes to %v, %v", in, u, err)
			}
		}
	})
}

func TestSign(t *testing.T) {
	key := keys.Credential{Kind: keys.KindKey, Key: keys.NewSecret("sk-0123456789")}
	oauth := keys.Credential{Kind: keys.KindOAuth, Access: keys.NewSecret("sk-ant-oat-0123456789")}
	asKey := keys.Credential{Kind: keys.KindKey, Key: keys.NewSecret("sk-ant-oat-0123456789")}
	for _, tt := range []struct {
		name string
		p    Protocol
		c    keys.Credential
		beta string
		want http.Header
	}{
		{"anthropic", Anthropic, key, "", http.Header{"X-Api-Key": {"sk-0123456789"}}},
		{"anthropic login", Anthropic, oauth, "", http.Header{"Authorization": {"Bearer sk-ant-oat-0123456789"}, "Anthropic-Beta": {oauthBeta}}},
		{"anthropic login as key", Anthropic, asKey, "a,b", http.Header{"Authorization": {"Bearer sk-ant-oat-0123456789"}, "Anthropic-Beta": {"a,b," + oauthBeta}}},
		{"anthropic login, beta is there", Anthropic, oauth, "x," + oauthBeta, http.Header{"Authorization": {"Bearer sk-ant-oat-0123456789"}, "Anthropic-Beta": {"x," + oauthBeta}}},
		{"openai", OpenAI, key, "", http.Header{"Authorization": {"Bearer sk-0123456789"}}},
		{"google", Google, key, "", http.Header{"X-Goog-Api-Key": {"sk-0123456789"}}},
		{"none", OpenAI, keys.Credential{Kind: keys.KindNone}, "", http.Header{}},
	} {
		h := http.Header{}
		if tt.beta != "" {
			h.Set("Anthropic-Beta", tt.beta)
		}
		Sign(tt.p, h, tt.c)
		if !reflect.DeepEqual(h, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, h, tt.want)
		}
	}
}

func TestErrorBody(t *testing.T) {
	for p, want := range map[Protocol]string{
		Anthropic: `{"error":{"code":"budget","message":"m","type":"billing_error"},"type":"error"}`,
		OpenAI:    `{"error":{"code":"budget","message":"m","param":null,"type":"insufficient_quota"}}`,
		Google:    `{"error":{"code":402,"details":[{"reason":"budget"}],"message":"m","status":"RESOURCE_EXHAUSTED"}}`,
	} {
		if got := string(ErrorBody(p, 402, "budget", "m")); got != want {
			t.Errorf("%s: %s", p, got)
		}
	}
}

func TestPiModels(t *testing.T) {
	b := func(id string) Provider { return builtin(t, id) }
	got, err := PiModels("127.0.0.1:8377", []PiProvider{
		{Provider: b("anthropic"), Login: true}, {Provider: b("openai")}, {Provider: b("google")},
		{Provider: Provider{ID: "mine", Name: "Mine", Protocol: Anthropic, Models: []string{"m1"}}},
		{Provider: Provider{ID: "empty", Protocol: OpenAI}}, // pi would refuse the whole file
		{Provider: Provider{ID: "named", Name: "Named", Protocol: OpenAI, Models: []string{"m2"}}},
	}, Model{"named/gpt-oss:20b", Able{Images: is(false), Context: 8192}}, Model{ID: "named/m2"}, Model{"named/m5", Able{Images: is(true), Thinks: is(true), Context: 131072}},
		Model{"named/gpt-oss:x", Able{Thinks: is(false)}}, Model{"openai/m3", Able{Images: is(true)}}, Model{ID: "other/m4"})
	if err != nil {
		t.Fatal(err)
	}
	var v struct {
		Providers map[string]map[string]any `json:"providers"`
	}
	if err := json.Unmarshal(got, &v); err != nil {
		t.Fatal(err)
	}
	want := map[string]map[string]any{
		"anthropic": {"baseUrl": "http://127.0.0.1:8377/anthropic", "apiKey": dummyLogin},
		"openai":    {"baseUrl": "http://127.0.0.1:8377/openai/v1", "apiKey": dummyKey},
		"google":    {"baseUrl": "http://127.0.0.1:8377/google/v1beta", "apiKey": dummyKey},
		"mine":      {"baseUrl": "http://127.0.0.1:8377/mine", "apiKey": dummyKey, "name": "Mine", "api": "anthropic-messages", "models": []any{map[string]any{"id": "m1"}}},
		"named": {"baseUrl": "http://127.0.0.1:8377/named/v1", "apiKey": dummyKey, "name": "Named", "api": "openai-completions",
			"compat": map[string]any{"supportsStore": false, "supportsDeveloperRole": false, "supportsReasoningEffort": false, "maxTokensField": "max_tokens"},
			"models": []any{map[string]any{"id": "m2"}, map[string]any{
				"id": "gpt-oss:20b", "reasoning": true, "compat": map[string]any{"supportsReasoningEffort": true},
				"thinkingLevelMap": map[string]any{"off": nil, "minimal": nil, "low": "low", "medium": "medium", "high": "high"},
			}, map[string]any{
				"id": "m5", "input": []any{"text", "image"}, "contextWindow": 131072.0, "reasoning": true, "compat": map[string]any{"supportsReasoningEffort": true},
				"thinkingLevelMap": map[string]any{"off": nil, "minimal": nil, "low": "low", "medium": "medium", "high": "high"},
			}, map[string]any{"id": "gpt-oss:x"}}},
	}
	if !reflect.DeepEqual(v.Providers, want) {
		t.Errorf("got %s", got)
	}
	if _, err := PiModels("x", []PiProvider{{Provider: b("openai")}, {Provider: b("openai")}}); err == nil {
		t.Error("a provider twice")
	}
}
