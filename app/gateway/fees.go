package gateway

import (
	"bytes"
	"encoding/json"

	"piwork/app/gateway/provider"
)

// A provider takes a fee for some of the tools that it runs itself (searches, containers, pictures),
// and of those only Anthropic's searches are counted (package meter). So a task with a budget has the
// tools of a list: those that the client runs, and those that cost nothing but tokens. Other parts of
// a question are not looked at here: what they make is counted in tokens.

// billed are whole questions, by protocol, of which only what can name a tool has a shape.
var billed = map[provider.Protocol]*shape{
	provider.Anthropic: anthropicBilled(), provider.OpenAI: openaiBilled(), provider.Google: googleBilled(), provider.Pi: anything,
}

// some is an object of which only these members are looked at.
func some(keys map[string]*shape) *shape { return &shape{keys: keys, free: true} }

// toolOf is a tool of one of some types, as an object.
func toolOf(types ...string) *shape {
	s := some(map[string]*shape{}).of(types...)
	s.own = func(string, string) bool { return false } // a text names no tool that is known
	return s
}

func anthropicBilled() *shape {
	tool := toolOf("", "custom", "bash_*", "text_editor_*", "computer_*", "memory_*", "tool_search_tool_*", "mcp_toolset", "web_search_*", "web_fetch_*",
		"tool_reference", "tool_definition")
	tool.keys["definition"] = tool
	block := some(map[string]*shape{"tool": tool})
	return some(map[string]*shape{"tools": tool, "messages": some(map[string]*shape{"content": block})})
}

func openaiBilled() *shape {
	tool := toolOf("", "function", "custom", "tool_search", "local_shell", "apply_patch", "computer*", "mcp", "namespace")
	tool.keys["tools"] = tool
	item := some(map[string]*shape{"tools": tool})
	return some(map[string]*shape{"tools": tool, "input": item, "messages": item, // of xAI and Alibaba are the next but one
		"web_search_options": never, "search_parameters": never, "enable_search": never, "plugins": never,
		"prompt": never}) // one that is kept there, with tools of its own
}

func googleBilled() *shape {
	return some(map[string]*shape{"tools": {keys: map[string]*shape{
		"functionDeclarations": anything, "function_declarations": anything, "codeExecution": anything, "code_execution": anything,
		"urlContext": anything, "url_context": anything, "computerUse": anything, "computer_use": anything,
	}}})
}

// fees names the first part of a body for which a provider may take more than the price of tokens; ""
// is that there is none.
func fees(p provider.Protocol, body []byte) (string, error) {
	w := &walk{d: json.NewDecoder(bytes.NewReader(body))}
	w.d.UseNumber()
	err := w.value(billed[p], "", 0)
	return w.found, err
}
