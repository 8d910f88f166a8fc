package agent_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"testing"

	"piwork/app/agent"
	"piwork/app/gateway/gatewaytest"
	"piwork/app/gateway/provider"
)

// gatewayFor stands where the gateway is for pi: what is asked below "/<provider>"
// reaches a model that takes any key, and pi is told of providers as the gateway
// tells it.
func (b *bench) gatewayFor(turn gatewaytest.Turn, all ...provider.Provider) {
	b.t.Helper()
	b.model = gatewaytest.New("", turn)
	b.t.Cleanup(b.model.Close)
	to, err := url.Parse(b.model.URL)
	if err != nil {
		b.t.Fatal(err)
	}
	way := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		_, rest, _ := strings.Cut(strings.TrimPrefix(r.In.URL.Path, "/"), "/")
		r.Out.URL.Path = "/" + rest
	}})
	b.t.Cleanup(way.Close)
	var told []provider.PiProvider
	for _, p := range all {
		told = append(told, provider.PiProvider{Provider: p})
	}
	models, err := provider.PiModels(strings.TrimPrefix(way.URL, "http://"), told)
	if err != nil {
		b.t.Fatal(err)
	}
	i := slices.IndexFunc(b.launch.Files, func(f agent.File) bool { return f.Path == "pi/models.json" })
	b.launch.Files[i].Data = models
}

// thinkingOf is what a request says about how long the model is to think.
func thinkingOf(t *testing.T, q gatewaytest.Question) string {
	t.Helper()
	var body map[string]any
	if err := json.Unmarshal(q.Body, &body); err != nil {
		t.Fatalf("%s: %v", q.Path, err)
	}
	out := []string{}
	if config, ok := body["generationConfig"].(map[string]any); ok { // Google's
		body = config
	}
	for _, name := range []string{"thinking", "output_config", "reasoning_effort", "reasoning", "enable_thinking", "chat_template_kwargs", "thinkingConfig"} {
		if v, ok := body[name]; ok {
			if m, ok := v.(map[string]any); ok {
				delete(m, "display")
				delete(m, "summary")
			}
			s, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, name+" "+string(s))
		}
	}
	return strings.Join(out, ", ")
}

// How long a person wants models to think reaches the provider: at the start, when
// it is changed, after a summary and with another model. Of one that is not known to
// think nothing is asked, and pi says so.
func TestRealThinking(t *testing.T) {
	own := func(p provider.Protocol, models ...string) provider.Provider {
		return provider.Provider{ID: "own", Name: "Own", Protocol: p, Models: models}
	}
	type step struct{ model, level, has, asked string }
	for _, tt := range []struct {
		name  string
		p     provider.Provider
		model string
		level string // it starts with
		steps []step // what is set then
	}{
		{"anthropic", own(provider.Anthropic, "claude-sonnet-4-5", "claude-sonnet-5", "scripted"), "claude-sonnet-4-5", "low", []step{
			{"", "", "low", `thinking {"budget_tokens":2048,"type":"enabled"}`},
			{"", "off", "off", `thinking {"type":"disabled"}`},
			{"claude-sonnet-5", "high", "high", `thinking {"type":"adaptive"}, output_config {"effort":"high"}`},
			{"scripted", "high", "off", ""},
			{"claude-sonnet-5", "minimal", "minimal", `thinking {"type":"adaptive"}, output_config {"effort":"low"}`},
		}},
		{"openai", own(provider.OpenAI, "gpt-oss:20b", "qwen3:8b", "llama3.2"), "gpt-oss:20b", "high", []step{
			{"", "", "high", `reasoning_effort "high"`},
			{"", "minimal", "low", `reasoning_effort "low"`},
			{"qwen3:8b", "medium", "medium", `reasoning_effort "medium"`},
			{"", "off", "off", `reasoning_effort "none"`},
			{"llama3.2", "high", "off", ""},
		}},
		{"nothing-chosen", own(provider.OpenAI, "gpt-oss:20b"), "gpt-oss:20b", "", []step{
			{"", "", "medium", `reasoning_effort "medium"`},
			{"", "low", "low", `reasoning_effort "low"`},
		}},
		{"start-without", own(provider.OpenAI, "llama3.2", "gpt-oss:20b"), "llama3.2", "high", []step{
			{"", "", "off", ""},
			{"gpt-oss:20b", "high", "high", `reasoning_effort "high"`},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t)
			b.gatewayFor(says("Well."), tt.p)
			b.launch.Argv = replaceAfter(replaceAfter(b.launch.Argv, "--provider", tt.p.ID), "--model", tt.model)
			argv := b.launch.Argv
			if tt.level == "" {
				b.launch.Argv = slices.DeleteFunc(slices.Clone(argv), func(a string) bool { return a == "--thinking" || a == "low" })
			} else {
				b.launch.Argv = replaceAfter(argv, "--thinking", tt.level)
			}
			b.start()
			for i, s := range tt.steps {
				if s.model != "" {
					b.do(b.s.SetModel(b.ctx, tt.p.ID+"/"+s.model))
				}
				if s.level != "" {
					b.do(b.s.SetThinking(b.ctx, s.level))
				}
				before := len(b.model.Questions())
				b.do(b.s.Prompt(b.ctx, fmt.Sprintf("Question %d. %s", i, strings.Repeat("A long story. ", 200))))
				if o := b.settled(); o.Failure != "" {
					t.Fatalf("%d: ended as %+v", i, o)
				}
				st, err := b.s.State(b.ctx)
				b.do(err)
				asked := b.model.Questions()[before:]
				if len(asked) != 1 || thinkingOf(t, asked[0]) != s.asked || st.Thinking != s.has || s.model != "" && asked[0].Model != s.model {
					t.Fatalf("%d: %+v and it has %q; %d questions, the last of %s with %s", i, s, st.Thinking, len(asked), asked[len(asked)-1].Model, thinkingOf(t, asked[len(asked)-1]))
				}
			}
			last := tt.steps[len(tt.steps)-1]
			b.stop()

			// Started again with what was chosen last, it is as it was.
			model := last.model
			model = cmp.Or(model, tt.model)
			b.launch.Argv = replaceAfter(replaceAfter(argv, "--model", model), "--thinking", last.level)
			b.settings(`"compaction":{"keepRecentTokens":10}`)
			if r := b.start(); r.Thinking != last.has {
				t.Errorf("started again it thinks %q", r.Thinking)
			}
			before := len(b.model.Questions())
			b.do(b.s.Compact(b.ctx))
			summarised := len(b.model.Questions())
			if summarised == before {
				t.Error("no summary was asked for")
			}
			b.do(b.s.Prompt(b.ctx, "And now?"))
			if o := b.settled(); o.Failure != "" {
				t.Fatalf("ended as %+v", o)
			}
			asked := b.model.Questions()[summarised:]
			if len(asked) != 1 || thinkingOf(t, asked[0]) != last.asked || bytes.Contains(asked[0].Body, []byte("Question 0.")) {
				t.Errorf("after a summary it asked %d times, %s: %s", len(asked), thinkingOf(t, asked[0]), asked[0].Body)
			}
			b.stop()
		})
	}
}

// Of the providers that pi knows it knows the models, too: how long one is to think
// reaches each of them, though their address is the gateway's.
func TestRealThinkingBuiltin(t *testing.T) {
	for model, want := range map[string]string{
		"anthropic/claude-sonnet-5":         `thinking {"type":"adaptive"}, output_config {"effort":"high"}`,
		"cerebras/gpt-oss-120b":             `reasoning_effort "high"`,
		"deepseek/deepseek-v4-pro":          `thinking {"type":"enabled"}, reasoning_effort "high"`,
		"google/gemini-2.5-pro":             `thinkingConfig {"includeThoughts":true,"thinkingBudget":32768}`,
		"groq/openai/gpt-oss-120b":          `reasoning_effort "high"`,
		"huggingface/zai-org/GLM-5.3-Flash": `reasoning_effort "high"`,
		"kimi-coding/k3":                    `reasoning_effort "high"`,
		"moonshotai/kimi-k3":                `reasoning_effort "high"`,
		"openai/gpt-5.4":                    `reasoning {"effort":"high"}`,
		"openrouter/openai/gpt-oss-120b":    `reasoning {"effort":"high"}`,
		"together/openai/gpt-oss-120b":      `reasoning_effort "high"`,
		"xai/grok-4.5":                      `reasoning {"effort":"high"}`,
	} {
		id, name, _ := strings.Cut(model, "/")
		t.Run(id, func(t *testing.T) {
			b := newBench(t)
			all := provider.Builtin()
			b.gatewayFor(says("Well."), all[slices.IndexFunc(all, func(p provider.Provider) bool { return p.ID == id })])
			b.launch.Argv = replaceAfter(replaceAfter(replaceAfter(b.launch.Argv, "--provider", id), "--model", name), "--thinking", "high")
			b.settings(`"retry":{"enabled":false}`)
			if r := b.start(); r.Thinking != "high" {
				t.Errorf("it has %q", r.Thinking)
			}
			b.do(b.s.Prompt(b.ctx, "Think."))
			b.settled() // Google's protocol is not answered
			asked := b.model.Questions()
			if len(asked) == 0 || thinkingOf(t, asked[0]) != want {
				t.Fatalf("asked %+v", asked)
			}
			if next := map[string]string{"anthropic": "claude-haiku-4-5", "openai": "gpt-4.1"}[id]; next != "" {
				b.do(b.s.SetModel(b.ctx, id+"/"+next))
				b.do(b.s.Prompt(b.ctx, "And now?"))
				b.settled()
				st, err := b.s.State(b.ctx)
				b.do(err)
				asked := b.model.Questions()[len(asked):]
				if len(asked) != 1 || asked[0].Model != next || (thinkingOf(t, asked[0]) == "") != (st.Thinking == "off") || (st.Thinking == "off") != (id == "openai") {
					t.Errorf("it has %q, asked %+v", st.Thinking, asked)
				}
			}
			b.stop()
		})
	}
}
