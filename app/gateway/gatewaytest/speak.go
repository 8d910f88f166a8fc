package gatewaytest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// speaker says one turn.
type speaker struct {
	w http.ResponseWriter
	r *http.Request
	t Turn
	q Question
}

func (s *speaker) used() (in, out int64) {
	in, out = s.t.Input, s.t.Output
	in = cmp.Or(in, 10)
	if out == 0 {
		out = max(1, int64(len(s.t.Parts)))
	}
	return in, out
}

func (s *speaker) send(text string) error {
	if _, err := fmt.Fprint(s.w, text); err != nil {
		return errGone
	}
	return http.NewResponseController(s.w).Flush()
}

func (s *speaker) begin() {
	s.w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	s.w.Header().Set("Cache-Control", "no-cache")
	s.w.WriteHeader(http.StatusOK)
}

// parts says each part of the text when it is its time, and how the turn ends
// early; false ends it.
func (s *speaker) parts(say func(text string) error) bool {
	for i, p := range s.t.Parts {
		if i > 0 && s.t.Pause > 0 && !s.wait(time.After(s.t.Pause)) {
			return false
		}
		if s.t.Step != nil {
			select {
			case <-s.t.Step:
			case <-s.r.Context().Done():
				return false
			}
		}
		if say(p) != nil {
			return false
		}
	}
	switch {
	case s.t.Cut:
		panic(http.ErrAbortHandler) //nolint:forbidigo // net/http's way to break a connection off
	case s.t.Stall:
		<-s.r.Context().Done()
		return false
	}
	return true
}

func (s *speaker) wait(c <-chan time.Time) bool {
	select {
	case <-c:
		return true
	case <-s.r.Context().Done():
		return false
	}
}

// whole says a turn that is not streamed.
func (s *speaker) whole(turn any) {
	if s.t.Stall {
		<-s.r.Context().Done()
		return
	}
	answer(s.w, turn)
}

// anthropic says it as the Messages API does.
func (s *speaker) anthropic() {
	in, out := s.used()
	usage := map[string]any{"input_tokens": in, "cache_read_input_tokens": s.t.CacheRead, "cache_creation_input_tokens": s.t.CacheWrite, "output_tokens": 1}
	stop := "end_turn"
	if len(s.t.Tools) > 0 {
		stop = "tool_use"
	}
	message := map[string]any{"id": "msg_1", "type": "message", "role": "assistant", "model": s.q.Model, "content": []any{}, "stop_reason": nil, "stop_sequence": nil, "usage": usage}
	if !s.q.Stream {
		content := []any{map[string]any{"type": "text", "text": strings.Join(s.t.Parts, "")}}
		for i, t := range s.t.Tools {
			content = append(content, map[string]any{"type": "tool_use", "id": fmt.Sprintf("toolu_%d", i), "name": t.Name, "input": t.Input})
		}
		usage["output_tokens"] = out
		message["content"], message["stop_reason"] = content, stop
		s.whole(message)
		return
	}
	s.begin()
	event := func(v map[string]any) error {
		b, err := json.Marshal(v)
		if err != nil {
			return err
		}
		return s.send(fmt.Sprintf("event: %s\ndata: %s\n\n", v["type"], b))
	}
	if s.t.Silent {
		delete(message, "usage")
	}
	if event(map[string]any{"type": "message_start", "message": message}) != nil ||
		event(map[string]any{"type": "content_block_start", "index": 0, "content_block": map[string]any{"type": "text", "text": ""}}) != nil {
		return
	}
	if !s.parts(func(text string) error {
		return event(map[string]any{"type": "content_block_delta", "index": 0, "delta": map[string]any{"type": "text_delta", "text": text}})
	}) {
		return
	}
	all := []map[string]any{{"type": "content_block_stop", "index": 0}}
	for i, t := range s.t.Tools {
		b, err := json.Marshal(t.Input)
		if err != nil {
			return
		}
		all = append(all,
			map[string]any{"type": "content_block_start", "index": i + 1, "content_block": map[string]any{"type": "tool_use", "id": fmt.Sprintf("toolu_%d", i), "name": t.Name, "input": map[string]any{}}},
			map[string]any{"type": "content_block_delta", "index": i + 1, "delta": map[string]any{"type": "input_json_delta", "partial_json": string(b)}},
			map[string]any{"type": "content_block_stop", "index": i + 1})
	}
	delta := map[string]any{"type": "message_delta", "delta": map[string]any{"stop_reason": stop, "stop_sequence": nil}, "usage": map[string]any{"output_tokens": out}}
	if s.t.Silent {
		delete(delta, "usage")
	}
	for _, v := range append(all, delta, map[string]any{"type": "message_stop"}) {
		if event(v) != nil {
			return
		}
	}
}

// openai says it as Chat Completions does.
func (s *speaker) openai() {
	in, out := s.used()
	usage := map[string]any{
		"prompt_tokens": in + s.t.CacheRead + s.t.CacheWrite, "completion_tokens": out, "total_tokens": in + out,
		"prompt_tokens_details": map[string]any{"cached_tokens": s.t.CacheRead, "cache_write_tokens": s.t.CacheWrite},
	}
	var calls []any
	for i, t := range s.t.Tools {
		b, err := json.Marshal(t.Input)
		if err != nil {
			return
		}
		calls = append(calls, map[string]any{"index": i, "id": fmt.Sprintf("call_%d", i), "type": "function", "function": map[string]any{"name": t.Name, "arguments": string(b)}})
	}
	stop := "stop"
	if len(calls) > 0 {
		stop = "tool_calls"
	}
	if !s.q.Stream {
		m := map[string]any{"role": "assistant", "content": strings.Join(s.t.Parts, "")}
		if len(calls) > 0 {
			m["tool_calls"] = calls
		}
		v := map[string]any{"id": "c1", "object": "chat.completion", "model": s.q.Model, "choices": []any{map[string]any{"index": 0, "message": m, "finish_reason": stop}}}
		if !s.t.Silent {
			v["usage"] = usage
		}
		s.whole(v)
		return
	}
	s.begin()
	chunk := func(choices []any, more map[string]any) error {
		v := map[string]any{"id": "c1", "object": "chat.completion.chunk", "model": s.q.Model, "choices": choices}
		for k, m := range more {
			v[k] = m
		}
		b, err := json.Marshal(v)
		if err != nil {
			return err
		}
		return s.send(fmt.Sprintf("data: %s\n\n", b))
	}
	choice := func(delta map[string]any, finish any) []any {
		return []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}}
	}
	if chunk(choice(map[string]any{"role": "assistant", "content": ""}, nil), nil) != nil {
		return
	}
	if !s.parts(func(text string) error { return chunk(choice(map[string]any{"content": text}, nil), nil) }) {
		return
	}
	if len(calls) > 0 && chunk(choice(map[string]any{"tool_calls": calls}, nil), nil) != nil {
		return
	}
	if chunk(choice(map[string]any{}, stop), nil) != nil {
		return
	}
	var b struct {
		Options struct {
			Usage bool `json:"include_usage"`
		} `json:"stream_options"`
	}
	if json.Unmarshal(s.q.Body, &b) == nil && b.Options.Usage && !s.t.Silent {
		if chunk([]any{}, map[string]any{"usage": usage}) != nil {
			return
		}
	}
	s.send("data: [DONE]\n\n") //nolint:errcheck // the client may be gone
}
