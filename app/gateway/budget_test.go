package gateway

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"piwork/app/gateway/gatewaytest"
	"piwork/app/gateway/meter"
	"piwork/app/gateway/provider"
	"piwork/scripts/lib/tier"
)

// What a question may cost is seen in each way in which a provider reads it.
func TestSizeOfQuestions(t *testing.T) {
	for body, want := range map[string]int64{
		`{"generationConfig":{"maxOutputTokens":65536}}`:                      65536,
		`{"generationConfig":{"maxOutputTokens":"65536"}}`:                    maxOutput, // protobuf reads texts, too
		`{"generationConfig":{"maxOutputTokens":10,"candidate_count":8}}`:     80,
		`{"generation_config":{"max_output_tokens":10,"candidateCount":"8"}}`: maxOutput,
		`{"generationConfig":{"maxOutputTokens":65536,"MaxOutputTokens":1}}`:  65536,
		`{"generationConfig":{"maxOutputTokens":10,"seed":"x"}}`:              10,
		`{"generationConfig":null}`:                                           maxOutput,
	} {
		q, _, err := ask(provider.Operation{Protocol: provider.Google, Model: "m"}, []byte(body))
		if got := most(q, 0, cmp.Or(q.output, maxOutput)).Output; err != nil || got != want {
			t.Errorf("%s: %d %v, want %d", body, got, err, want)
		}
	}
}

// Leaving before the answer begins is no cheaper than waiting for it.
func TestAbandonedQuestionsCost(t *testing.T) {
	for name, tt := range map[string]struct {
		body   string
		output int64 // tokens that are counted
	}{
		"in one piece":          {anthropicBody(false), 10},
		"without a word on it":  {`{"model":"m","stream":false}`, assumedOutput},
		"one of several":        {`{"model":"m","max_tokens":10,"n":3}`, 30},
		"a stream":              {anthropicBody(true), 0}, // its provider sees at once that nobody reads
		"longer than can be":    {`{"model":"m","max_tokens":99999999999}`, maxOutput},
		"a number with a point": {`{"model":"m","max_tokens":1e3}`, maxOutput},
	} {
		t.Run(name, func(t *testing.T) {
			asked := make(chan struct{}, 1)
			x := newRig(t, SessionOptions{Budget: 1 << 40, Hosted: true}, nil, gatewaytest.Turn{Raw: func(_ http.ResponseWriter, r *http.Request) {
				asked <- struct{}{}
				<-r.Context().Done()
			}})
			ctx, leave := context.WithCancel(t.Context())
			r, err := http.NewRequestWithContext(ctx, http.MethodPost, x.http.URL+"/anthropic/v1/messages", strings.NewReader(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			left := make(chan struct{})
			go func() {
				defer close(left)
				if resp, err := http.DefaultTransport.RoundTrip(r); err == nil {
					resp.Body.Close()
					t.Errorf("status %d", resp.StatusCode)
				}
			}()
			<-asked
			leave()
			<-left
			x.http.Close() // when the gateway is done with it
			u := x.s.Usage()
			if want := int64(len(tt.body)) / 4; u.Requests != 1 || u.Input != want || u.Output != tt.output || u.Cost != want+10*tt.output {
				t.Errorf("counted %+v, want %d and %d tokens", u, want, tt.output)
			}
		})
	}
}

// Who leaves a stream pays for the time that its provider worked, whatever came until then, and
// no more than the whole answer.
func TestBrokenOffStreamsCost(t *testing.T) {
	for name, tt := range map[string]struct {
		parts  []string
		most   int
		worked time.Duration
		output int64
	}{
		"before it begins":       {nil, 4000, 20 * time.Second, 2000},
		"after many in one":      {[]string{"a"}, 4000, 20 * time.Second, 2000},
		"longer than the answer": {[]string{"a"}, 10, 20 * time.Second, 10},
		"at once":                {nil, 4000, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			var ahead atomic.Int64
			asked := make(chan struct{})
			x := newRig(t, SessionOptions{Budget: 1 << 40}, func(c *Config) {
				c.now = func() time.Time { return time.Unix(0, ahead.Load()) }
			}, gatewaytest.Turn{Raw: func(w http.ResponseWriter, r *http.Request) {
				for _, p := range tt.parts {
					w.Header().Set("Content-Type", "text/event-stream")
					fmt.Fprintf(w, "data: %q\n\n", p)
					_ = http.NewResponseController(w).Flush()
				}
				close(asked)
				<-r.Context().Done()
			}})
			body := fmt.Sprintf(`{"model":"m","max_tokens":%d,"stream":true}`, tt.most)
			ctx, leave := context.WithCancel(t.Context())
			r, err := http.NewRequestWithContext(ctx, http.MethodPost, x.http.URL+"/anthropic/v1/messages", strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			left := make(chan struct{})
			go func() {
				defer close(left)
				if resp, err := http.DefaultTransport.RoundTrip(r); err == nil {
					_, _ = io.Copy(io.Discard, resp.Body)
					resp.Body.Close()
				}
			}()
			<-asked
			ahead.Store(int64(tt.worked))
			leave()
			<-left
			x.http.Close()
			if u := x.s.Usage(); u.Output != max(tt.output, int64(len(tt.parts))) {
				t.Errorf("counted %+v, want %d", u, tt.output)
			}
		})
	}
}

// However many ask at once, the budget is passed by one answer at most; what fits
// beside each other runs beside each other.
func TestBudgetParallel(t *testing.T) {
	const all = 8
	limited, unlimited := anthropicBody(true), `{"model":"m","stream":true}`
	long := `{"model":"m","stream":true,"max_tokens":1,"system":[{"type":"text","text":"` + strings.Repeat("1", 6000) + `","cache_control":{"type":"ephemeral","ttl":"1h"}}]}`
	picture := `{"model":"m","stream":true,"max_tokens":1000,"messages":[{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + strings.Repeat("iVBO", 1<<20) + `"}}]}]}`
	for name, tt := range map[string]struct {
		body   string
		budget int64
		output int64 // tokens of each answer
		want   int   // questions that are asked
	}{
		"one uses it up":       {limited, 1, 1000, 1},
		"all fit":              {limited, 1 << 40, 1000, all},
		"one without a limit":  {unlimited, 900_000, 100_000, 1},
		"all without a limit":  {unlimited, 1 << 40, 100_000, all},
		"the limit of another": {`{"model":"m","stream":true,"max_output_tokens":1}`, 900_000, 100_000, 1},
		"kept for an hour":     {long, 11_000, 1000, 1},
		"a picture":            {picture, 2_000_000, 1000, all},
		"many answers":         {`{"model":"m","stream":true,"max_tokens":600000,"n":3}`, 22_000_000, 2_200_000, 1},
		"a file of its own":    {`{"model":"m","stream":true,"max_tokens":1,"messages":[{"role":"user","content":[{"type":"document","source":{"type":"file","file_id":"f"}}]}]}`, 900_000, 100_000, 1},
	} {
		t.Run(name, func(t *testing.T) {
			step := make(chan struct{})
			x := newRig(t, SessionOptions{Budget: tt.budget, Hosted: true}, func(c *Config) { c.Parallel = all },
				gatewaytest.Turn{Parts: []string{"x"}, Step: step, Input: 1000, Output: tt.output})
			status := make(chan int, all)
			for range all {
				go func() {
					resp, _ := x.post(t, "/anthropic/v1/messages", tt.body)
					status <- resp.StatusCode
				}()
			}
			for x.s.slot.TryAcquire(1) { // until all of them are under way
				x.s.slot.Release(1)
				time.Sleep(time.Millisecond)
			}
			for len(x.up.Questions()) < tt.want {
				time.Sleep(time.Millisecond)
			}
			close(step)
			answered := 0
			for range all {
				switch s := <-status; s {
				case http.StatusOK:
					answered++
				case http.StatusPaymentRequired:
				default:
					t.Errorf("status %d", s)
				}
			}
			if n := len(x.up.Questions()); n != tt.want || answered != tt.want {
				t.Errorf("%d were asked and %d answered, want %d", n, answered, tt.want)
			}
		})
	}
}

// A limit of the answer counts where the operation reads it. Without one, the answer may fill
// the context of its model.
func TestLongestAnswers(t *testing.T) {
	anthropic, _ := provider.Named("anthropic")
	openai, _ := provider.Named("openai")
	radius, _ := provider.Named("radius")
	google, _ := provider.Named("google")
	const chat, responses = "/chat/completions", "/responses"
	for _, tt := range []struct {
		p          provider.Provider
		path, body string
		want       int64
	}{
		{openai, chat, `{"model":"m","max_tokens":5}`, 5},
		{openai, chat, `{"model":"m","max_completion_tokens":5}`, 5},
		{openai, chat, `{"model":"m","max_output_tokens":5}`, maxOutput},
		{openai, chat, `{"model":"m","options":{"maxTokens":5},"generationConfig":{"maxOutputTokens":5}}`, maxOutput},
		{openai, responses, `{"model":"m","max_output_tokens":5}`, 5},
		{openai, "/codex" + responses, `{"model":"m","max_output_tokens":5}`, 5},
		{openai, responses, `{"model":"m","max_tokens":5,"max_completion_tokens":5}`, maxOutput},
		{openai, chat, `{"model":"m","max_tokens":null}`, maxOutput},
		{openai, chat, `{"model":"m","max_tokens":0,"n":8}`, maxOutput},
		{anthropic, "/v1/messages", `{"model":"m","max_tokens":5}`, 5},
		{anthropic, "/v1/messages", `{"model":"m","max_completion_tokens":5}`, maxOutput},
		{anthropic, "/v1/messages", `{"model":"claude-haiku-4-5"}`, 200_000},
		{anthropic, "/v1/messages", `{"model":"claude-haiku-4-5","max_tokens":9000}`, 9000},
		{radius, "/messages", `{"model":"m","options":{"maxTokens":5}}`, 5},
		{radius, "/messages", `{"model":"m","max_tokens":5}`, maxOutput},
		{google, "/models/m:generateContent", `{"model":"m","generationConfig":{"maxOutputTokens":5}}`, 5},
		{google, "/models/m:generateContent", `{"model":"m","max_tokens":5}`, maxOutput},
	} {
		q, _, err := ask(provider.Operation{Protocol: tt.p.Protocol, Path: tt.path}, []byte(tt.body))
		if got := most(q, 0, longest(tt.p, q)).Output; err != nil || got != tt.want {
			t.Errorf("%s %s: %d %v, want %d", tt.path, tt.body, got, err, tt.want)
		}
	}
}

// What is held of a question is the dearest way to read it.
func TestBoundOfInput(t *testing.T) {
	table, err := meter.Prices()
	if err != nil {
		t.Fatal(err)
	}
	for name, p := range table.Models {
		for _, n := range []int64{1000, 150_000, 1 << 20} {
			for _, used := range []meter.Tokens{{Input: n}, {CacheRead: n}, {CacheWrite: n}, {CacheWrite: n, CacheHour: n}, {Input: n / 4}} {
				used.Output = 1000
				held := bound(p, question{hour: used.CacheHour > 0}, n, 1000)
				if cost := p.Cost(used); cost > held {
					t.Errorf("%s: %+v costs %d, held are %d", name, used, cost, held)
				}
			}
		}
	}
}

// Only a question that may be kept for an hour holds the price of that, and a picture no more
// than one costs. What is no picture to its provider is text.
func TestBoundOfPictures(t *testing.T) {
	tier.Unraced(t)
	data := strings.Repeat("iVBO", 1<<20)
	url := "data:image/png;base64," + data
	for name, tt := range map[string]struct {
		p     provider.Protocol
		body  string
		files int64
		hour  bool
	}{
		"anthropic": {provider.Anthropic, `{"messages":[{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + data + `"}},` +
			`{"type":"tool_result","content":[{"type":"image","source":{"data":"` + data + `","type":"base64","media_type":"image/jpeg"}}]}]}]}`, 2, false},
		"chat":      {provider.OpenAI, `{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"` + url + `","detail":"high"}},{"type":"image_url","image_url":{"detail":"high","url":"` + url + `"}}]}]}`, 2, false},
		"responses": {provider.OpenAI, `{"input":[{"role":"user","content":[{"type":"input_image","image_url":"` + url + `"}]},{"type":"function_call_output","output":[{"type":"input_image","image_url":"` + url + `"}]}]}`, 2, false},
		"google":    {provider.Google, `{"contents":[{"parts":[{"inlineData":{"mimeType":"image/png","data":"` + data + `"}}]}]}`, 1, false},
		"pi":        {provider.Pi, `{"model":"m","context":{"messages":[{"role":"user","content":[{"type":"image","data":"` + data + `","mimeType":"image/png"}]}]}}`, 1, true},

		"a text":                {provider.Google, `{"contents":[{"parts":[{"inlineData":{"mimeType":"text/plain","data":"` + data + `"}},{"text":"` + url + `"}]}]}`, 0, false},
		"a drawing in XML":      {provider.OpenAI, `{"messages":[{"content":[{"type":"image_url","image_url":{"url":"` + strings.Replace(url, "png", "svg+xml", 1) + `"}}]}]}`, 0, false},
		"an argument of a tool": {provider.Anthropic, `{"messages":[{"content":[{"type":"tool_use","input":{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + data + `"}}}]}]}`, 0, false},
		"five minutes":          {provider.Anthropic, `{"cache_control":{"type":"ephemeral","ttl":"5m"}}`, 0, false},
		"an hour":               {provider.Anthropic, `{"messages":[{"content":[{"type":"text","cache_control":{"type":"ephemeral","ttl":"\u0031h"}}]}]}`, 0, true},
		"another time":          {provider.Anthropic, `{"cache_control":{"ttl":3600}}`, 0, true},
	} {
		w, err := listed(tt.p, []byte(tt.body))
		if err != nil || w.found != "" || w.hour != tt.hour || w.pictures != tt.files*(int64(len(data))-pictureTokens) {
			t.Errorf("%s: %d bytes are pictures, an hour %v, found %q, %v", name, w.pictures, w.hour, w.found, err)
		}
	}
}

// However dear a question may become, it is asked once no other is.
func TestBudgetOfLargeQuestions(t *testing.T) {
	tier.Unraced(t)
	x := newRig(t, SessionOptions{Budget: 1_000_000}, nil)
	long := `{"model":"m","max_tokens":10,"messages":[{"role":"user","content":"` + strings.Repeat("1", 4<<20) + `"}]}`
	for range 2 {
		if resp, text := x.post(t, "/anthropic/v1/messages", long); resp.StatusCode != 200 {
			t.Errorf("%d %s", resp.StatusCode, text)
		}
	}
}

// With a budget, an order of service whose price is not known is refused.
func TestBudgetOfTiers(t *testing.T) {
	for field, refused := range map[string]bool{
		`"service_tier":"priority"`: true, `"service_tier":"fast"`: true, `"speed":"fast"`: true, `"serviceTier":"priority"`: true, `"service_tier":7`: true,
		`"service_tier":"flex"`: false, `"service_tier":"auto"`: false, `"service_tier":null`: false, `"speed":"standard"`: false,
	} {
		body := strings.Replace(anthropicBody(true), `"stream"`, field+`,"stream"`, 1)
		for _, budget := range []int64{0, 1 << 40} {
			x := newRig(t, SessionOptions{Budget: budget, Hosted: true}, nil)
			want := 200
			if refused && budget > 0 {
				want = 402
			}
			if resp, text := x.post(t, "/anthropic/v1/messages", body); resp.StatusCode != want || want == 402 && !strings.Contains(text, `"code":"unpriced"`) {
				t.Errorf("%s with a budget of %d: %d %s", field, budget, resp.StatusCode, text)
			}
		}
	}
}

// With a budget, what a provider runs for a fee that is not counted is refused; what the client
// runs, and searches that are counted, are not.
func TestBudgetOfTools(t *testing.T) {
	const message, chat, response = "/anthropic/v1/messages", "/custom/v1/chat/completions", "/custom/v1/responses"
	for field, tt := range map[string]struct {
		path    string
		refused bool
	}{
		`"tools":[{"type":"web_search"}]`:                                                   {response, true},
		`"tools":[{"type":"function","name":"x"},{"type":"image_generation"}]`:              {response, true},
		`"tools":[{"type":"code_interpreter","container":{"type":"auto"}}]`:                 {response, true},
		`"tools":[{"type":"namespace","name":"x","tools":[{"type":"web_search"}]}]`:         {response, true},
		`"tools":["web_search"]`:                                                            {response, true},
		`"tools":[{"type":5}]`:                                                              {response, true},
		`"input":[{"type":"additional_tools","tools":[{"type":"file_search"}]}]`:            {response, true},
		`"prompt":{"id":"pmpt_1"}`:                                                          {response, true},
		`"web_search_options":{}`:                                                           {chat, true},
		`"search_parameters":{"mode":"on"}`:                                                 {chat, true},
		`"plugins":[{"id":"web"}]`:                                                          {chat, true},
		`"tools":[{"type":"code_execution_20250825","name":"x"}]`:                           {message, true},
		`"tools":[{"name":"x","type":"web_search_20250305"},{"type":"web_fetch_20250910"}]`: {message, false},
		`"tools":[{"name":"x","input_schema":{"type":"web_search"}},{"type":"custom"}]`:     {message, false},
		`"tools":[{"type":"function","function":{"name":"web_search"}}]`:                    {chat, false},
		`"tools":[{"type":"namespace","name":"x","tools":[{"type":"function"}]}]`:           {response, false},
		`"input":[{"role":"user","content":[{"type":"input_image","image_url":"https://x.example"}]}],"previous_response_id":"r","new":{"a":{"b":1}}`: {response, false},
		`"web_search_options":null,"plugins":[],"tools":null`: {chat, false},
	} {
		for _, budget := range []int64{0, 1 << 40} {
			x := newRig(t, SessionOptions{Budget: budget, Hosted: true}, nil)
			want := 200
			if tt.refused && budget > 0 {
				want = 402
			}
			resp, text := x.post(t, tt.path, `{"model":"m","max_tokens":10,`+field+`}`)
			if asked := len(x.up.Questions()); resp.StatusCode != want || want == 402 && !strings.Contains(text, `"code":"unpriced"`) || asked != 0 && want == 402 {
				t.Errorf("%s with a budget of %d: %d %s, asked %d times", field, budget, resp.StatusCode, text, asked)
			}
		}
	}
	for body, want := range map[string]bool{
		`{"tools":[{"googleSearch":{}}]}`: true, `{"tools":[{"functionDeclarations":[],"google_search":{}}]}`: true, `{"tools":[{"googleMaps":{}}]}`: true,
		`{"tools":[{"functionDeclarations":[{"name":"googleSearch","parameters":{"type":"x"}}]},{"codeExecution":{}},{"urlContext":{}}]}`: false, googleAsks: false,
	} {
		if got, err := fees(provider.Google, []byte(body)); err != nil || got != "" != want {
			t.Errorf("%s: %q %v", body, got, err)
		}
	}
	for p, body := range map[provider.Protocol]string{provider.Anthropic: anthropicAsks, provider.OpenAI: chatAsks, provider.Pi: piBody} { // what pi asks
		if got, err := fees(p, []byte(body)); err != nil || got != "" {
			t.Errorf("%s: %q %v", p, got, err)
		}
	}
	if got, err := fees(provider.OpenAI, []byte(responsesAsks)); err != nil || got != "" {
		t.Errorf("%q %v", got, err)
	}
	if _, err := fees(provider.OpenAI, []byte(`{"tools":[{"type":"function","type":"web_search"}]}`)); err == nil {
		t.Error("a tool of two types is taken")
	}
	x := newRig(t, SessionOptions{Budget: 1 << 40, Hosted: true}, nil)
	if resp, text := x.post(t, chat, `{"model":"openai/gpt-5-search-preview"}`); resp.StatusCode != 402 {
		t.Errorf("a model that searches: %d %s", resp.StatusCode, text)
	}
}

// A question that the provider works on after its answer is not asked: nobody would count it.
func TestQuestionsInTheBackground(t *testing.T) {
	for value, want := range map[string]int{"true": 403, `"true"`: 403, "1": 403, "false": 200, "null": 200} {
		for _, budget := range []int64{0, 500_000} {
			x := newRig(t, SessionOptions{Budget: budget, Hosted: true}, nil)
			resp, text := x.post(t, "/custom/v1/responses", `{"model":"m","background":`+value+`,"max_output_tokens":100000,"input":"x"}`)
			if asked := len(x.up.Questions()); resp.StatusCode != want || want != 200 && (asked > 0 || !strings.Contains(text, `"code":"refused"`)) {
				t.Errorf("%s with a budget of %d: %d %s, asked %d times", value, budget, resp.StatusCode, text, asked)
			}
		}
	}
}
