package gateway

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"piwork/app/gateway/gatewaytest"
	"piwork/app/gateway/keys"
)

// BenchmarkAnswer is an answer with and without the gateway: a short one for what
// it adds to the first byte, a long one for what passes. `scripts/bench gateway`
// measures it through a machine's port.
func BenchmarkAnswer(b *testing.B) {
	for name, turn := range map[string]gatewaytest.Turn{"short": gatewaytest.Paced(1, 0), "bulk": gatewaytest.Bulk(32 << 20)} {
		up := gatewaytest.New("", turn)
		defer up.Close()
		m := &keys.Memory{}
		if err := m.Set(b.Context(), keys.Credential{Provider: "anthropic", Kind: keys.KindKey, Key: keys.NewSecret(canary), BaseURL: up.URL}); err != nil {
			b.Fatal(err)
		}
		g, err := New(Config{Keys: &keys.Source{Store: m}})
		if err != nil {
			b.Fatal(err)
		}
		srv := httptest.NewServer(g.Session(SessionOptions{}).Handler())
		defer srv.Close()
		// A conversation that has gone on for a while.
		body := strings.Replace(anthropicBody(true), "secret words", strings.Repeat("secret words ", 20_000), 1)
		for way, url := range map[string]string{"direct": up.URL + "/v1/messages", "gateway": srv.URL + "/anthropic/v1/messages"} {
			b.Run(name+"/"+way, func(b *testing.B) {
				for b.Loop() {
					resp, err := http.Post(url, "application/json", strings.NewReader(body))
					if err != nil {
						b.Fatal(err)
					}
					n, err := io.Copy(io.Discard, resp.Body)
					if err != nil || resp.StatusCode != http.StatusOK {
						b.Fatal(resp.Status, err)
					}
					b.SetBytes(n)
					resp.Body.Close()
				}
			})
		}
	}
}
