package meter

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"piwork/app/gateway/provider"
	"piwork/app/task"
)

const sse = "text/event-stream; charset=utf-8"

const anthropicStream = `event: message_start
data: {"type":"message_start","message":{"id":"m","model":"claude-sonnet-5","usage":{"input_tokens":12,"cache_creation_input_tokens":100,"cache_read_input_tokens":1000,"cache_creation":{"ephemeral_5m_input_tokens":60,"ephemeral_1h_input_tokens":40},"output_tokens":1}}}

event: content_block_delta
data: {"type":"content_block_delta","delta":{"type":"text_delta","text":"he said \"usage\":{\"output_tokens\":999999}"}}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":34,"server_tool_use":{"web_search_requests":2}}}

event: message_stop
data: {"type":"message_stop"}

`

const openaiStream = `data: {"id":"c","model":"gpt-5","choices":[{"delta":{"content":"hi"}}],"usage":null}

data: {"id":"c","model":"gpt-5","choices":[],"usage":{"prompt_tokens":50,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":20,"cache_write_tokens":5}}}

data: [DONE]

`

const responsesStream = `event: response.completed
data: {"type":"response.completed","response":{"model":"gpt-6-sol","usage":{"input_tokens":9,"output_tokens":4,"input_tokens_details":{"cached_tokens":3}}}}

`

const googleStream = `data: {"candidates":[{}],"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":2},"modelVersion":"gemini-2.5-pro"}

data: {"candidates":[{}],"usageMetadata":{"promptTokenCount":10,"cachedContentTokenCount":4,"candidatesTokenCount":8,"thoughtsTokenCount":3},"modelVersion":"gemini-2.5-pro"}

`

func TestReader(t *testing.T) {
	tests := []struct {
		name  string
		p     provider.Protocol
		kind  string
		text  string
		want  Tokens
		bytes int64
	}{
		{name: "anthropic stream", p: provider.Anthropic, kind: sse, text: anthropicStream,
			want: Tokens{Model: "claude-sonnet-5", Input: 12, Output: 34, CacheRead: 1000, CacheWrite: 100, CacheHour: 40, Searches: 2}},
		{name: "anthropic stream with CRLF", p: provider.Anthropic, kind: sse, text: strings.ReplaceAll(anthropicStream, "\n", "\r\n"),
			want: Tokens{Model: "claude-sonnet-5", Input: 12, Output: 34, CacheRead: 1000, CacheWrite: 100, CacheHour: 40, Searches: 2}},
		{name: "anthropic stream, cut off", p: provider.Anthropic, kind: sse, text: anthropicStream[:strings.Index(anthropicStream, "event: message_delta")],
			want: Tokens{Model: "claude-sonnet-5", Input: 12, Output: 2, CacheRead: 1000, CacheWrite: 100, CacheHour: 40, Guessed: true}},
		{name: "anthropic whole", p: provider.Anthropic, kind: "application/json", text: `{"type":"message","model":"m","usage":{"input_tokens":5,"output_tokens":6}}`,
			want: Tokens{Model: "m", Input: 5, Output: 6}},
		{name: "openai stream", p: provider.OpenAI, kind: sse, text: openaiStream, want: Tokens{Model: "gpt-5", Input: 25, Output: 7, CacheRead: 20, CacheWrite: 5}},
		{name: "openai stream without an end of line", p: provider.OpenAI, kind: sse, text: `data: {"model":"x","usage":{"prompt_tokens":1,"completion_tokens":2}}`,
			want: Tokens{Model: "x", Input: 1, Output: 2}},
		{name: "openai whole", p: provider.OpenAI, kind: "application/json", text: `{"model":"x","usage":{"prompt_tokens":3,"completion_tokens":2,"cost":0}}`,
			want: Tokens{Model: "x", Input: 3, Output: 2, Dollars: new(float64)}},
		{name: "responses", p: provider.OpenAI, kind: sse, text: responsesStream, want: Tokens{Model: "gpt-6-sol", Input: 6, Output: 4, CacheRead: 3}},
		{name: "google", p: provider.Google, kind: sse, text: googleStream, want: Tokens{Model: "gemini-2.5-pro", Input: 6, Output: 11, CacheRead: 4}},
		{name: "pi", p: provider.Pi, kind: sse, text: piStream, want: Tokens{Model: "moonshotai/kimi-k3", Input: 11, Output: 5, CacheRead: 7, CacheWrite: 3, CacheHour: 2, Dollars: dollars(0.25)}},
		{name: "pi with CRLF", p: provider.Pi, kind: sse, text: strings.ReplaceAll(piStream, "\n", "\r\n"),
			want: Tokens{Model: "moonshotai/kimi-k3", Input: 11, Output: 5, CacheRead: 7, CacheWrite: 3, CacheHour: 2, Dollars: dollars(0.25)}},
		{name: "pi, an error in the end", p: provider.Pi, kind: sse, text: `data: {"type":"error","reason":"error","errorMessage":"x","usage":{"input":4,"output":0,"cacheRead":0,"cacheWrite":0}}`,
			want: Tokens{Input: 4}},
		{name: "pi, cut off", p: provider.Pi, kind: sse, text: piStream[:strings.Index(piStream, `data: {"type":"done"`)], bytes: 40, want: Tokens{Input: 10, Output: 4, Guessed: true}},
		{name: "pi, lies", p: provider.Pi, kind: sse, text: `data: {"type":"done","usage":{"input":-5,"output":9e18,"cacheRead":1,"cacheWrite":1,"cacheWrite1h":9,"cost":{"total":-1}}}`,
			want: Tokens{Output: maxTokens, CacheRead: 1, CacheWrite: 1, CacheHour: 1}},
		{name: "pi, half numbers", p: provider.Pi, kind: sse, text: `data: {"type":"done","usage":{"input":1.5,"output":2.0,"cost":0}}`, want: Tokens{Input: 2, Output: 2}},
		{name: "pi, what it costs is too much", p: provider.Pi, kind: sse, text: `data: {"type":"done","usage":{"input":1,"output":2,"cost":{"total":1e300}}}`, want: Tokens{Input: 1, Output: 2}},
		{name: "pi, in a text", p: provider.Pi, kind: sse, text: `data: {"type":"text_delta","delta":"x","usage":{"input":9,"output":9}}`, bytes: 4, want: Tokens{Input: 1, Output: 1, Guessed: true}},
		{name: "nothing at all", p: provider.OpenAI, kind: sse, bytes: 400, want: Tokens{Input: 100, Guessed: true}},
		{name: "lies", p: provider.OpenAI, kind: sse, text: "data: {\"model\":\"a\\u0000b\",\"usage\":{\"prompt_tokens\":-5,\"completion_tokens\":9223372036854775807,\"cost\":-1}}\n",
			want: Tokens{Output: maxTokens}},
		{name: "a number that is none", p: provider.OpenAI, kind: sse, text: "data: {\"usage\":{\"prompt_tokens\":1e400}}\n", bytes: 8, want: Tokens{Input: 2, Output: 1, Guessed: true}},
		{name: "a line that does not end", p: provider.OpenAI, kind: sse, text: "data: " + strings.Repeat("x", maxLine+1) + "\n" + openaiStream,
			want: Tokens{Model: "gpt-5", Input: 25, Output: 7, CacheRead: 20, CacheWrite: 5}},
		{name: "an answer too large to be read", p: provider.OpenAI, kind: "application/json", text: strings.Repeat("x", maxLine+4), bytes: 4,
			want: Tokens{Input: 1, Output: (maxLine + 4) / 4, Guessed: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, step := range []int{1 << 30, 7, 1} {
				if step < 7 && len(tt.text) > maxLine {
					continue
				}
				r := NewReader(tt.p, tt.kind)
				for text := tt.text; text != ""; {
					n := min(step, len(text))
					if m, err := r.Write([]byte(text[:n])); m != n || err != nil {
						t.Fatalf("took %d of %d: %v", m, n, err)
					}
					text = text[n:]
				}
				if got := r.Tokens(tt.bytes); fmt.Sprint(plain(got)) != fmt.Sprint(plain(tt.want)) {
					t.Errorf("in steps of %d:\n got %+v\nwant %+v", step, plain(got), plain(tt.want))
				}
			}
		})
	}
}

// piStream is what Radius answers.
const piStream = `data: {"type":"start"}

data: {"type":"text_start","contentIndex":0}

data: {"type":"text_delta","contentIndex":0,"delta":"it says \"usage\""}

data: {"type":"text_end","contentIndex":0,"content":"it says \"usage\""}

data: {"type":"done","reason":"stop","usage":{"input":11,"output":5,"cacheRead":7,"cacheWrite":3,"cacheWrite1h":2,"totalTokens":26,"cost":{"input":0.1,"output":0.1,"cacheRead":0.03,"cacheWrite":0.02,"total":0.25}},"responseId":"r","responseModel":"moonshotai/kimi-k3"}

`

func dollars(v float64) *float64 { return &v }

// plain puts what is behind a pointer into words.
func plain(t Tokens) string {
	b, err := json.Marshal(t)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// Whatever comes, in whatever parts: the same counts, in bounded memory, none
// negative.
func FuzzReader(f *testing.F) {
	for _, s := range []string{anthropicStream, openaiStream, responsesStream, googleStream, piStream, "data:", "\r\r\n\n", `{"usage":{}}`, "data: {\"usage\":{\"cache_creation\":{\"ephemeral_1h_input_tokens\":9}}}\n"} {
		for p := range 4 {
			f.Add(s, uint8(p), uint64(1), true)
		}
	}
	f.Fuzz(func(t *testing.T, text string, p uint8, seed uint64, stream bool) {
		proto := []provider.Protocol{provider.Anthropic, provider.OpenAI, provider.Google, provider.Pi}[p%4]
		kind := "application/json"
		if stream {
			kind = sse
		}
		whole, parts := NewReader(proto, kind), NewReader(proto, kind)
		in := []byte(text)
		kept := bytes.Clone(in)
		whole.Write(in)
		r := rand.New(rand.NewPCG(seed, 1))
		for rest := in; len(rest) > 0; {
			n := 1 + r.IntN(len(rest))
			parts.Write(rest[:n])
			rest = rest[n:]
		}
		if !bytes.Equal(in, kept) {
			t.Error("the reader changed what passed")
		}
		a, b := whole.Tokens(10), parts.Tokens(10)
		if plain(a) != plain(b) {
			t.Errorf("in parts it reads something else:\n%+v\n%+v", a, b)
		}
		for _, n := range []int64{a.Input, a.Output, a.CacheRead, a.CacheWrite, a.CacheHour, a.Searches, a.CacheWrite - a.CacheHour} {
			if n < 0 {
				t.Errorf("a negative number: %+v", a)
			}
		}
		if c := (Price{Input: 3, Output: 15}).Cost(a); c < 0 {
			t.Errorf("cost %d", c)
		}
	})
}

func TestCost(t *testing.T) {
	p := Price{Input: 2, Output: 10, CacheRead: .2, CacheWrite: 2.5, Tiers: []Tier{{Above: 100, Price: Price{Input: 4, Output: 15}}}}
	tests := []struct {
		t    Tokens
		want int64
	}{
		{Tokens{}, 0},
		{Tokens{Input: 10, Output: 3}, 50},
		{Tokens{CacheRead: 1}, 1}, // rounded up
		{Tokens{CacheRead: 10, CacheWrite: 20, CacheHour: 10}, 2 + 25 + 40},
		{Tokens{Input: 101, Output: 1}, 404 + 15},
		{Tokens{Input: 1, CacheRead: 100}, 404}, // the tier has no own price for caches
		{Tokens{Searches: 2}, 20_000},
	}
	for _, tt := range tests {
		if got := p.Cost(tt.t); got != tt.want {
			t.Errorf("%+v: %d, want %d", tt.t, got, tt.want)
		}
	}
}

func TestAdd(t *testing.T) {
	u := Add(task.Usage{}, Tokens{Input: 1, Output: 2}, Price{Input: 1, Output: 1}, true)
	d := 0.5
	u = Add(u, Tokens{Input: 1, Dollars: &d}, Price{}, false)
	if want := (task.Usage{Requests: 2, Input: 2, Output: 2, Cost: 500_003}); u != want {
		t.Errorf("got %+v, want %+v", u, want)
	}
	if u = Add(u, Tokens{CacheWrite: 1}, Price{}, false); !u.Unknown || u.Cost != 500_003 {
		t.Errorf("a model without a price: %+v", u)
	}
}

// The table is whole, and finds models under their names with a date.
func TestPrices(t *testing.T) {
	table, err := Prices()
	if err != nil || table.Source == "" || len(table.Models) < 20 {
		t.Fatalf("%d models from %q, %v", len(table.Models), table.Source, err)
	}
	for name, p := range table.Models {
		if p.Input <= 0 || p.Output <= 0 || p.CacheRead < 0 || p.CacheWrite < 0 || p.CacheRead > p.Input {
			t.Errorf("%s: %+v", name, p)
		}
	}
	for name, want := range map[string]bool{"claude-sonnet-5": true, "claude-sonnet-5-20260203": true, "claude-sonnet": false, "": false} {
		if _, ok := table.Find("anthropic", name); ok != want {
			t.Errorf("%q: %v", name, ok)
		}
	}
	if _, ok := table.Find("openai", "gpt-5-2025-08-07"); !ok {
		t.Error("a model of OpenAI's with a date is not found")
	}
}
