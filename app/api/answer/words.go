package answer

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"piwork/app/approval"
	"piwork/app/chore"
	"piwork/app/consent"
	"piwork/app/machines"
	"piwork/app/models"
	"piwork/app/policy"
	"piwork/app/problem"
	"piwork/app/runtimepack/updater"
	"piwork/app/runtimes"
	"piwork/app/saved"
	"piwork/app/services"
	"piwork/app/setup"
	"piwork/app/task"
	"piwork/app/upkeep"
	"piwork/app/words"
	"piwork/pack/tools"
	"piwork/vmhost"
	"piwork/vmhost/share/journal"
)

// What people read is rendered here, where answers leave: whatever has a code gets
// its words beside it (app/words). Records below this package have codes alone.

type languageKey struct{}

// WithLanguage remembers which words a request asks for by its Accept-Language.
func WithLanguage(r *http.Request) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), languageKey{}, words.For(r.Header.Get("Accept-Language"))))
}

// Language is the words that a request asked for.
func Language(ctx context.Context) *words.Catalogue {
	if c, ok := ctx.Value(languageKey{}).(*words.Catalogue); ok {
		return c
	}
	return words.For("")
}

// TransformInWords is the transformer of every answer that huma writes.
func TransformInWords(ctx huma.Context, _ string, v any) (any, error) {
	return InWords(Language(ctx.Context()), v), nil
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
		speakEvent(c, v)
	case *task.Task:
		c.Task(v)
	case *updater.State:
		v.Said = c.Name("update-phase", string(v.Phase))
	case *setup.Check:
		v.Said = c.Name("check", v.Code)
	case *machines.WarmStart:
		v.Said = c.Because("instant", string(v.State), string(v.Reason))
	case *machines.Share:
		v.Said = c.Because("share", string(v.Kind), string(v.Reason))
	case *runtimes.Status:
		v.Title, v.Text = c.Name("runtime", v.Kind), c.Name("runtime-about", v.Kind)
	case *vmhost.Engine:
		c.Engine(v)
	case *runtimes.Verdict:
		v.Text = words.PlaceReason(c, string(v.Reason), v.Lacks, v.Rule)
	case *upkeep.StorageItem:
		v.Said = c.Name("storage", string(v.What))
	case *models.KeyTest:
		v.Said = words.KeyReason(c, v.Reason)
	case *services.TaskRequest:
		v.Said = c.Name("request-reason", v.Reason)
	case *journal.Conflict:
		v.Said = c.Name("conflict", string(v.Reason))
	case *vmhost.Question:
		c.Question(v)
	case *approval.Rule:
		c.Rule(v)
	case *policy.WrittenRule:
		words.PolicyRule(c, v)
	case *policy.Proposal:
		words.PolicyProposal(c, v)
	case *policy.RuleException:
		words.PolicyException(c, v)
	case *policy.RuleFault:
		words.PolicyFault(c, v, v.Path != "")
	case *consent.Explanation:
		v.Said = words.PolicyDecision(c, v.Decision)
	case *consent.NetworkPreset:
		v.Title = c.Name("preset", v.Code)
	case *saved.SavedChore:
		if v.Runtime != "" {
			v.Where = c.Name("names.where", v.Runtime)
		}
	case *chore.Info:
		c.Chore(v)
	case *chore.Plan:
		c.Plan(v)
	case *tools.Description:
		c.Tool(v)
	}
}

// speakEvent gives words to an event. As it was read from a timeline, its data is JSON;
// members that this program does not know stay.
func speakEvent(c *words.Catalogue, e *task.Event) {
	var raw []byte
	switch d := e.Data.(type) {
	case json.RawMessage:
		raw = d
	case map[string]any:
		raw, _ = json.Marshal(d)
	default:
		c.Event(e)
		return
	}
	t := EventData(e.Kind)
	if t == nil {
		return
	}
	v := reflect.New(t)
	if json.Unmarshal(raw, v.Interface()) != nil {
		return
	}
	typed := task.Event{Data: InWords(c, NoNull(v.Elem().Interface()))}
	c.Event(&typed)
	e.Said = typed.Said
	if shown, err := json.Marshal(typed.Data); err == nil {
		e.Data = merged(jsonValue(raw), jsonValue(shown))
	}
}

func jsonValue(raw []byte) (v any) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	_ = d.Decode(&v)
	return v
}

// merged is stored with the members of shown.
func merged(stored, shown any) any {
	switch shown := shown.(type) {
	case map[string]any:
		if into, ok := stored.(map[string]any); ok {
			for name, v := range shown {
				into[name] = merged(into[name], v)
			}
			return into
		}
	case []any:
		if into, ok := stored.([]any); ok && len(into) == len(shown) {
			for i, v := range shown {
				into[i] = merged(into[i], v)
			}
			return into
		}
	}
	return shown
}
