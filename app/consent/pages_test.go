package consent

import (
	"net/url"
	"path/filepath"
	"testing"
	"time"

	"piwork/app/approval"
	"piwork/app/policy"
	"piwork/app/task"
	"piwork/vmhost"
)

// A page that is spelled in another way than a person decided about is asked about, and one of
// those that they refused is refused.
func TestPagesInAnotherSpelling(t *testing.T) {
	dir := t.TempDir()
	rules, err := approval.OpenRules(filepath.Join(dir, RulesName), time.Now, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := New(Options{Rules: rules, Written: policy.Open(policy.Options{Dir: dir, Managed: filepath.Join(dir, "none")})})
	for below, answer := range map[string]string{"https://h.example/": vmhost.AnswerAllow, "https://h.example/private/": vmhost.AnswerDeny, "https://h.example/%73ecret/": vmhost.AnswerDeny} {
		if _, err := rules.Add(approval.Rule{Topic: topicPages + below, Answer: answer}); err != nil {
			t.Fatal(err)
		}
	}
	g := c.Gate(plainTask{ctx: t.Context()}, task.KindAI, false, approval.Who{})
	for address, want := range map[string]string{
		"": vmhost.AnswerAllow, "/": vmhost.AnswerAllow, "/a/b%20c": vmhost.AnswerAllow,
		"/%61/b": "", "/a//b": "", "//a": "", "/a/./b": "", "/a/../b": "", "/a/..": "", "/a%2Fb": "", "/a?b": "",
		"/private/x": vmhost.AnswerDeny, "/%70rivate/x": vmhost.AnswerDeny, "//private/x": vmhost.AnswerDeny, "/a/../private/x": vmhost.AnswerDeny,
		"/./private/x": vmhost.AnswerDeny, "/private%2Fx": vmhost.AnswerDeny, "/a/%2e%2e/private/x": vmhost.AnswerDeny,
		"/secret/x": vmhost.AnswerDeny, "/%73ecret/x": vmhost.AnswerDeny, "/privately/x": vmhost.AnswerAllow,
		"/a_(b)": vmhost.AnswerAllow, "/it's": vmhost.AnswerAllow, "/Zürich": vmhost.AnswerAllow, "/Z%c3%bcrich": vmhost.AnswerAllow, "/a[1]!*": vmhost.AnswerAllow,
		":443/private/x": vmhost.AnswerDeny, ":0443/private/x": vmhost.AnswerDeny, ":443/a": vmhost.AnswerAllow, ":444/a": "",
	} {
		u, err := url.Parse("https://h.example" + address)
		if err != nil {
			t.Fatal(err)
		}
		to, err := targetOf(u)
		if err != nil {
			t.Fatal(err)
		}
		if got := g.pageRule(u, to); got != want {
			t.Errorf("%q: %q, want %q", address, got, want)
		}
	}
}
