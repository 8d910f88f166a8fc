package provider

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
)

// Bounds on a list of models.
const (
	maxListed  = 4096
	maxModelID = 200     // bytes
	maxContext = 1 << 30 // tokens; more is no number of tokens
)

// errNoList says that an answer is no list of models.
var errNoList = errors.New("not a list of models")

// ParseModels reads a list of models, of any protocol, sorted by id, with what it
// says of each. Services say that in ways of their own; of one whose way is not
// known nothing is known:
//
//   - OpenRouter: architecture.input_modalities, supported_parameters, context_length
//   - Google: inputTokenLimit, thinking
//   - Anthropic: max_input_tokens, capabilities.image_input and .thinking
//   - Mistral: capabilities.vision and .reasoning, max_context_length
//   - Groq: context_window; vLLM: max_model_len; Together: context_length
//   - LM Studio (/api/v0/models): type, loaded_context_length
//   - llama.cpp: in "models" capabilities
//
// The most that a model could do where it runs with less is not its context. The
// error is [errNoList].
func ParseModels(data []byte) ([]Model, error) {
	var l struct {
		Data   *[]json.RawMessage `json:"data"`
		Models *[]json.RawMessage `json:"models"` // Google's; llama.cpp has both
	}
	if json.Unmarshal(data, &l) != nil || l.Data == nil && l.Models == nil {
		return nil, errNoList
	}
	all := list{}
	entries := func(list *[]json.RawMessage, name string, known bool) {
		if list == nil {
			return
		}
		for _, raw := range *list {
			e := object(raw)
			all.add(strings.TrimPrefix(e.text(name), "models/"), e.able(), known)
		}
	}
	entries(l.Data, "id", false)
	entries(l.Models, "name", l.Data != nil)
	return all.sorted(), nil
}

// list is what was read of models, by id.
type list map[string]Able

// add takes a model with a name that can be one. With known it has to be there before.
func (l list) add(id string, a Able, known bool) {
	if id == "" || len(id) > maxModelID || strings.ContainsFunc(id, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return
	}
	before, ok := l[id]
	if ok || !known && len(l) < maxListed {
		l[id] = before.Or(a)
	}
}

func (l list) sorted() []Model {
	out := make([]Model, 0, len(l))
	for id, a := range l {
		out = append(out, Model{id, a})
	}
	slices.SortFunc(out, func(a, b Model) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// ParseShow reads what Ollama says of one model (POST /api/show). Its context is
// known only where the model was given one: the most it could have is not what
// Ollama runs it with.
func ParseShow(data []byte) (Able, bool) {
	o := object(data)
	list := o.texts("capabilities")
	if list == nil {
		return Able{}, false
	}
	a := Able{Images: is(slices.Contains(list, "vision")), Thinks: is(slices.Contains(list, "thinking"))}
	for line := range strings.Lines(o.text("parameters")) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == "num_ctx" {
			n, _ := strconv.ParseInt(f[1], 10, 64) // 0 is "not known"
			a.Context = tokens(n)
		}
	}
	return a, true
}

// ParseProps reads what a llama.cpp server says of the model it has (GET /props).
func ParseProps(data []byte) (Able, bool) {
	o := object(data)
	modes := object(o["modalities"])
	if modes == nil {
		return Able{}, false
	}
	return Able{Images: modes.flag("vision"), Context: object(o["default_generation_settings"]).number("n_ctx")}, true
}

// said is an object of a service, whose members may be of any kind.
type said map[string]json.RawMessage

func object(raw []byte) said {
	var o said
	if json.Unmarshal(raw, &o) != nil {
		return nil
	}
	return o
}

func (o said) text(name string) (s string) {
	if json.Unmarshal(o[name], &s) != nil {
		return ""
	}
	return s
}

// texts is nil where there are none.
func (o said) texts(name string) (s []string) {
	if json.Unmarshal(o[name], &s) != nil {
		return nil
	}
	return s
}

func (o said) flag(name string) (b *bool) {
	if json.Unmarshal(o[name], &b) != nil {
		return nil
	}
	return b
}

// number is the first of the names that is a number of tokens.
func (o said) number(names ...string) int64 {
	for _, name := range names {
		var n int64
		if json.Unmarshal(o[name], &n) == nil && tokens(n) > 0 {
			return n
		}
	}
	return 0
}

func (o said) able() Able {
	var a Able
	arch, can := object(o["architecture"]), object(o["capabilities"])
	list := o.texts("capabilities")
	for _, in := range [][]string{arch.texts("input_modalities"), o.texts("input_modalities")} {
		if a.Images == nil && in != nil {
			a.Images = is(slices.Contains(in, "image"))
		}
	}
	switch kind := o.text("type"); {
	case kind == "vlm" || kind == "llm": // LM Studio's
		a.Images = is(kind == "vlm")
		a.Context = o.number("loaded_context_length")
	default:
		a.Context = object(o["top_provider"]).number("context_length")
		if a.Context == 0 {
			a.Context = o.number("context_length", "context_window", "max_context_length", "max_model_len", "max_input_tokens", "inputTokenLimit")
		}
	}
	switch {
	case a.Images != nil:
	case can != nil:
		if a.Images = can.flag("vision"); a.Images == nil {
			a.Images = object(can["image_input"]).flag("supported")
		}
	case slices.Contains(list, "vision"):
		a.Images = is(true)
	case slices.Contains(list, "completion") && !slices.Contains(list, "multimodal"): // llama.cpp's; multimodal may be sound
		a.Images = is(false)
	}
	switch params := o.texts("supported_parameters"); {
	case params != nil:
		a.Thinks = is(slices.Contains(params, "reasoning"))
	case can != nil:
		if a.Thinks = can.flag("reasoning"); a.Thinks == nil {
			a.Thinks = object(can["thinking"]).flag("supported")
		}
	default:
		a.Thinks = o.flag("thinking")
	}
	return a
}

func is(b bool) *bool { return &b }

// tokens is n where it can be a number of tokens, or 0.
func tokens(n int64) int64 {
	if n < 0 || n > maxContext {
		return 0
	}
	return n
}
