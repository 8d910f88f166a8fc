package api

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"piwork/app/chore"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/words"
	"piwork/pack/tools"
)

// What people read is rendered here, where answers leave: whatever has a code gets
// its words beside it (app/words). Records below this package have codes alone.

type languageKey struct{}

// withLanguage remembers which words a request asks for by its Accept-Language.
func withLanguage(r *http.Request) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), languageKey{}, words.For(r.Header.Get("Accept-Language"))))
}

// language is the words that a request asked for.
func language(ctx context.Context) *words.Catalogue {
	if c, ok := ctx.Value(languageKey{}).(*words.Catalogue); ok {
		return c
	}
	return words.For("")
}

// inWords is the transformer of every answer that huma writes.
func inWords(ctx huma.Context, _ string, v any) (any, error) {
	return InWords(language(ctx.Context()), v), nil
}

// InWords returns a copy of v with the words of c wherever there is a code.
func InWords[T any](c *words.Catalogue, v T) T {
	out, _ := filler{func(v reflect.Value) { speak(c, v.Addr().Interface()) }}.copied(v).(T)
	return out
}

// speak gives words to one struct.
func speak(c *words.Catalogue, v any) {
	switch v := v.(type) {
	case *problem.Problem:
		c.Problem(v)
	case *Error:
		v.Title, v.Detail = v.Problem.Title, v.Problem.Detail
	case *task.Event:
		speakStored(c, v)
	case *task.Task:
		c.Task(v)
	case *chore.Info:
		c.Chore(v)
	case *chore.Plan:
		c.Plan(v)
	case *tools.Description:
		c.Tool(v)
	}
}

// speakStored gives words to an event as it was read from a timeline, whose data is
// what JSON made of it; members that this program does not know stay.
func speakStored(c *words.Catalogue, e *task.Event) {
	data, ok := e.Data.(map[string]any)
	if e.Kind == task.EventState {
		data, ok = data["error"].(map[string]any)
	}
	if !ok || e.Kind != task.EventState && e.Kind != task.EventProblem {
		return
	}
	var p problem.Problem
	if raw, err := json.Marshal(data); err != nil || json.Unmarshal(raw, &p) != nil {
		return
	}
	c.Problem(&p)
	if raw, err := json.Marshal(p); err == nil {
		_ = json.Unmarshal(raw, &data) // adds to the map
	}
}
