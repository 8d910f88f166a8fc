package gatewaytest

import (
	"encoding/json"
	"fmt"
)

// piConfig is what Radius says of its models, and where it wants to be asked.
func piConfig(url string) map[string]any {
	return map[string]any{"baseUrl": url + "/v1", "models": []any{map[string]any{
		"id": PiModel, "name": "Scripted", "reasoning": true, "input": []string{"text", "image"},
		"cost": map[string]any{"input": 1, "output": 2, "cacheRead": 0, "cacheWrite": 0}, "contextWindow": 200_000, "maxTokens": 1000,
	}}}
}

// pi says it in pi's own protocol.
func (s *speaker) pi() {
	in, out := s.used()
	usage := map[string]any{
		"input": in, "output": out, "cacheRead": s.t.CacheRead, "cacheWrite": s.t.CacheWrite, "totalTokens": in + out + s.t.CacheRead + s.t.CacheWrite,
		"cost": map[string]any{"input": 0, "output": s.t.Cost, "cacheRead": 0, "cacheWrite": 0, "total": s.t.Cost},
	}
	s.begin()
	event := func(v map[string]any) error {
		b, err := json.Marshal(v)
		if err != nil {
			return err
		}
		return s.send(fmt.Sprintf("data: %s\n\n", b))
	}
	if event(map[string]any{"type": "start"}) != nil {
		return
	}
	text, n := "", 0
	if len(s.t.Parts) > 0 {
		if event(map[string]any{"type": "text_start", "contentIndex": n}) != nil {
			return
		}
	}
	if !s.parts(func(part string) error {
		text += part
		return event(map[string]any{"type": "text_delta", "contentIndex": n, "delta": part})
	}) {
		return
	}
	var all []map[string]any
	if len(s.t.Parts) > 0 {
		all = append(all, map[string]any{"type": "text_end", "contentIndex": n, "content": text})
		n++
	}
	reason := "stop"
	for i, t := range s.t.Tools {
		b, err := json.Marshal(t.Input)
		if err != nil {
			return
		}
		reason = "toolUse"
		id := fmt.Sprintf("call_%d", i)
		all = append(all,
			map[string]any{"type": "toolcall_start", "contentIndex": n, "id": id, "toolName": t.Name},
			map[string]any{"type": "toolcall_delta", "contentIndex": n, "delta": string(b)},
			map[string]any{"type": "toolcall_end", "contentIndex": n, "toolCall": map[string]any{"type": "toolCall", "id": id, "name": t.Name, "arguments": t.Input}})
		n++
	}
	done := map[string]any{"type": "done", "reason": reason, "responseId": "resp_1", "responseModel": s.q.Model}
	if !s.t.Silent {
		done["usage"] = usage
	}
	for _, v := range append(all, done) {
		if event(v) != nil {
			return
		}
	}
}
