package provider

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// Models whose service is told how long they think, and the levels they have.
func TestThinks(t *testing.T) {
	for _, tt := range []struct {
		p      Protocol
		models string
		levels string // of those a person can choose; "" does not think
		how    string // compat
	}{
		{Anthropic, "claude-sonnet-4-5 claude-3-7-sonnet-20250219 claude-sonnet-4-20250514 anthropic/claude-opus-4.5 claude-haiku-4-5@20251001", "off minimal low medium high", "null"},
		{Anthropic, "claude-opus-4-6 claude-sonnet-5 claude-haiku-5-5 anthropic.claude-opus-4-7-v1:0", "off minimal low medium high", `{"forceAdaptiveThinking":true}`},
		{Anthropic, "claude-fable-5 claude-opus-5-5", "minimal low medium high", `{"forceAdaptiveThinking":true}`},
		{Anthropic, "claude-3-5-sonnet-20241022 claude-3-opus claude-2.1 claude kimi-k2 gpt-5 scripted-1", "", "null"},
		{OpenAI, "gpt-5 openai/gpt-5-mini", "minimal low medium high", `{"supportsReasoningEffort":true}`},
		{OpenAI, "gpt-5.1 gpt-5.4-mini qwen3:8b qwen3.6:27b Qwen/Qwen3-32B", "off low medium high", `{"supportsReasoningEffort":true}`},
		{OpenAI, "qwen3.8:27b", "low medium", `{"supportsReasoningEffort":true}`},
		{OpenAI, "gpt-5-pro gpt-5.4-pro", "high", `{"supportsReasoningEffort":true}`},
		{OpenAI, "o1 o3-mini o4-mini gpt-5-codex gpt-6-astra gpt-oss:20b openai/gpt-oss-120b deepseek-r1:7b magistral qwen3-30b-a3b-thinking-2507", "low medium high", `{"supportsReasoningEffort":true}`},
		{OpenAI, "gpt-4o gpt-4.1 gpt-5-chat-latest o1-mini o1-preview llama3.2 qwen2.5:7b qwen3-coder:30b qwen3:30b-a3b-instruct-2507-q4_K_M qwen3-embedding:8b qwen3-vl:8b claude-sonnet-4-5 scripted-1 olmo o", "", "null"},
		{Google, "gemini-2.5-flash", "off minimal low medium high", "null"},
		{Google, "gemini-3-pro-preview", "low medium high", "null"},
		{Google, "gemini-2.0-flash gemini-2.5-flash-image gemma-3", "", "null"},
	} {
		for model := range strings.FieldsSeq(tt.models) {
			got := thinks(tt.p, model)
			have := []string{}
			for _, l := range []string{"off", "minimal", "low", "medium", "high"} {
				if v, ok := got.Levels[l]; got.Reasoning && (!ok || v != nil) {
					have = append(have, l)
				}
			}
			how, err := json.Marshal(got.Compat)
			if err != nil || !slices.Equal(have, strings.Fields(tt.levels)) || string(how) != tt.how {
				t.Errorf("%s %s: %q %s %v, want %q %s", tt.p, model, have, how, err, tt.levels, tt.how)
			}
		}
	}
}
