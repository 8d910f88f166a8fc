package gateway

import (
	"bytes"
	"encoding/json"
	"strings"

	"piwork/app/gateway/provider"
)

// A provider can be asked to act by itself: to open an address, to search, to call
// other servers. In a task without a network that would be a way out, past every
// rule about hosts. So a session allows it by choice only ([SessionOptions].Hosted).

// hostedNames at the top of a request ask for what the provider runs.
var hostedNames = map[string]bool{
	"mcp_servers": true, "web_search_options": true, "plugins": true, "container": true, "prompt": true,
}

// ownTool reports kinds of tools that the client runs, or that only choose among its
// tools.
func ownTool(kind string) bool {
	switch kind {
	case "", "function", "custom", "tool_search", "local_shell", "apply_patch":
		return true
	}
	for _, p := range []string{"bash_", "text_editor_", "computer_", "memory_", "tool_search_tool_"} {
		if strings.HasPrefix(kind, p) {
			return true
		}
	}
	return false
}

// address names hold what a provider would open.
var addressNames = map[string]bool{"url": true, "image_url": true, "file_url": true, "video_url": true, "fileuri": true, "file_uri": true}

// freeNames hold what is the client's own: schemas, and what its tools were called
// with and said. A provider opens nothing of it.
var freeNames = map[string]bool{"input_schema": true, "parameters": true, "args": true, "functionresponse": true, "function_response": true, "metadata": true}

// piNames are all names that pi's own protocol has in the outer objects of a question.
// What a service of it can do besides answering is not written down anywhere, so that
// others are taken for a wish of that kind.
var piNames = map[string]map[string]bool{
	"":        {"model": true, "context": true, "options": true},
	"context": {"messages": true, "systemprompt": true, "tools": true},
	"options": {"temperature": true, "maxtokens": true, "reasoning": true, "cacheretention": true, "sessionid": true, "toolchoice": true},
}

// piFree are its names like freeNames.
var piFree = map[string]bool{"arguments": true, "details": true, "diagnostics": true}

// piTools are its names of lists of tools: they change within a conversation.
var piTools = map[string]bool{"toolsadded": true}

// hosted reports whether a body asks the provider to act by itself. A body that
// could mean different things to different readers is an error.
func hosted(p provider.Protocol, body []byte) (bool, error) {
	w := &walk{d: json.NewDecoder(bytes.NewReader(body)), google: p == provider.Google, pi: p == provider.Pi}
	w.d.UseNumber()
	err := w.value("", 0)
	return w.found, err
}

// hostedModel reports models that search the web whatever they are asked.
func hostedModel(name string) bool {
	return strings.HasSuffix(name, ":online") || strings.Contains(name, "search-preview") || strings.Contains(name, "deep-research")
}

type walk struct {
	d      *json.Decoder
	google bool
	pi     bool
	found  bool
	free   int // how deep in what is the client's own
}

// value reads the next value, whose name (in small letters) is given.
func (w *walk) value(name string, depth int) error {
	t, err := w.d.Token()
	if err != nil || depth > 200 {
		return errBody
	}
	switch t := t.(type) {
	case string:
		if addressNames[name] && w.free == 0 && !local(t) {
			w.found = true
		}
	case json.Delim:
		if t == '[' {
			for w.d.More() {
				if err := w.value(name, depth+1); err != nil {
					return err
				}
			}
			_, err := w.d.Token()
			return err
		}
		return w.object(name, depth)
	}
	return nil
}

// object reads the rest of an object.
func (w *walk) object(name string, depth int) error {
	seen := map[string]bool{}
	kind := ""
	before := w.found
	inInput := false // what was found is in "input", which is free in a call of a tool
	tool := (name == "tools" || name == "tool" || w.pi && piTools[name]) && w.free == 0
	var names map[string]bool // all there are
	if w.pi && depth < 2 {
		names = piNames[name]
	}
	for w.d.More() {
		t, err := w.d.Token()
		key, ok := t.(string)
		if err != nil || !ok || seen[key] {
			return errBody
		}
		seen[key] = true
		key = strings.ToLower(key)
		if depth == 0 && hostedNames[key] {
			w.found = true
		}
		if names != nil && !names[key] {
			w.found = true
		}
		if tool && w.google && key != "functiondeclarations" && key != "function_declarations" {
			w.found = true
		}
		if key == "type" {
			if kind, err = w.text(); err != nil {
				return err
			}
			continue
		}
		free := freeNames[key] || w.pi && piFree[key]
		if free {
			w.free++
		}
		was := w.found
		if err := w.value(key, depth+1); err != nil {
			return err
		}
		if free {
			w.free--
		}
		if key == "input" && !was && w.found {
			inInput, w.found = true, false
		}
	}
	if inInput && kind != "tool_use" {
		w.found = true
	}
	if tool && !ownTool(kind) {
		w.found = true
	}
	w.found = w.found || before
	_, err := w.d.Token()
	return err
}

// text reads a value that should be a text; of another kind it is none.
func (w *walk) text() (string, error) {
	var raw json.RawMessage
	if err := w.d.Decode(&raw); err != nil {
		return "", errBody
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return "", nil
	}
	return s, nil
}

// local reports that a text is no address to open: empty, or the thing itself.
func local(s string) bool {
	s = strings.ToLower(strings.TrimSpace(s))
	return s == "" || strings.HasPrefix(s, "data:")
}
