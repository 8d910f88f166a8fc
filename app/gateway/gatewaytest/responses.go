package gatewaytest

import (
	"encoding/json"
	"fmt"
	"strings"
)

// responses says it as the Responses API does.
func (s *speaker) responses() {
	in, out := s.used()
	usage := map[string]any{
		"input_tokens": in + s.t.CacheRead + s.t.CacheWrite, "output_tokens": out, "total_tokens": in + out,
		"input_tokens_details":  map[string]any{"cached_tokens": s.t.CacheRead, "cache_write_tokens": s.t.CacheWrite},
		"output_tokens_details": map[string]any{"reasoning_tokens": 0},
	}
	message := func(text string) map[string]any {
		return map[string]any{"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
			"content": []any{map[string]any{"type": "output_text", "text": text, "annotations": []any{}}}}
	}
	items := []any{message(strings.Join(s.t.Parts, ""))}
	var calls []map[string]any
	for i, t := range s.t.Tools {
		b, err := json.Marshal(t.Input)
		if err != nil {
			return
		}
		c := map[string]any{"type": "function_call", "id": fmt.Sprintf("fc_%d", i), "call_id": fmt.Sprintf("call_%d", i), "name": t.Name, "arguments": string(b), "status": "completed"}
		calls, items = append(calls, c), append(items, c)
	}
	whole := map[string]any{"id": "resp_1", "object": "response", "status": "completed", "model": s.q.Model, "output": items}
	if !s.t.Silent {
		whole["usage"] = usage
	}
	if !s.q.Stream {
		s.whole(whole)
		return
	}
	s.begin()
	n := 0
	event := func(v map[string]any) error {
		v["sequence_number"] = n
		n++
		b, err := json.Marshal(v)
		if err != nil {
			return err
		}
		return s.send(fmt.Sprintf("event: %s\ndata: %s\n\n", v["type"], b))
	}
	for _, v := range []map[string]any{
		{"type": "response.created", "response": map[string]any{"id": "resp_1", "status": "in_progress", "model": s.q.Model, "output": []any{}}},
		{"type": "response.output_item.added", "output_index": 0, "item": map[string]any{"type": "message", "id": "msg_1", "role": "assistant", "status": "in_progress", "content": []any{}}},
		{"type": "response.content_part.added", "output_index": 0, "item_id": "msg_1", "content_index": 0, "part": map[string]any{"type": "output_text", "text": "", "annotations": []any{}}},
	} {
		if event(v) != nil {
			return
		}
	}
	if !s.parts(func(text string) error {
		return event(map[string]any{"type": "response.output_text.delta", "output_index": 0, "item_id": "msg_1", "content_index": 0, "delta": text})
	}) {
		return
	}
	all := []map[string]any{{"type": "response.output_item.done", "output_index": 0, "item": items[0]}}
	for i, c := range calls {
		begun := map[string]any{"type": "function_call", "id": c["id"], "call_id": c["call_id"], "name": c["name"], "arguments": "", "status": "in_progress"}
		all = append(all,
			map[string]any{"type": "response.output_item.added", "output_index": i + 1, "item": begun},
			map[string]any{"type": "response.function_call_arguments.delta", "output_index": i + 1, "item_id": c["id"], "delta": c["arguments"]},
			map[string]any{"type": "response.function_call_arguments.done", "output_index": i + 1, "item_id": c["id"], "arguments": c["arguments"]},
			map[string]any{"type": "response.output_item.done", "output_index": i + 1, "item": c})
	}
	for _, v := range append(all, map[string]any{"type": "response.completed", "response": whole}) {
		if event(v) != nil {
			return
		}
	}
}
