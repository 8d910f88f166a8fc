package provider

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// say writes what is known of a model: "?" is nothing, "+" and "-" yes and no.
func say(a Able) string {
	three := func(b *bool) string {
		switch {
		case b == nil:
			return "?"
		case *b:
			return "+"
		}
		return "-"
	}
	return fmt.Sprintf("pictures%s thinks%s %d", three(a.Images), three(a.Thinks), a.Context)
}

// What services say of their models, each in its own way.
func TestParseModels(t *testing.T) {
	for name, tt := range map[string]struct{ in, want string }{
		"OpenAI, Ollama": {`{"object":"list","data":[{"id":"b","object":"model","owned_by":"library"},{"id":"a"}]}`, "a pictures? thinks? 0; b pictures? thinks? 0"},
		"OpenRouter": {`{"data":[{"id":"x/y","architecture":{"input_modalities":["text","image"]},"supported_parameters":["reasoning","tools"],"context_length":200000,"top_provider":{"context_length":128000}},
			{"id":"x/z","architecture":{"input_modalities":["text"]},"supported_parameters":[],"context_length":8192,"top_provider":{"context_length":null}}]}`,
			"x/y pictures+ thinks+ 128000; x/z pictures- thinks- 8192"},
		"Google":      {`{"models":[{"name":"models/gemini-x","inputTokenLimit":1048576,"thinking":true},{"name":"models/gemma","inputTokenLimit":32768}]}`, "gemini-x pictures? thinks+ 1048576; gemma pictures? thinks? 32768"},
		"Anthropic":   {`{"data":[{"type":"model","id":"claude-x","max_input_tokens":200000,"capabilities":{"image_input":{"supported":true},"thinking":{"supported":false}}}]}`, "claude-x pictures+ thinks- 200000"},
		"Mistral":     {`{"data":[{"id":"m","capabilities":{"vision":true,"reasoning":false},"max_context_length":131072}]}`, "m pictures+ thinks- 131072"},
		"vLLM":        {`{"data":[{"id":"m","max_model_len":40960}]}`, "m pictures? thinks? 40960"},
		"LM Studio":   {`{"data":[{"id":"v","type":"vlm","state":"not-loaded","max_context_length":131072},{"id":"l","type":"llm","loaded_context_length":4096,"max_context_length":8192,"capabilities":["tool_use"]}]}`, "l pictures- thinks? 4096; v pictures+ thinks? 0"},
		"llama.cpp":   {`{"models":[{"name":"m.gguf","capabilities":["completion"]},{"name":"other"}],"data":[{"id":"m.gguf","meta":{"n_ctx_train":131072}}]}`, "m.gguf pictures- thinks? 0"},
		"multimodal":  {`{"models":[{"name":"m.gguf","capabilities":["completion","multimodal"]}],"data":[{"id":"m.gguf"}]}`, "m.gguf pictures? thinks? 0"},
		"twice":       {`{"data":[{"id":"a"},{"id":"a","context_length":5}]}`, "a pictures? thinks? 5"},
		"other kinds": {`{"data":[{"id":"a","context_length":"long","capabilities":7,"architecture":[],"thinking":"yes","type":{},"supported_parameters":"all"},{"id":5},"b",null,{"id":"c d"},{"context_length":1}]}`, "a pictures? thinks? 0"},
		"too much":    {`{"data":[{"id":"a","context_length":9000000000000},{"id":"b","context_length":-1}]}`, "a pictures? thinks? 0; b pictures? thinks? 0"},
		"none":        {`{"data":[]}`, ""},
		"no list":     {`{"hello":1}`, errNoList.Error()},
		"no JSON":     {`<html>`, errNoList.Error()},
		"a list":      {`[]`, errNoList.Error()},
	} {
		list, err := ParseModels([]byte(tt.in))
		var all []string
		for _, m := range list {
			all = append(all, m.ID+" "+say(m.Able))
		}
		got := strings.Join(all, "; ")
		if err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
	many, err := json.Marshal(map[string]any{"data": slices.Repeat([]any{map[string]string{"id": strings.Repeat("a", maxModelID+1)}}, 3)})
	if err != nil {
		t.Fatal(err)
	}
	if list, err := ParseModels(many); err != nil || len(list) != 0 {
		t.Errorf("%v %v", list, err)
	}
}

func TestParseShowAndProps(t *testing.T) {
	for in, want := range map[string]string{
		`{"capabilities":["completion","vision","tools","thinking"],"parameters":"stop \"<x>\"\nnum_ctx    16384\n","model_info":{"gemma3.context_length":131072}}`: "pictures+ thinks+ 16384 true",
		`{"capabilities":["completion"],"model_info":{"llama.context_length":131072}}`:                                                                              "pictures- thinks- 0 true",
		`{"details":{}}`: "pictures? thinks? 0 false",
		`[]`:             "pictures? thinks? 0 false",
	} {
		a, ok := ParseShow([]byte(in))
		if got := fmt.Sprint(say(a), " ", ok); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
	for in, want := range map[string]string{
		`{"modalities":{"vision":true,"audio":false},"default_generation_settings":{"n_ctx":8192}}`: "pictures+ thinks? 8192 true",
		`{"modalities":{"vision":false}}`: "pictures- thinks? 0 true",
		`{"total_slots":1}`:               "pictures? thinks? 0 false",
	} {
		a, ok := ParseProps([]byte(in))
		if got := fmt.Sprint(say(a), " ", ok); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

// Whose word holds: pi's list, the service, the name.
func TestKnown(t *testing.T) {
	own := Provider{ID: "own", Protocol: OpenAI}
	for _, tt := range []struct {
		p     Provider
		model string
		said  Able
		want  string
	}{
		{builtin(t, "anthropic"), "claude-fable-5", Able{}, "pictures+ thinks+ 1000000"},
		{builtin(t, "anthropic"), "claude-fable-5", Able{Images: is(false), Context: 5}, "pictures+ thinks+ 1000000"},
		{builtin(t, "openai"), "gpt-4.1", Able{}, "pictures+ thinks- 1047576"},
		{builtin(t, "openai"), "a-new-one", Able{}, "pictures? thinks? 0"},
		{own, "openai/gpt-4.1", Able{}, "pictures? thinks? 0"},
		{own, "gpt-oss:20b", Able{}, "pictures? thinks+ 0"},
		{own, "gpt-oss:20b", Able{Thinks: is(false), Images: is(true), Context: 7}, "pictures+ thinks- 7"},
	} {
		if got := say(Known(tt.p, tt.model, tt.said)); got != tt.want {
			t.Errorf("%s %s %s: %s, want %s", tt.p.ID, tt.model, say(tt.said), got, tt.want)
		}
	}
}

func FuzzParseModels(f *testing.F) {
	f.Add([]byte(`{"models":[{"name":"m","capabilities":["completion"]}],"data":[{"id":"m","architecture":{"input_modalities":["image"]}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := ParseModels(data)
		if err != nil && list != nil || len(list) > maxListed || !slices.IsSortedFunc(list, func(a, b Model) int { return strings.Compare(a.ID, b.ID) }) {
			t.Errorf("%v %v", list, err)
		}
		for _, m := range list {
			if m.ID == "" || len(m.ID) > maxModelID || m.Context < 0 || m.Context > maxContext {
				t.Errorf("%+v", m)
			}
		}
	})
}
