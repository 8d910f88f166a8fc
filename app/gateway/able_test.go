package gateway

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"piwork/app/gateway/keys"
	"piwork/app/gateway/provider"
)

// Servers on this computer are asked in their own ways what their models can do.
func TestAble(t *testing.T) {
	patient(t, &ableTimeout)
	list := `{"data":[{"id":"sees"},{"id":"blind"}]}`
	show := func(body string) string {
		if strings.Contains(body, `"sees"`) {
			return `{"capabilities":["completion","vision","thinking"]}`
		}
		return `{"capabilities":["completion"],"parameters":"num_ctx 8192"}`
	}
	for name, tt := range map[string]struct {
		answers map[string]func(body string) string
		asked   string
		want    string
	}{
		"Ollama": {map[string]func(string) string{"POST /api/show": show}, "GET /api/v0/models GET /props GET /v1/models POST /api/show POST /api/show",
			`[{"ID":"blind","images":false,"thinks":false,"context":8192},{"ID":"sees","images":true,"thinks":true}]`},
		"LM Studio": {map[string]func(string) string{"GET /api/v0/models": func(string) string {
			return `{"data":[{"id":"sees","type":"vlm","loaded_context_length":4096},{"id":"blind","type":"llm"},{"id":"third","type":"llm"}]}`
		}}, "GET /api/v0/models GET /v1/models", `[{"ID":"blind","images":false},{"ID":"sees","images":true,"context":4096}]`},
		"llama.cpp": {map[string]func(string) string{
			"GET /v1/models": func(string) string {
				return `{"models":[{"name":"m","capabilities":["completion","multimodal"]}],"data":[{"id":"m"}]}`
			},
			"GET /props": func(string) string {
				return `{"modalities":{"vision":true},"default_generation_settings":{"n_ctx":16384}}`
			},
		}, "GET /api/v0/models GET /props GET /v1/models", `[{"ID":"m","images":true,"context":16384}]`},
		"says nothing more": {nil, "GET /api/v0/models GET /props GET /v1/models POST /api/show", `[{"ID":"blind"},{"ID":"sees"}]`},
		"is silent": {map[string]func(string) string{
			"GET /api/v0/models": func(string) string { panic(http.ErrAbortHandler) }, "GET /props": func(string) string { return "<html>" },
			"POST /api/show": func(string) string { return `{"details":{}}` },
		}, "GET /api/v0/models GET /props GET /v1/models POST /api/show", `[{"ID":"blind"},{"ID":"sees"}]`},
	} {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			var asked []string
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				if err != nil {
					return
				}
				what := r.Method + " " + r.URL.Path
				mu.Lock()
				if !slices.Contains(asked, what) || r.Method == http.MethodPost { // one that is cut off is asked again
					asked = append(asked, what)
				}
				mu.Unlock()
				switch f, ok := tt.answers[what]; {
				case ok:
					_, _ = io.WriteString(w, f(string(body)))
				case what == "GET /v1/models":
					_, _ = io.WriteString(w, list)
				default:
					http.NotFound(w, r)
				}
			}))
			defer s.Close()
			g := one(t, keys.Credential{Provider: "mine", Kind: keys.KindNone, BaseURL: s.URL + "/v1", Protocol: string(provider.OpenAI)}, TransportOptions{Proxy: "direct"})
			models, err := g.Models(t.Context(), "mine")
			if err != nil {
				t.Fatal(err)
			}
			got, err := json.Marshal(models)
			if err != nil {
				t.Fatal(err)
			}
			slices.Sort(asked)
			if string(got) != tt.want || strings.Join(asked, " ") != tt.asked {
				t.Errorf("%s, want %s; asked %q", got, tt.want, asked)
			}
		})
	}
}
