package app

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"piwork/app/consent"
	"piwork/app/gateway/gatewaytest"
	"piwork/app/models"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/vmhost"
)

// testKey is a key as services give them.
const testKey = "sk-test-0123456789abcdefghij"

// wants reports that err is the problem of a code and a cause.
func wants(t *testing.T, what string, err error, code, cause string) {
	t.Helper()
	var p *problem.Problem
	if !errors.As(err, &p) || p.Code != code || cause != "" && p.Cause != cause {
		t.Errorf("%s: %v, want %s %s", what, err, code, cause)
		return
	}
	if strings.Contains(fmt.Sprintf("%+v", p), testKey) {
		t.Errorf("%s: the key is in %+v", what, p)
	}
}

// provided gives the world a service with two models.
func provided(t *testing.T, c *Controller, w *world) *gatewaytest.Server {
	t.Helper()
	s := gatewaytest.New(testKey)
	t.Cleanup(s.Close)
	k, err := c.SetKey(t.Context(), "scripted", models.KeyRequest{Key: " " + testKey + "\n", BaseURL: s.URL + "/v1", Protocol: "openai"})
	if err != nil {
		t.Fatal(err)
	}
	if !k.Has || k.Kind != "key" || k.Ending != "ghij" || !strings.HasPrefix(k.BaseURL, s.URL) || k.Protocol != "openai" {
		t.Errorf("%+v", k)
	}
	return s
}

func TestAIRequests(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	provided(t, c, w)
	png := []byte("\x89PNG\r\n\x1a\n and so on")
	good := tasks.StartRequest{Kind: task.KindAI, AIRequest: tasks.AIRequest{Prompt: " Do this\nand that ", Model: "scripted/m", Thinking: "low", Budget: 5, Images: []tasks.ImageRequest{{Name: "../a b.png", Data: png}}}}
	made, err := c.NewTask(good)
	if err != nil {
		t.Fatal(err)
	}
	if made.Network != task.NetworkRestricted || made.Title != "Do this" || made.AI.Model != "scripted/m" || made.AI.Thinking != "low" || made.AI.Budget != 5 ||
		len(made.AI.Pending) != 1 || made.AI.Pending[0].Text != good.Prompt || len(made.AI.Pending[0].Images) != 1 || !filepath.IsLocal(made.AI.Pending[0].Images[0]) {
		t.Errorf("%+v %+v", made, made.AI)
	}
	with := func(change func(*tasks.StartRequest)) tasks.StartRequest { r := good; change(&r); return r }
	for name, r := range map[string]tasks.StartRequest{
		"nothing":           with(func(r *tasks.StartRequest) { r.Prompt = " \n" }),
		"no text":           with(func(r *tasks.StartRequest) { r.Prompt = "a\xff" }),
		"a NUL":             with(func(r *tasks.StartRequest) { r.Prompt = "a\x00b" }),
		"too long":          with(func(r *tasks.StartRequest) { r.Prompt = strings.Repeat("a", tasks.MaxPrompt+1) }),
		"a level":           with(func(r *tasks.StartRequest) { r.Thinking = "very" }),
		"a debt":            with(func(r *tasks.StartRequest) { r.Budget = -1 }),
		"no picture":        with(func(r *tasks.StartRequest) { r.Images = []tasks.ImageRequest{{Name: "a.png", Data: []byte("text")}} }),
		"too many pictures": with(func(r *tasks.StartRequest) { r.Images = slices.Repeat(r.Images, tasks.MaxPictures+1) }),
		"large pictures":    with(func(r *tasks.StartRequest) { r.Images[0].Data = append(png, make([]byte, 21<<20)...) }),
		"a network":         with(func(r *tasks.StartRequest) { r.Network = "some" }),
	} {
		_, err := c.NewTask(r)
		wants(t, name, err, problem.CodeBadRequest, "")
		good.Images = []tasks.ImageRequest{{Name: "a.png", Data: png}}
	}
}

// Tasks of other kinds, and such that there are not, take no messages.
func TestTellNobody(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	exec, err := c.StartTask(t.Context(), tasks.StartRequest{Kind: task.KindExec, Argv: []string{"true"}})
	if err != nil {
		t.Fatal(err)
	}
	w.until("it is over", func() bool { return c.Live(exec.ID) == nil })
	nobody := "01945e2c-9a80-7b3c-8d1e-2f4a6b8c0d1e"
	say := func(id string, r tasks.SayRequest) error { _, err := c.Say(t.Context(), id, r); return err }
	wants(t, "a program", say(exec.ID, tasks.SayRequest{Text: "hello"}), problem.CodeNotResumable, "")
	wants(t, "nobody", say(nobody, tasks.SayRequest{Text: "hello"}), problem.CodeNotFound, "")
	wants(t, "nothing", say(exec.ID, tasks.SayRequest{}), problem.CodeBadRequest, "")
	wants(t, "in another way", say(exec.ID, tasks.SayRequest{Text: "x", How: "loudly"}), problem.CodeBadRequest, "")
	for name, f := range map[string]func(string) error{
		"resume": func(id string) error { _, err := c.ResumeTask(t.Context(), id); return err },
		"line":   func(id string) error { _, err := c.AgentLine(t.Context(), id, 1); return err },
	} {
		wants(t, name+" nobody", f(nobody), problem.CodeNotFound, "")
	}
	_, err = c.AgentLine(t.Context(), exec.ID, 1)
	wants(t, "no line", err, problem.CodeNotFound, "")
	if got, err := c.Interrupt(t.Context(), exec.ID); err != nil || got.State != task.StateDone {
		t.Errorf("%+v %v", got, err)
	}
}

func TestNetworkRules(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	add := func(r consent.NetworkRuleRequest) error { _, err := c.AddNetworkRule(t.Context(), r); return err }
	for name, r := range map[string]consent.NetworkRuleRequest{
		"nothing":          {Answer: "allow"},
		"both":             {Answer: "allow", Host: "example.org", Preset: "npm"},
		"no answer":        {Host: "example.org"},
		"not a name":       {Answer: "allow", Host: "exa mple"},
		"everything":       {Answer: "allow", Host: "*"},
		"an unknown group": {Answer: "allow", Preset: "everything"},
	} {
		wants(t, name, add(r), problem.CodeBadRequest, "")
	}
	wants(t, "a task that is not there", add(consent.NetworkRuleRequest{Answer: "allow", Host: "example.org", Task: "01945e2c-9a80-7b3c-8d1e-2f4a6b8c0d1e"}), problem.CodeNotFound, "")
	for _, r := range []consent.NetworkRuleRequest{
		{Answer: vmhost.AnswerAllow, Host: "Example.ORG"}, {Answer: vmhost.AnswerDeny, Host: "*.bad.example"}, {Answer: vmhost.AnswerAllow, Preset: "wikipedia"},
	} {
		if err := add(r); err != nil {
			t.Error(err)
		}
	}
	got, err := c.NetworkRules(t.Context())
	if err != nil || len(got.Rules) != 3 || got.Rules[0].Topic != "network/example.org" || len(got.Presets) < 3 {
		t.Fatalf("%+v %v", got, err)
	}
	l := tasks.NewLive(c.Runner, task.Task{ID: "t"}, tasks.StartRequest{})
	var said []string
	for _, r := range l.Gate().NetworkRules() {
		said = append(said, fmt.Sprint(r.Allow, " ", r.Pattern))
	}
	if !slices.Contains(said, "true example.org") || !slices.Contains(said, "false *.bad.example") || !slices.Contains(said, "true *.wikipedia.org") {
		t.Errorf("%q", said)
	}
	if err := c.RemoveRule(t.Context(), got.Rules[0].ID); err != nil {
		t.Error(err)
	}
	if got, err := c.NetworkRules(t.Context()); err != nil || len(got.Rules) != 2 {
		t.Errorf("%+v %v", got, err)
	}
}
