package gateway

import (
	"maps"
	"strings"

	"piwork/app/gateway/provider"
)

// What pi and the clients that are like it ask providers for, by protocol: from the
// protocols' documents, and from pi's adapters (package 1.5.2). A field that is not here
// is refused in a task without a network, so that whoever adds one has looked whether a
// provider acts by it: opens an address, runs something, keeps or fetches a conversation.

var (
	word     = &shape{plain: true}
	anything = &shape{free: true}
	never    = &shape{}                                                                         // false, or nothing
	inline   = &shape{plain: true, own: func(_, v string) bool { return local(v) }, file: true} // the thing itself, no address of it
	encoded  = &shape{plain: true, file: true}
	schema   = &shape{free: true, own: ownSchema}
	effort   = object("effort")
	model    = &shape{plain: true, own: func(_, v string) bool { return !hostedModel(v) }} // also one to fall back to
)

// questions are the shapes of whole questions.
var questions = map[provider.Protocol]*shape{
	provider.Anthropic: anthropicQuestion(), provider.OpenAI: openaiQuestion(),
	provider.Google: googleQuestion(), provider.Pi: piQuestion(),
}

// object has words of these names.
func object(names ...string) *shape { return with(nil, names...) }

// with has other shapes, too.
func with(keys map[string]*shape, names ...string) *shape {
	s := &shape{keys: map[string]*shape{}}
	for _, n := range names {
		s.keys[n] = word
	}
	maps.Copy(s.keys, keys)
	return s
}

// of is an object that says of which types it may be.
func (s *shape) of(types ...string) *shape { s.types = types; return s }

// orText may be a text in place of an object.
func (s *shape) orText() *shape { s.plain = true; return s }

// local reports that a text is no address to open: empty, or the thing itself.
func local(s string) bool {
	s = strings.ToLower(strings.TrimSpace(s))
	return s == "" || strings.HasPrefix(s, "data:")
}

// ownSchema reports that a part of a JSON Schema is in the schema itself: some readers
// fetch what a reference names.
func ownSchema(name, value string) bool {
	return name != "$ref" && name != "$dynamicRef" || value == "" || strings.HasPrefix(value, "#")
}

func anthropicQuestion() *shape {
	cache := object("type", "ttl")
	tool := with(map[string]*shape{"input_schema": schema, "cache_control": cache, "input_examples": anything},
		"name", "description", "strict", "eager_input_streaming", "defer_loading", "display_width_px", "display_height_px", "display_number", "max_characters").
		of("", "custom", "bash_*", "text_editor_*", "computer_*", "memory_*", "tool_search_tool_*")
	block := with(map[string]*shape{"input": anything, "cache_control": cache,
		"source": with(map[string]*shape{"data": encoded}, "media_type").of("base64"),
		"tool":   with(map[string]*shape{"definition": tool}, "name").of("tool_reference", "tool_definition"),
	}, "text", "id", "name", "tool_use_id", "is_error", "thinking", "signature", "data").orText().
		of("text", "image", "tool_use", "tool_result", "thinking", "redacted_thinking", "tool_addition", "tool_removal")
	block.keys["content"] = block
	return with(map[string]*shape{
		"system": block, "tools": tool, "cache_control": cache, "output_config": effort, "model": model, "fallbacks": with(map[string]*shape{"model": model}),
		"messages":    with(map[string]*shape{"content": block, "output_config": effort}, "role"),
		"tool_choice": object("type", "name", "disable_parallel_tool_use"), "metadata": object("user_id"),
		"thinking": with(map[string]*shape{"block_binding": object("prefix_mismatch_behavior")}, "type", "budget_tokens", "display"),
	}, "max_tokens", "temperature", "top_p", "top_k", "stream", "stop_sequences", "service_tier")
}

// openaiQuestion is one of Chat Completions or of Responses, and of the many services
// that are compatible with the former.
func openaiQuestion() *shape {
	cache := object("type", "ttl")
	function := with(map[string]*shape{"parameters": schema}, "name", "description", "strict", "arguments")
	custom := with(map[string]*shape{"format": anything}, "name", "description", "input")
	tool := with(map[string]*shape{"function": function, "custom": custom, "parameters": schema, "format": anything, "cache_control": cache},
		"name", "description", "strict", "defer_loading", "execution").
		of("", "function", "custom", "tool_search", "local_shell", "apply_patch")
	part := with(map[string]*shape{
		"image_url":     {keys: map[string]*shape{"url": inline, "detail": word}, plain: true, own: inline.own, file: true},
		"cache_control": cache,
	}, "text", "refusal", "detail", "annotations", "logprobs").orText().
		of("text", "image_url", "refusal", "input_text", "input_image", "output_text", "reasoning_text", "summary_text")
	call := with(map[string]*shape{"function": function, "custom": custom, "cache_control": cache}, "id", "index").of("", "function", "custom")
	choice := with(map[string]*shape{"function": object("name"), "custom": object("name")}, "type", "name", "mode").orText()
	return with(map[string]*shape{
		"messages": with(map[string]*shape{"content": part, "tool_calls": call, "tools": tool, "reasoning_details": anything, "cache_control": cache},
			"role", "name", "tool_call_id", "reasoning_content", "reasoning", "reasoning_text", "refusal", "prefix", "partial"),
		"input": with(map[string]*shape{"content": part, "output": part, "summary": part, "tools": tool, "arguments": anything, "reasoning": effort},
			"id", "role", "status", "phase", "call_id", "name", "namespace", "input", "execution", "encrypted_content").orText().
			of("", "message", "reasoning", "function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output",
				"tool_search_call", "tool_search_output", "additional_tools", "configuration_update"),
		"tools": tool, "tool_choice": choice, "store": never, "cache_control": cache, "model": model, "models": model,
		"stream_options": object("include_usage", "include_obfuscation"), "prompt_cache_options": object("mode", "ttl"),
		"text":            with(map[string]*shape{"format": schema}, "verbosity"),
		"response_format": schema, "logit_bias": anything, "metadata": anything,
		"reasoning":            object("effort", "enabled", "summary", "max_tokens", "exclude"),
		"thinking":             object("type", "clear_thinking", "budget_tokens", "keep").orText(),
		"chat_template_kwargs": anything, "chat_template_args": anything,
		"provider": with(map[string]*shape{"max_price": anything, "sort": anything}, "order", "only", "ignore", "allow_fallbacks", "require_parameters",
			"data_collection", "zdr", "enforce_distillable_text", "quantizations"),
		"providerOptions": with(map[string]*shape{"gateway": object("only", "order")}),
	}, "instructions", "stream", "prompt_cache_key", "prompt_cache_retention", "max_tokens", "max_completion_tokens",
		"max_output_tokens", "temperature", "top_p", "top_k", "min_p", "seed", "stop", "n", "presence_penalty", "frequency_penalty",
		"repetition_penalty", "repeat_penalty", "logprobs", "top_logprobs", "parallel_tool_calls", "tool_stream", "priority", "enable_thinking",
		"reasoning_effort", "reasoning_format", "include_reasoning", "thinking_token_budget", "thinking_budget", "service_tier", "include",
		"truncation", "user", "safety_identifier", "verbosity")
}

func googleQuestion() *shape {
	part := with(map[string]*shape{"inlineData": with(map[string]*shape{"data": encoded}, "mimeType"), "functionCall": with(map[string]*shape{"args": anything}, "id", "name")},
		"text", "thought", "thoughtSignature")
	part.keys["functionResponse"] = with(map[string]*shape{"response": anything, "parts": part}, "id", "name")
	content := with(map[string]*shape{"parts": part}, "role")
	declaration := with(map[string]*shape{"parameters": schema, "parametersJsonSchema": schema, "response": schema, "responseJsonSchema": schema}, "name", "description", "behavior")
	return with(map[string]*shape{
		"contents": content, "systemInstruction": content, "tools": with(map[string]*shape{"functionDeclarations": declaration}),
		"toolConfig":     with(map[string]*shape{"functionCallingConfig": object("mode", "allowedFunctionNames")}),
		"safetySettings": object("category", "threshold"),
		"generationConfig": with(map[string]*shape{"responseSchema": schema, "responseJsonSchema": schema,
			"thinkingConfig": object("includeThoughts", "thinkingLevel", "thinkingBudget")},
			"temperature", "maxOutputTokens", "topP", "topK", "candidateCount", "stopSequences", "seed", "responseMimeType", "presencePenalty", "frequencyPenalty"),
	})
}

// piQuestion is one of pi's own protocol: its messages are those of its sessions
// (docs/message-types.md of the package).
func piQuestion() *shape {
	tool := with(map[string]*shape{"parameters": schema, "constrainedSampling": schema}, "name", "description", "label").of("")
	block := with(map[string]*shape{"arguments": anything, "data": encoded}, "text", "textSignature", "mimeType", "thinking", "thinkingSignature", "redacted",
		"id", "name", "thoughtSignature", "namespace").orText().of("text", "image", "thinking", "toolCall")
	message := with(map[string]*shape{"content": block, "sections": anything, "toolsAdded": tool, "toolsRemoved": object("name"), "details": anything,
		"diagnostics": anything, "usage": anything, "nestedCalls": anything, "deferred": anything},
		"role", "timestamp", "api", "provider", "model", "responseModel", "responseId", "providerThinkingLevel", "thinkingLevel", "stopReason",
		"rawStopReason", "errorMessage", "endTurn", "toolCallId", "toolName", "isError")
	return with(map[string]*shape{
		"context": with(map[string]*shape{"messages": message, "tools": tool}, "systemPrompt"),
		"options": with(map[string]*shape{"toolChoice": object("type", "name").orText()}, "temperature", "maxTokens", "reasoning", "cacheRetention", "sessionId"),
	}, "model")
}
