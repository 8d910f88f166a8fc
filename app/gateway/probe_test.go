package gateway

import (
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"piwork/app/gateway/gatewaytest"
	"piwork/app/gateway/keys"
	"piwork/app/gateway/provider"
)

// one is a gateway with one provider, reached in a way.
func one(t *testing.T, c keys.Credential, o TransportOptions) *Gateway {
	t.Helper()
	tr, err := NewTransport(o)
	if err != nil {
		t.Fatal(err)
	}
	m := &keys.Memory{}
	if err := m.Set(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	g, err := New(Config{Keys: &keys.Source{Store: m, Client: &http.Client{}}, Transport: tr})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	return g
}

func key(base string) keys.Credential {
	return keys.Credential{Provider: "mine", Kind: keys.KindKey, Key: keys.NewSecret(canary), BaseURL: base, Protocol: "openai"}
}

// What the test of a key says, for each thing that can be wrong.
func TestTest(t *testing.T) {
	good := gatewaytest.New(canary)
	defer good.Close()
	says := func(status int, body string) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if status == 302 {
				http.Redirect(w, r, good.URL, status)
				return
			}
			w.WriteHeader(status)
			io.WriteString(w, body)
		}))
		t.Cleanup(s.Close)
		return s.URL
	}
	secure := gatewaytest.NewTLS(canary)
	defer secure.Close()
	for name, tt := range map[string]struct {
		base, key string
		code      Code
	}{
		"good":             {base: good.URL + "/v1"},
		"wrong key":        {good.URL + "/v1", "sk-another-0123456789", CodeKeyRefused},
		"no money":         {says(402, "{}"), "", CodeNoCredit},
		"no quota":         {says(429, `{"error":{"code":"insufficient_quota"}}`), "", CodeNoCredit},
		"not for this":     {says(403, "{}"), "", CodeDenied},
		"too often":        {says(429, "{}"), "", CodeLimited},
		"broken":           {says(500, ""), "", CodeOverloaded},
		"another server":   {says(200, "<html>hello"), "", CodeNotProvider},
		"nothing there":    {says(404, "not found"), "", CodeNotProvider},
		"sent on":          {says(302, ""), "", CodeRedirect},
		"nobody":           {gatewaytest.Refusing, "", CodeUnreachable},
		"unknown name":     {"https://models.invalid/v1", "", CodeUnreachable},
		"not trusted":      {secure.URL + "/v1", "", CodeUntrusted},
		"https to http":    {strings.Replace(good.URL, "http:", "https:", 1), "", CodeNotProvider},
		"http to https":    {strings.Replace(secure.URL, "https:", "http:", 1), "", CodeBadRequest},
		"google, by words": {says(400, `{"error":{"details":[{"reason":"API_KEY_INVALID"}]}}`), "", CodeKeyRefused},
	} {
		c := key(tt.base)
		if tt.key != "" {
			c.Key = keys.NewSecret(tt.key)
		}
		err := one(t, c, TransportOptions{Proxy: "direct"}).Test(t.Context(), "mine")
		e, ok := errors.AsType[*Error](err)
		if ok != (tt.code != "") || ok && (e.Code != tt.code || e.Provider != "mine") {
			t.Errorf("%s: %v, want %q", name, err, tt.code)
		}
		if err != nil && strings.Contains(err.Error(), c.Key.Reveal()) {
			t.Errorf("%s: the key is in %v", name, err)
		}
	}
	g := one(t, key(good.URL+"/v1"), TransportOptions{Proxy: "direct"})
	if e, ok := errors.AsType[*Error](g.Test(t.Context(), "openai")); !ok || e.Code != CodeNoKey {
		t.Errorf("no key: %v", e)
	}
	if list, err := g.Models(t.Context(), "mine"); err != nil || !reflect.DeepEqual(provider.IDs(list), []string{gatewaytest.AnthropicModel, gatewaytest.OpenAIModel}) {
		t.Errorf("models %v, %v", list, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := g.Test(ctx, "mine"); err == nil {
		t.Error("a test that was ended is good")
	}
}

// The computer's own authorities, and files with more of them.
func TestAuthorities(t *testing.T) {
	s := gatewaytest.NewTLS(canary)
	defer s.Close()
	r, err := s.Client().Get(s.URL + "/v1/models")
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: r.TLS.PeerCertificates[0].Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := one(t, key(s.URL+"/v1"), TransportOptions{CAFiles: []string{file}}).Test(t.Context(), "mine"); err != nil {
		t.Errorf("with a file: %v", err)
	}
	t.Setenv("SSL_CERT_FILE", file)
	if err := one(t, key(s.URL+"/v1"), TransportOptions{}).Test(t.Context(), "mine"); err != nil {
		t.Errorf("with SSL_CERT_FILE: %v", err)
	}
	broken := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: []byte("none")})
	other := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: r.TLS.PeerCertificates[0].Raw})
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	written := func(name string, data ...[]byte) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, slices.Concat(data...), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	some := written("some", broken, other, good)
	if err := one(t, key(s.URL+"/v1"), TransportOptions{CAFiles: []string{some}}).Test(t.Context(), "mine"); err != nil {
		t.Errorf("with a file of which a part cannot be used: %v", err)
	}
	for _, bad := range []string{filepath.Join(t.TempDir(), "none"), os.Args[0], written("empty"), written("broken", broken), written("other", other)} {
		if _, err := NewTransport(TransportOptions{CAFiles: []string{bad}}); err == nil {
			t.Errorf("%s is taken", bad)
		}
	}
}

// Requests go through the proxy, which sees a tunnel and no key; what it refuses
// is told as such.
func TestProxy(t *testing.T) {
	var status atomic.Int64
	var seen atomic.Value
	p := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen.Store(fmt.Sprint(r.Method, " ", r.Host, " ", r.Header))
		w.WriteHeader(int(status.Load()))
	}))
	defer p.Close()
	for _, n := range []int{403, 407, 502} {
		status.Store(int64(n))
		err := one(t, key("https://models.example/v1"), TransportOptions{Proxy: p.URL}).Test(t.Context(), "mine")
		if e, ok := errors.AsType[*Error](err); !ok || e.Code != CodeProxy {
			t.Errorf("status %d: %v", n, err)
		}
		if s, _ := seen.Load().(string); !strings.HasPrefix(s, "CONNECT models.example:443") || strings.Contains(s, canary) {
			t.Errorf("the proxy sees %s", s)
		}
	}
	err := one(t, key("https://models.example/v1"), TransportOptions{Proxy: gatewaytest.Refusing}).Test(t.Context(), "mine")
	if e, ok := errors.AsType[*Error](err); !ok || e.Code != CodeProxy {
		t.Errorf("a proxy that is not there: %v", err)
	}
	if _, err := NewTransport(TransportOptions{Proxy: "ftp://x"}); err == nil {
		t.Error("a proxy of an unknown kind")
	}
	t.Setenv("HTTPS_PROXY", p.URL)
	if e, ok := errors.AsType[*Error](one(t, key("https://models.example/v1"), TransportOptions{}).Test(t.Context(), "mine")); !ok || e.Code != CodeProxy {
		t.Errorf("the environment's proxy: %v", e)
	}
}

// A login whose access is refused is renewed, and the request sent once more.
func TestLoginIsRenewed(t *testing.T) {
	var renewals atomic.Int64
	ends := http.StatusOK
	tokens := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		renewals.Add(1)
		w.WriteHeader(ends)
		io.WriteString(w, `{"access_token":"`+canary+`","refresh_token":"refresh-canary-1","expires_in":3600}`)
	}))
	defer tokens.Close()
	source := func(up string) *keys.Source {
		m := &keys.Memory{}
		if err := m.Set(t.Context(), keys.Credential{Provider: "anthropic", Kind: keys.KindOAuth, Access: keys.NewSecret("access-canary-0"), Refresh: keys.NewSecret("refresh-canary-0"),
			Expires: time.Now().Add(time.Hour), BaseURL: up}); err != nil {
			t.Fatal(err)
		}
		return &keys.Source{Store: m, Endpoints: map[string]keys.Endpoint{"anthropic": {TokenURL: tokens.URL}}}
	}
	up := gatewaytest.New("", gatewaytest.Turn{Status: 401, Message: "expired"}, gatewaytest.Turn{Parts: []string{"hello refresh-canary-1"}})
	defer up.Close()
	x := newRig(t, SessionOptions{}, func(c *Config) { c.Keys = source(up.URL) })
	resp, body := x.post(t, "/anthropic/v1/messages", anthropicBody(true))
	if resp.StatusCode != 200 || renewals.Load() != 1 || strings.Contains(body, "refresh-canary") || !strings.Contains(body, "hello") {
		t.Errorf("status %d after %d renewals: %s", resp.StatusCode, renewals.Load(), body)
	}
	q := up.Questions()
	if len(q) != 2 || q[0].Key() != "access-canary-0" || q[1].Key() != canary || string(q[0].Body) != string(q[1].Body) {
		t.Errorf("asked %+v", q)
	}
	// Being listed renews nothing.
	if all, err := x.g.Providers(t.Context()); err != nil || len(all) != 1 || !all[0].Login || renewals.Load() != 1 {
		t.Errorf("listed %+v, %v after %d renewals", all, err, renewals.Load())
	}
	// Refused again, it is over: no loop.
	up.Script(gatewaytest.Turn{Status: 401, Message: "no"})
	if resp, _ = x.post(t, "/anthropic/v1/messages", anthropicBody(true)); resp.StatusCode != 401 || len(up.Questions()) != 4 || renewals.Load() != 2 {
		t.Errorf("status %d after %d questions and %d renewals", resp.StatusCode, len(up.Questions()), renewals.Load())
	}
	// A login that has ended says so.
	ends = http.StatusBadRequest
	x = newRig(t, SessionOptions{}, func(c *Config) { c.Keys = source(up.URL) })
	if resp, body = x.post(t, "/anthropic/v1/messages", anthropicBody(true)); resp.StatusCode != 401 || !strings.Contains(body, `"code":"login-ended"`) {
		t.Errorf("status %d: %s", resp.StatusCode, body)
	}
}

// patient gives a server that answers more time, on a busy computer.
func patient(t *testing.T, bound *time.Duration) {
	usual := *bound
	*bound = time.Minute
	t.Cleanup(func() { *bound = usual })
}

// Servers on this computer that list models are found; others are not, nor are
// those that are elsewhere.
func TestDetect(t *testing.T) {
	ollama, web := gatewaytest.New(""), httptest.NewServer(http.NotFoundHandler())
	defer ollama.Close()
	defer web.Close()
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer silent.Close()
	if got := Detect(t.Context(), Place{"silent", "Silent", silent.URL}); len(got) != 0 {
		t.Errorf("found %+v", got)
	}
	patient(t, &detectTimeout) // those that answer
	got := Detect(t.Context(), Place{"z", "Z", ollama.URL + "/v1"}, Place{"ollama", "Ollama", ollama.URL + "/v1"}, Place{"web", "Web", web.URL},
		Place{"nobody", "Nobody", gatewaytest.Refusing}, Place{"far", "Far", "https://models.example/v1"})
	if len(got) != 2 || got[0].ID != "ollama" || got[1].ID != "z" || len(got[0].Models) != 2 {
		t.Errorf("found %+v", got)
	}
	p, err := provider.For(got[0].Credential().Info(""))
	if err != nil || !p.Local || p.BaseURL != ollama.URL+"/v1" {
		t.Errorf("%+v, %v", p, err)
	}
	for _, p := range Places() {
		if q, err := (provider.Provider{ID: p.ID, Protocol: provider.OpenAI, BaseURL: p.BaseURL}).Check(); err != nil || !q.Local {
			t.Errorf("%+v: %v", q, err)
		}
	}
}

// What is known of prices without being told.
func TestPrice(t *testing.T) {
	g := one(t, key("https://models.example/v1"), TransportOptions{})
	own := provider.Builtin()[0]
	moved, local := own, own
	moved.BaseURL = "https://else.example"
	local.Local = true
	for name, tt := range map[string]struct {
		p     provider.Provider
		model string
		cost  float64
		known bool
	}{
		"own":     {own, "claude-sonnet-5", 2, true},
		"unknown": {own, "claude-2", 0, false},
		"moved":   {moved, "claude-sonnet-5", 0, false},
		"local":   {local, "claude-sonnet-5", 0, true},
	} {
		if p, known := g.Price(tt.p, tt.model); known != tt.known || p.Input != tt.cost {
			t.Errorf("%s: %+v, %v", name, p, known)
		}
	}
}

// The computer's authorities are read by the first request, and not by the end of a gateway
// that nobody used.
func TestTransportIsMadeWhenUsed(t *testing.T) {
	s := gatewaytest.New(canary)
	defer s.Close()
	tr, err := NewTransport(TransportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	lazy := tr.(*lazyTransport)
	lazy.CloseIdleConnections()
	if lazy.built.Load() != nil {
		t.Error("it is made without a request")
	}
	for range 2 {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/v1/models", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := tr.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
	}
	if lazy.built.Load() == nil || lazy.build != nil {
		t.Error("it is made by each request")
	}
}
