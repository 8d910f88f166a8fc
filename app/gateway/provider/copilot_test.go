package provider

import (
	"errors"
	"net/http"
	"reflect"
	"testing"

	"piwork/app/gateway/keys"
)

// Where tokens of Copilot are sent.
func TestOf(t *testing.T) {
	login := func(token string) keys.Credential {
		return keys.Credential{Provider: "github-copilot", Kind: keys.KindOAuth, Access: keys.NewSecret(token)}
	}
	company := login("tid=1")
	company.Domain = "company.ghe.com"
	for name, tt := range map[string]struct {
		c    keys.Credential
		want string // address, or reason
		own  bool
	}{
		"individual":  {login("tid=1;proxy-ep=proxy.individual.githubcopilot.com"), copilotBase, true},
		"business":    {login("tid=1;proxy-ep=proxy.business.githubcopilot.com"), "https://api.business.githubcopilot.com", true},
		"not renewed": {login(""), copilotBase, true},
		"a company's": {company, "https://copilot-api.company.ghe.com", true},
		"foreign":     {login("tid=1;proxy-ep=proxy.evil.example"), AddressBad, false},
		"a person's":  {keys.Credential{Provider: "github-copilot", Kind: keys.KindKey, Key: keys.NewSecret("proxy-ep=proxy.evil.example"), BaseURL: "https://mine.example"}, "https://mine.example", false},
		"another's":   {keys.Credential{Provider: "openai", Kind: keys.KindKey, Key: keys.NewSecret("proxy-ep=proxy.business.githubcopilot.com")}, "https://api.openai.com/v1", true},
	} {
		p, err := Of(tt.c)
		got := p.BaseURL
		if e, ok := errors.AsType[*AddressError](err); ok {
			got = e.Reason
		}
		if got != tt.want || Own(p) != tt.own {
			t.Errorf("%s: %q (own %v), %v", name, got, Own(p), err)
		}
	}
}

// What of a guest's header reaches Copilot, and what it is told besides.
func TestCopilotHeader(t *testing.T) {
	guest := http.Header{
		"X-Initiator": {"agent"}, "Openai-Intent": {"conversation-edits"}, "Copilot-Vision-Request": {"yes"},
		"Editor-Version": {"evil"}, "Copilot-Integration-Id": {"evil"}, "User-Agent": {"pi"}, "X-Github-Token": {"evil"},
	}
	p := Provider{ID: copilotID, Protocol: OpenAI, BaseURL: copilotBase}
	h := RequestHeader(guest)
	Wishes(p, guest, h)
	Introduce(p, h, keys.Credential{})
	want := http.Header{
		"X-Initiator": {"agent"}, "Openai-Intent": {"conversation-edits"}, "User-Agent": {"GitHubCopilotChat/0.35.0"},
		"Editor-Version": {"vscode/1.107.0"}, "Editor-Plugin-Version": {"copilot-chat/0.35.0"}, "Copilot-Integration-Id": {"vscode-chat"},
	}
	if !reflect.DeepEqual(h, want) {
		t.Errorf("%v", h)
	}
	p.ID = "openai"
	h = RequestHeader(guest)
	Wishes(p, guest, h)
	Introduce(p, h, keys.Credential{})
	if !reflect.DeepEqual(h, http.Header{"User-Agent": {"pi"}}) {
		t.Errorf("another provider gets %v", h)
	}
}

func TestCopilotModels(t *testing.T) {
	const list = `{"data":[
		{"id":"picked","model_picker_enabled":true,"policy":{"state":"enabled"}},
		{"id":"no-policy","model_picker_enabled":true},
		{"id":"off","model_picker_enabled":true,"policy":{"state":"disabled"}},
		{"id":"asks","model_picker_enabled":true,"policy":{"state":"unconfigured"}},
		{"id":"hidden","policy":{"state":"unconfigured"}},
		{"id":"embedding","model_picker_enabled":true,"capabilities":{"supports":{"tool_calls":false}}},
		{"id":"../../user","model_picker_enabled":true,"policy":{"state":"unconfigured"}},
		{"id":"a/b","model_picker_enabled":true},{"id":"a?b","model_picker_enabled":true},{"id":"","model_picker_enabled":true}]}`
	const before = `{"data":[{"id":"may","policy":{"state":"enabled"}},{"id":"asks","policy":{"state":"unconfigured"}}]}`
	alone := Provider{ID: copilotID, BaseURL: copilotBase}
	team := Provider{ID: copilotID, BaseURL: "https://api.business.githubcopilot.com"}
	for _, tt := range []struct {
		p              Provider
		list           string
		offered, terms []string
		bad            bool
	}{
		{alone, list, []string{"picked", "no-policy", "asks"}, []string{"asks"}, false},
		{alone, before, []string{"may"}, []string{"asks"}, false},
		{team, before, nil, nil, false},
		{alone, `{"data":[]}`, nil, nil, false},
		{alone, `{"models":[]}`, nil, nil, true},
		{alone, `<html>`, nil, nil, true},
	} {
		offered, terms, err := CopilotModels(tt.p, []byte(tt.list))
		if !reflect.DeepEqual(offered, tt.offered) || !reflect.DeepEqual(terms, tt.terms) || (err != nil) != tt.bad {
			t.Errorf("%.40s at %s: %v, %v, %v", tt.list, tt.p.BaseURL, offered, terms, err)
		}
	}
}
