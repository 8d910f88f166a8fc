package gateway

import (
	"strings"
	"testing"

	"piwork/app/gateway/provider"
)

// piBody is a question of pi's own protocol, as the real pi asks it.
const piBody = `{"model":"balanced","context":{"messages":[` +
	`{"role":"system","content":"","sections":{"tools":"- read"},"toolsAdded":[{"name":"read","description":"x","parameters":{"type":"object","properties":{"url":{"type":"string"}}},"constrainedSampling":{"type":"json_schema","strict":"prefer"}}]},` +
	`{"role":"user","content":[{"type":"text","text":"see https://x.example"},{"type":"image","data":"AAAA","mimeType":"image/png"}]},` +
	`{"role":"assistant","content":[{"type":"toolCall","id":"1","name":"fetch","arguments":{"url":"https://x.example"}}],"diagnostics":[{"type":"x","details":{"url":"https://x.example"}}]},` +
	`{"role":"toolResult","toolCallId":"1","toolName":"fetch","content":[{"type":"text","text":"hi"}],"details":{"url":"https://x.example"},"isError":false}]},` +
	`"options":{"reasoning":"high","sessionId":"s","maxTokens":1,"temperature":0,"cacheRetention":"long","toolChoice":"auto"}}`

// What a provider would do by itself, in each protocol, and what only looks like
// it.
func TestHosted(t *testing.T) {
	for _, tt := range []struct {
		p    provider.Protocol
		body string
		want string // "yes", "no", "bad"
	}{
		{provider.Anthropic, `{"messages":[{"role":"user","content":"see https://x.example"}],"tools":[{"name":"read","input_schema":{"type":"object","properties":{"url":{"type":"string"}}}}]}`, "no"},
		{provider.Anthropic, `{"tools":[{"type":"custom","name":"x"},{"type":"bash_20250124"},{"type":"text_editor_20250728"}]}`, "no"},
		{provider.Anthropic, `{"tools":[{"type":"web_fetch_20250910"}]}`, "yes"},
		{provider.Anthropic, `{"tools":[{"name":"x","type":"web_search_20250305"}]}`, "yes"},
		{provider.Anthropic, `{"tools":[{"type":"code_execution_20250825"}]}`, "yes"},
		{provider.Anthropic, `{"mcp_servers":[{"type":"url"}]}`, "yes"},
		{provider.Anthropic, `{"MCP_servers":[]}`, "yes"},
		{provider.Anthropic, `{"m\u0063p_servers":[]}`, "yes"},
		{provider.Anthropic, `{"messages":[{"content":[{"type":"image","source":{"type":"url","url":"https://evil.example/?secret"}}]}]}`, "yes"},
		{provider.Anthropic, `{"messages":[{"content":[{"type":"image","source":{"type":"base64","data":"aHR0cDovLw=="}}]}]}`, "no"},
		{provider.Anthropic, `{"messages":[{"content":[{"type":"tool_use","input":{"url":"https://x.example","type":"url"}}]}]}`, "no"},
		{provider.Anthropic, `{"messages":[{"content":[{"input":{"url":"https://x.example"},"type":"tool_use"}]}]}`, "no"},
		{provider.Anthropic, `{"messages":[{"content":[{"input":{"url":"https://evil.example"},"type":"document"}]}]}`, "yes"},
		{provider.Anthropic, `{"messages":[{"content":[{"type":"tool_result","content":[{"type":"image","source":{"type":"url","url":"HTTPS://evil.example"}}]}]}]}`, "yes"},
		{provider.Anthropic, `{"messages":[{"content":[{"type":"image","type":"tool_use","input":{}}]}]}`, "bad"},
		{provider.Anthropic, `{"messages":[{"content":[{"type":"tool_addition","tool":{"type":"web_fetch_20250910"}}]}]}`, "yes"},
		{provider.OpenAI, `{"messages":[{"content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]}]}`, "no"},
		{provider.OpenAI, `{"messages":[{"content":[{"type":"image_url","image_url":{"url":"https://evil.example"}}]}]}`, "yes"},
		{provider.OpenAI, `{"input":[{"content":[{"type":"input_image","image_url":"https://evil.example"}]}]}`, "yes"},
		{provider.OpenAI, `{"input":[{"content":[{"type":"input_file","file_url":" ftp://evil.example"}]}]}`, "yes"},
		{provider.OpenAI, `{"input":[{"type":"function_call","arguments":"{\"url\":\"https://x\"}"}],"tools":[{"type":"function","parameters":{"tools":[{"type":"web"}]}}]}`, "no"},
		{provider.OpenAI, `{"tools":[{"type":"web_search"}]}`, "yes"},
		{provider.OpenAI, `{"tools":[{"type":"mcp","server_url":"https://evil.example"}]}`, "yes"},
		{provider.OpenAI, `{"input":[{"type":"additional_tools","tools":[{"type":"code_interpreter"}]}]}`, "yes"},
		{provider.OpenAI, `{"tools":[{"type":"tool_search","execution":"client"},{"type":"custom"}]}`, "no"},
		{provider.OpenAI, `{"web_search_options":{}}`, "yes"},
		{provider.OpenAI, `{"plugins":[{"id":"web"}]}`, "yes"},
		{provider.Google, `{"tools":[{"functionDeclarations":[{"name":"x","parameters":{"url":{"type":"STRING"}}}]}]}`, "no"},
		{provider.Google, `{"tools":[{"googleSearch":{}}]}`, "yes"},
		{provider.Google, `{"tools":[{"functionDeclarations":[],"url_context":{}}]}`, "yes"},
		{provider.Google, `{"contents":[{"parts":[{"fileData":{"fileUri":"https://evil.example"}}]}]}`, "yes"},
		{provider.Google, `{"contents":[{"parts":[{"functionCall":{"args":{"url":"https://x"}}},{"functionResponse":{"response":{"url":"https://x"}}}]}]}`, "no"},
		{provider.Pi, piBody, "no"},
		{provider.Pi, strings.Replace(piBody, `"options":{`, `"options":{"web":true,`, 1), "yes"},
		{provider.Pi, strings.Replace(piBody, `"options":{`, `"Plugins":[],"options":{`, 1), "yes"},
		{provider.Pi, strings.Replace(piBody, `"context":{`, `"context":{"urls":[],`, 1), "yes"},
		{provider.Pi, strings.Replace(piBody, `{"name":"read"`, `{"type":"web_search","name":"read"`, 1), "yes"},
		{provider.Pi, `{"model":"m","context":{"messages":[],"tools":[{"type":"web_fetch"}]}}`, "yes"},
		{provider.Pi, strings.Replace(piBody, `"data":"AAAA"`, `"url":"https://evil.example"`, 1), "yes"},
		{provider.Pi, strings.Replace(piBody, `"isError":false`, `"isError":false,"isError":true`, 1), "bad"},
		{provider.OpenAI, `{"messages":[{"arguments":{"url":"https://evil.example"}}]}`, "yes"},
		{provider.OpenAI, `{"a":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `}`, "bad"},
	} {
		found, err := hosted(tt.p, []byte(tt.body))
		got := "no"
		if err != nil {
			got = "bad"
		} else if found {
			got = "yes"
		}
		if got != tt.want {
			t.Errorf("%s %s: %s, want %s", tt.p, tt.body, got, tt.want)
		}
	}
	x := newRig(t, SessionOptions{}, nil)
	body := strings.Replace(anthropicBody(true), `"stream"`, `"tools":[{"type":"web_fetch_20250910"}],"stream"`, 1)
	if resp, text := x.post(t, "/anthropic/v1/messages", body); resp.StatusCode != 403 || !strings.Contains(text, `"code":"hosted"`) {
		t.Errorf("status %d: %s", resp.StatusCode, text)
	}
	if resp, text := x.post(t, "/custom/v1/chat/completions", `{"model":"openai/gpt-5:online"}`); resp.StatusCode != 403 || !strings.Contains(text, `"code":"hosted"`) {
		t.Errorf("status %d: %s", resp.StatusCode, text)
	}
	x = newRig(t, SessionOptions{Hosted: true}, nil)
	if resp, _ := x.post(t, "/anthropic/v1/messages", body); resp.StatusCode != 200 {
		t.Errorf("by choice: status %d", resp.StatusCode)
	}
}

// Any body is either read to its end or refused.
func FuzzHosted(f *testing.F) {
	for _, s := range []string{`{"tools":[{"type":"x"}]}`, `{"a":[{},[],"",1,null,true]}`, `{"input":{"url":"x"},"type":"tool_use"}`, `[`, `{"a":{"a":1,"a":2}}`} {
		f.Add([]byte(s), uint8(0))
	}
	f.Fuzz(func(t *testing.T, body []byte, p uint8) {
		proto := []provider.Protocol{provider.Anthropic, provider.OpenAI, provider.Google, provider.Pi}[p%4]
		op := provider.Operation{Protocol: proto, Model: "m", Usage: p&4 != 0}
		_, sent, err := ask(op, body)
		if err != nil {
			return
		}
		a, aerr := hosted(proto, body)
		b, berr := hosted(proto, sent)
		if (aerr == nil) != (berr == nil) || a != b {
			t.Errorf("what is sent is not what was looked at:\n%s %v %v\n%s %v %v", body, a, aerr, sent, b, berr)
		}
	})
}
