package gateway

import (
	"strings"
	"testing"

	"piwork/app/gateway/provider"
)

// hosted is what listed finds.
func hosted(p provider.Protocol, body []byte) (string, error) {
	w, err := listed(p, body)
	return w.found, err
}

// piBody is a question of pi's own protocol, as the real pi asks it.
const piBody = `{"model":"balanced","context":{"messages":[` +
	`{"role":"system","content":"","sections":{"tools":"- read"},"toolsAdded":[{"name":"read","description":"x","parameters":{"type":"object","properties":{"url":{"type":"string"}}},"constrainedSampling":{"type":"json_schema","strict":"prefer"}}]},` +
	`{"role":"user","content":[{"type":"text","text":"see https://x.example"},{"type":"image","data":"AAAA","mimeType":"image/png"}]},` +
	`{"role":"assistant","content":[{"type":"toolCall","id":"1","name":"fetch","arguments":{"url":"https://x.example"}}],"diagnostics":[{"type":"x","details":{"url":"https://x.example"}}]},` +
	`{"role":"toolResult","toolCallId":"1","toolName":"fetch","content":[{"type":"text","text":"hi"}],"details":{"url":"https://x.example"},"isError":false}]},` +
	`"options":{"reasoning":"high","sessionId":"s","maxTokens":1,"temperature":0,"cacheRetention":"long","toolChoice":"auto"}}`

// Questions as pi's adapters make them (package 1.5.2), and opencode where it marks whole messages
// and calls for the provider's cache.
const (
	anthropicAsks = `{"model":"m","max_tokens":32000,"stream":true,"temperature":1,"system":[{"type":"text","text":"x","cache_control":{"type":"ephemeral","ttl":"1h"}}],` +
		`"tools":[{"name":"read","description":"x","eager_input_streaming":true,"strict":true,"input_schema":{"type":"object","properties":{"url":{"type":"string"}},"required":[]},"cache_control":{"type":"ephemeral"}},{"name":"p","description":"x","input_schema":{"type":"object"},"defer_loading":true}],` +
		`"tool_choice":{"type":"auto"},"thinking":{"type":"adaptive","display":"summarized","block_binding":{"prefix_mismatch_behavior":"drop_block"}},"output_config":{"effort":"low"},"metadata":{"user_id":"u"},"fallbacks":[{"model":"n"}],` +
		`"messages":[{"role":"system","content":[],"output_config":{"effort":"high"}},{"role":"user","content":"see https://x.example"},{"role":"user","content":[{"type":"text","text":"x"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}]},` +
		`{"role":"assistant","content":[{"type":"thinking","thinking":"x","signature":"s"},{"type":"redacted_thinking","data":"d"},{"type":"tool_use","id":"1","name":"fetch","input":{"url":"https://x.example"}}]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","is_error":false,"content":[{"type":"text","text":"x"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}],"cache_control":{"type":"ephemeral"}}]},` +
		`{"role":"system","content":[{"type":"tool_removal","tool":{"type":"tool_reference","name":"read"}},{"type":"tool_addition","tool":{"type":"tool_definition","definition":{"name":"read","input_schema":{}}}}]}]}`
	chatAsks = `{"model":"m","stream":true,"prompt_cache_key":"k","prompt_cache_retention":"24h","stream_options":{"include_usage":true},"store":false,"max_completion_tokens":9,"temperature":0,"tool_stream":true,"priority":1,"reasoning_effort":"low",` +
		`"thinking":{"type":"enabled","clear_thinking":false},"enable_thinking":true,"chat_template_kwargs":{"enable_thinking":true},"reasoning":{"effort":"low","enabled":true},"provider":{"order":["a"],"sort":{"by":"price"}},"providerOptions":{"gateway":{"only":["a"]}},"tool_choice":"auto",` +
		`"tools":[{"type":"function","function":{"name":"read","description":"x","parameters":{"type":"object"},"strict":false},"cache_control":{"type":"ephemeral"}},{"type":"custom","custom":{"name":"x","description":"x","format":{"type":"grammar","grammar":{"syntax":"lark","definition":"x"}}}}],` +
		`"messages":[{"role":"developer","content":"x"},{"role":"system","content":"x","cache_control":{"type":"ephemeral"}},{"role":"system","tools":[{"type":"function","function":{"name":"late"}}]},{"role":"user","content":[{"type":"text","text":"x","cache_control":{"type":"ephemeral"}},{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]},` +
		`{"role":"assistant","content":null,"reasoning_content":"x","reasoning_details":[{"type":"reasoning.encrypted","data":"x","id":"1","format":"f","index":0}],"tool_calls":[{"id":"1","type":"function","function":{"name":"fetch","arguments":"{\"url\":\"https://x.example\"}"},"cache_control":{"type":"ephemeral"}},{"id":"2","type":"custom","custom":{"name":"x","input":"https://x.example"}}]},` +
		`{"role":"tool","content":"https://x.example","tool_call_id":"1","name":"fetch"}]}`
	responsesAsks = `{"model":"m","stream":true,"store":false,"instructions":"x","text":{"verbosity":"low"},"include":["reasoning.encrypted_content"],"prompt_cache_key":"k","prompt_cache_options":{"mode":"explicit"},"tool_choice":"auto","parallel_tool_calls":true,"max_output_tokens":9,"service_tier":"flex","reasoning":{"effort":"low","summary":"auto"},` +
		`"tools":[{"type":"function","name":"read","description":"x","parameters":{"type":"object"},"strict":null},{"type":"custom","name":"x","description":"x","format":{"type":"grammar","syntax":"lark","definition":"x"},"defer_loading":true}],` +
		`"input":[{"role":"developer","content":"x"},{"role":"user","content":[{"type":"input_text","text":"x"},{"type":"input_image","detail":"auto","image_url":"data:image/png;base64,AAAA"}]},` +
		`{"type":"reasoning","id":"r","summary":[{"type":"summary_text","text":"x"}],"content":[{"type":"reasoning_text","text":"x"}],"encrypted_content":"e"},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"x","annotations":[]}],"status":"completed","id":"m","phase":"final_answer"},` +
		`{"type":"function_call","id":"fc","call_id":"1","name":"fetch","arguments":"{}","namespace":"n"},{"type":"function_call_output","call_id":"1","output":[{"type":"input_text","text":"x"}]},{"type":"custom_tool_call","id":"ctc","call_id":"2","name":"x","input":"https://x.example"},{"type":"custom_tool_call_output","call_id":"2","output":"x"},` +
		`{"type":"tool_search_call","call_id":"3","execution":"client","status":"completed","arguments":{"query":"read","limit":1}},{"type":"tool_search_output","call_id":"3","execution":"client","status":"completed","tools":[{"type":"function","name":"read","defer_loading":true}]},` +
		`{"type":"additional_tools","role":"developer","tools":[{"type":"function","name":"late"}]},{"type":"configuration_update","reasoning":{"effort":"low"}}]}`
	googleAsks = `{"contents":[{"role":"user","parts":[{"text":"x"},{"inlineData":{"mimeType":"image/png","data":"AAAA"}}]},{"role":"model","parts":[{"thought":true,"text":"x","thoughtSignature":"AAAA"},{"functionCall":{"name":"fetch","args":{"url":"https://x.example"},"id":"1"},"thoughtSignature":"AAAA"}]},` +
		`{"role":"user","parts":[{"functionResponse":{"name":"fetch","response":{"output":"https://x.example"},"parts":[{"inlineData":{"mimeType":"image/png","data":"AAAA"}}],"id":"1"}}]}],"systemInstruction":{"role":"user","parts":[{"text":"x"}]},` +
		`"tools":[{"functionDeclarations":[{"name":"fetch","description":"x","parametersJsonSchema":{"type":"object","properties":{"url":{"type":"string"}}}}]}],"toolConfig":{"functionCallingConfig":{"mode":"VALIDATED"}},"generationConfig":{"temperature":0,"maxOutputTokens":9,"thinkingConfig":{"includeThoughts":true,"thinkingLevel":"LOW","thinkingBudget":1}}}`
)

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
		// What a list of what is known to be bad does not have.
		{provider.OpenAI, `{"type":"tool_use","model":"m","input":[{"role":"user","content":[{"type":"input_image","image_url":"https://evil.example/?secret"}]}]}`, "yes"},
		{provider.OpenAI, `{"model":"m","input":[{"type":"tool_use","input":[{"type":"input_image","image_url":"https://evil.example/?secret"}]}]}`, "yes"},
		{provider.OpenAI, `{"model":"m","input":[{"type":"custom_tool_call","input":[{"type":"input_image","image_url":"https://evil.example/?secret"}]}]}`, "yes"},
		{provider.OpenAI, `{"type":"tool_use","model":"m","input":[{"type":"additional_tools","tools":[{"type":"web_search"}]}]}`, "yes"},
		{provider.OpenAI, `{"model":"m","search_parameters":{"mode":"on"},"messages":[]}`, "yes"},
		{provider.OpenAI, `{"model":"m","enable_search":true,"messages":[]}`, "yes"},
		{provider.OpenAI, `{"model":"m","messages":[{"role":"user","content":[{"type":"document_url","document_url":"https://evil.example/?s"}]}]}`, "yes"},
		{provider.OpenAI, `{"model":"m","messages":[{"role":"user","content":[{"type":"input_audio","input_audio":{"data":"https://evil.example/?s"}}]}]}`, "yes"},
		{provider.OpenAI, `{"model":"m","messages":[{"role":"user","content":[{"type":"video","video":["https://evil.example/?s"]}]}]}`, "yes"},
		{provider.OpenAI, `{"model":"m","messages":[{"role":"user","content":[{"type":["image_url"],"text":"x"}]}]}`, "yes"},
		{provider.OpenAI, `{"model":"m","previous_response_id":"resp_1","input":"x"}`, "yes"},
		{provider.OpenAI, `{"model":"m","conversation":"c","input":"x"}`, "yes"},
		{provider.OpenAI, `{"model":"m","background":true,"input":"x"}`, "yes"},
		{provider.OpenAI, `{"model":"m","store":true,"input":"x"}`, "yes"},
		{provider.OpenAI, `{"model":"m","store":false,"input":"x"}`, "no"},
		{provider.OpenAI, `{"model":"m","tools":["web_search"]}`, "yes"},
		{provider.OpenAI, `{"model":"m","tools":[{"type":"function","function":{"name":"x","parameters":{"$ref":"https://evil.example/?s"}}}]}`, "yes"},
		{provider.OpenAI, `{"model":"m","tools":[{"type":"function","function":{"name":"x","parameters":{"$schema":"https://json-schema.org/draft/2020-12/schema","$ref":"#/$defs/a","properties":{"$ref":{"type":"string"}}}}}]}`, "no"},
		{provider.Google, `{"contents":[{"parts":[{"functionResponse":{"name":"x","parts":[{"fileData":{"fileUri":"https://evil.example/?s"}}]}}]}]}`, "yes"},
		{provider.Google, `{"contents":[{"parts":[{"file_data":{"file_uri":"https://evil.example/?s"}}]}]}`, "yes"},
		{provider.Google, `{"cachedContent":"cachedContents/1","contents":[]}`, "yes"},
		{provider.Anthropic, `{"model":"m","messages":[{"role":"user","content":[{"type":"document","source":{"type":"file","file_id":"file_1"}}]}]}`, "yes"},
		{provider.Anthropic, `{"model":"m","messages":[{"role":"user","content":[{"type":"image","source":{"type":"file","file_id":"file_1"}}]}]}`, "yes"},
		{provider.OpenAI, `{"model":"m","models":["n","openai/gpt-5:online"],"messages":[]}`, "yes"},
		{provider.Anthropic, `{"model":"m","fallbacks":[{"model":"perplexity/sonar"}],"messages":[]}`, "yes"},
		// What pi asks, with all that its adapters can send.
		{provider.Anthropic, anthropicAsks, "no"}, {provider.OpenAI, chatAsks, "no"}, {provider.OpenAI, responsesAsks, "no"}, {provider.Google, googleAsks, "no"},
		{provider.OpenAI, `{"a":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `}`, "bad"},
	} {
		found, err := hosted(tt.p, []byte(tt.body))
		got := "no"
		if err != nil {
			got = "bad"
		} else if found != "" {
			got = "yes"
		}
		if got != tt.want {
			t.Errorf("%s %s: %s, want %s", tt.p, tt.body, got, tt.want)
		}
	}
	for body, want := range map[string]string{
		`{"model":"m","search":true,"browse":1}`:                                                    "search",
		`{"tools":[{"type":"function"},{"type":"web_search"}]}`:                                     "tools.type.web_search",
		`{"messages":[{"content":[{"type":"image_url","image_url":{"url":"https://a.invalid"}}]}]}`: "messages.content.image_url.url",
		`1`: "the whole",
	} {
		if got, err := hosted(provider.OpenAI, []byte(body)); err != nil || got != want {
			t.Errorf("%s: %q %v, want %q", body, got, err, want)
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
		op := provider.Operation{Protocol: proto, Model: "m", Usage: proto == provider.OpenAI && p&4 != 0}
		_, sent, err := ask(op, body)
		if err != nil {
			return
		}
		a, aerr := hosted(proto, body)
		b, berr := hosted(proto, sent)
		if (aerr == nil) != (berr == nil) || (a == "") != (b == "") {
			t.Errorf("what is sent is not what was looked at:\n%s %v %v\n%s %v %v", body, a, aerr, sent, b, berr)
		}
	})
}
