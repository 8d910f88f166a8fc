package gateway

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"piwork/app/gateway/gatewaytest"
	"piwork/app/gateway/keys"
)

// raw sends bytes as they are, and returns the status of the first answer, 0 for
// none.
func (x *rig) raw(t *testing.T, text string) (int, string) {
	t.Helper()
	c := x.dial(t)
	if _, err := io.WriteString(c, text); err != nil {
		return 0, ""
	}
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return 0, ""
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Log(err)
	}
	return resp.StatusCode, string(b)
}

// What a hostile guest says on the wire. At most one request reaches the
// provider, with its own host, path and key.
func TestAttacksOfTheGuest(t *testing.T) {
	body := anthropicBody(false)
	post := func(path string, header ...string) string {
		return "POST " + path + " HTTP/1.1\r\nHost: 127.0.0.1:8377\r\n" + strings.Join(append(header, ""), "\r\n") + fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body)
	}
	tests := []struct {
		name   string
		text   string
		status int // 0: none, or 400 of HTTP itself
		asked  int
	}{
		{"as it should be", post("/anthropic/v1/messages"), 200, 1},
		{"another host", strings.Replace(post("/anthropic/v1/messages"), "Host: 127.0.0.1:8377", "Host: evil.example", 1), 200, 1},
		{"two hosts", post("/anthropic/v1/messages", "Host: evil.example"), 400, 0},
		{"absolute address", post("http://evil.example/anthropic/v1/messages"), 403, 0},
		{"absolute address of the provider", post("https://api.anthropic.com/v1/messages"), 403, 0},
		{"address without a scheme", post("//evil.example/anthropic/v1/messages"), 403, 0},
		{"tunnel", "CONNECT api.anthropic.com:443 HTTP/1.1\r\nHost: api.anthropic.com:443\r\n\r\n", 403, 0},
		{"dots", post("/anthropic/v1/../v1/messages"), 403, 0},
		{"dots to another provider", post("/custom/../anthropic/v1/messages"), 403, 0},
		{"encoded dots", post("/anthropic/v1/%2e%2e/v1/messages"), 403, 0},
		{"encoded slash", post("/anthropic%2fv1/messages"), 403, 0},
		{"encoded letter", post("/anthropic/v1/m%65ssages"), 403, 0},
		{"twice encoded", post("/anthropic/v1/%252e%252e/x"), 403, 0},
		{"backslash", post("/anthropic\\v1\\messages"), 403, 0},
		{"double slash", post("/anthropic//v1/messages"), 403, 0},
		{"slash at the end", post("/anthropic/v1/messages/"), 403, 0},
		{"semicolon", post("/anthropic/v1/messages;x=1"), 403, 0},
		{"at sign", post("/anthropic@evil.example/v1/messages"), 403, 0},
		{"other operation", post("/anthropic/v1/organizations/api_keys"), 403, 0},
		{"files", post("/anthropic/v1/files"), 403, 0},
		{"operation of another protocol", post("/anthropic/v1/chat/completions"), 403, 0},
		{"other method", strings.Replace(post("/anthropic/v1/messages"), "POST", "DELETE", 1), 403, 0},
		{"method in small letters", strings.Replace(post("/anthropic/v1/messages"), "POST", "post", 1), 403, 0},
		{"question in place of a body", "GET /anthropic/v1/messages HTTP/1.1\r\nHost: x\r\n\r\n", 403, 0},
		{"body of a GET", "GET /anthropic/v1/models HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nabcde", 400, 0},
		{"options", "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", 403, 0},
		{"unknown provider", post("/evil/v1/messages"), 401, 0},
		{"no provider", post("/"), 403, 0},
		{"a page of the web", post("/anthropic/v1/messages", "Origin: https://evil.example"), 403, 0},
		{"a page without an origin", post("/anthropic/v1/messages", "Origin: null"), 403, 0},
		{"a picture of a page", post("/anthropic/v1/messages", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors"), 403, 0},
		{"a tool for a page", post("/piwork/tool", "Sec-Fetch-Site: cross-site"), 403, 0},
		{"a program that fetches", post("/anthropic/v1/messages", "Sec-Fetch-Mode: cors"), 200, 1}, // Node.js
		{"key in the query", post("/anthropic/v1/messages?x-api-key=a&key=b&beta=true&access_token=c"), 200, 1},
		{"query that cannot be read", post("/anthropic/v1/messages?%zz"), 400, 0},
		{"length and chunks", "POST /anthropic/v1/messages HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n" + fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(body), body), 200, 1},
		{"chunks that are none", "POST /anthropic/v1/messages HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: identity, chunked\r\n\r\n0\r\n\r\n", 0, 0},
		{"two lengths", post("/anthropic/v1/messages", "Content-Length: 7"), 0, 0},
		{"a second request inside", strings.Replace(post("/anthropic/v1/messages", "X-Stainless-Lang: a\r\n\r\nPOST /evil HTTP/1.1"), "Content-Length", "X", 1), 400, 0},
		{"a folded header", post("/anthropic/v1/messages", "Anthropic-Beta: a\n X-Api-Key: b"), 200, 1},
		{"a header without an end", post("/anthropic/v1/messages", "Anthropic-Beta: a\rX-Api-Key: evil"), 0, 0},
		{"huge header", post("/anthropic/v1/messages", "User-Agent: "+strings.Repeat("x", 2<<20)), 0, 0},
		{"compressed body", post("/anthropic/v1/messages", "Content-Encoding: gzip"), 400, 0},
		{"upgrade", post("/anthropic/v1/messages", "Connection: Upgrade", "Upgrade: websocket"), 200, 1},
		{"every way to sign in", post("/anthropic/v1/messages", "X-Api-Key: evil", "Authorization: Bearer evil", "X-Goog-Api-Key: evil", "Api-Key: evil", "Cookie: evil",
			"Proxy-Authorization: Basic evil", "Openai-Organization: evil", "Openai-Project: evil", "X-Goog-User-Project: evil", "Anthropic-Workspace-Id: evil", "X-Forwarded-For: evil", "X-Forwarded-Host: evil", "Forwarded: evil", "Te: evil", "Connection: X-Api-Key"), 200, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			x := newRig(t, SessionOptions{}, nil)
			status, got := x.raw(t, tt.text)
			if status != tt.status && !(tt.status == 0 && status >= 400) {
				t.Errorf("status %d, want %d: %s", status, tt.status, got)
			}
			asked := x.up.Questions()
			if len(asked) != tt.asked {
				t.Errorf("the provider was asked %d times, want %d: %+v", len(asked), tt.asked, asked)
			}
			for _, q := range asked {
				if q.Key() != canary || q.Host != strings.TrimPrefix(x.up.URL, "http://") || strings.Contains(fmt.Sprint(q.Header), "evil") || string(q.Body) != body {
					t.Errorf("the provider was asked %+v", q)
				}
				if p := q.Path; p != "/v1/messages" && p != "/v1/messages?beta=true" {
					t.Errorf("path %s", p)
				}
				if c := q.Header["Connection"]; !slices.Equal(c, []string{"close"}) { // the gateway's own; none of the guest's
					t.Errorf("header Connection: %q", c)
				}
				for _, h := range []string{"Upgrade", "Cookie", "Te", "X-Forwarded-For"} {
					if q.Header.Get(h) != "" {
						t.Errorf("header %s: %s", h, q.Header.Get(h))
					}
				}
			}
			if strings.Contains(got, canary) {
				t.Error("the guest sees the key")
			}
		})
	}
}

// Bodies that are none.
func TestAttacksInBodies(t *testing.T) {
	x := newRig(t, SessionOptions{}, func(c *Config) { c.MaxBody = 1 << 20 })
	for name, tt := range map[string]struct {
		body   string
		status int
	}{
		"nothing":        {"", 400},
		"a list":         {"[]", 400},
		"no model":       {"{}", 400},
		"a model of 1":   {`{"model":1}`, 400},
		"null":           {`{"model":null}`, 400},
		"two models":     {`{"model":"a","model":"b"}`, 400},
		"hidden model":   {`{"mod\u0065l":"a","model":"b"}`, 400},
		"two values":     {`{"model":"a"}{"model":"b"}`, 400},
		"cut off":        {`{"model":"a"`, 400},
		"deep":           {`{"model":"a","x":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}`, 400},
		"many names":     {`{"model":"a"` + many(300) + `}`, 400},
		"too long":       {`{"model":"a","x":"` + strings.Repeat("x", 1<<20) + `"}`, 413},
		"stream of text": {`{"model":"a","stream":"yes"}`, 400},
		"options of 5":   {`{"model":"a","stream":true,"stream_options":5}`, 400},
	} {
		resp, body := x.post(t, "/custom/v1/chat/completions", tt.body)
		if resp.StatusCode != tt.status {
			t.Errorf("%s: %d %s", name, resp.StatusCode, body)
		}
	}
	if q := x.up.Questions(); len(q) != 0 {
		t.Errorf("the provider was asked %+v", q)
	}
}

func many(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"n%d":0`, i)
	}
	return b.String()
}

// What a hostile provider, or what stands in its place, answers.
func TestAttacksOfTheProvider(t *testing.T) {
	var evil atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { evil.Add(1) }))
	defer other.Close()
	bad := http.StatusBadGateway
	for name, tt := range map[string]struct {
		raw    func(w http.ResponseWriter, r *http.Request)
		status int
	}{
		"redirect to another host": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL+"/v1/messages", http.StatusTemporaryRedirect)
		}, 400},
		"redirect to itself": {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/v1/messages", http.StatusFound) }, 400},
		"key in the text": {func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, "you said %s, did you not? %s%s", r.Header.Get("X-Api-Key"), canary[:20], canary)
		}, 200},
		"key in parts": {func(w http.ResponseWriter, r *http.Request) {
			for i := range canary {
				fmt.Fprint(w, canary[i:i+1])
				http.NewResponseController(w).Flush()
			}
		}, 200},
		"key in an error": {func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(401)
			fmt.Fprintf(w, `{"error":{"message":"Incorrect API key provided: %s"}}`, canary)
		}, 401},
		"key in headers": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Request-Id", "for "+canary)
			w.Header().Set("X-Ratelimit-Owner", canary)
			w.Header().Set("Content-Type", "text/plain; x="+canary)
			w.Header().Set("X-Debug", canary)
		}, 200},
		"cookies and places": {func(w http.ResponseWriter, r *http.Request) {
			for _, h := range []string{"Set-Cookie", "Location", "Alt-Svc", "Www-Authenticate", "Link", "Refresh", "X-Evil", "Access-Control-Allow-Origin"} {
				w.Header().Set(h, "evil")
			}
		}, 200},
		"compressed all the same": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			fmt.Fprint(w, "x")
		}, bad},
		"huge header": {func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Request-Id", strings.Repeat("x", 1<<20)) }, bad},
		"another protocol": {func(w http.ResponseWriter, r *http.Request) {
			c, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				return
			}
			defer c.Close()
			fmt.Fprint(c, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nevil")
		}, bad},
		"no HTTP": {func(w http.ResponseWriter, r *http.Request) {
			c, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				return
			}
			defer c.Close()
			fmt.Fprintf(c, "220 mail.example ESMTP %s\r\n", canary)
		}, bad},
		"split answer": {func(w http.ResponseWriter, r *http.Request) {
			c, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				return
			}
			defer c.Close()
			fmt.Fprint(c, "HTTP/1.1 200 OK\r\nRequest-Id: a\r\n\tX-Evil: evil\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nX-Evil: evil\r\nContent-Length: 4\r\n\r\nevil")
		}, 200},
		"longer than it says": {func(w http.ResponseWriter, r *http.Request) {
			c, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				return
			}
			defer c.Close()
			fmt.Fprint(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokevil")
		}, 200},
		"early hints": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Link", "evil")
			w.WriteHeader(http.StatusEarlyHints)
			w.Header().Del("Link")
			w.WriteHeader(200)
		}, 200},
		"trailer": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Trailer", "X-Evil")
			fmt.Fprint(w, "x")
			w.Header().Set("X-Evil", "evil")
		}, 200},
	} {
		t.Run(name, func(t *testing.T) {
			x := newRig(t, SessionOptions{}, nil, gatewaytest.Turn{Raw: tt.raw})
			for range 2 { // a connection that was poisoned would show the second time
				resp, body := x.post(t, "/anthropic/v1/messages", anthropicBody(false))
				seen := fmt.Sprint(resp.Header, resp.Trailer, body)
				if resp.StatusCode != tt.status {
					t.Errorf("status %d, want %d: %s", resp.StatusCode, tt.status, body)
				}
				if strings.Contains(seen, canary) || strings.Contains(seen, base64.StdEncoding.EncodeToString([]byte(canary))) {
					t.Errorf("the key came back: %s", seen)
				}
				if h := fmt.Sprint(resp.Trailer, body, resp.Header["X-Evil"], resp.Header["Set-Cookie"], resp.Header["Location"], resp.Header["Link"], resp.Header["Alt-Svc"]); strings.Contains(h, "evil") {
					t.Errorf("passed on: %s", h)
				}
			}
			x.http.Close()
			for _, e := range x.errors {
				if strings.Contains(fmt.Sprintf("%v %+v %#v", e, *e, e), canary) {
					t.Errorf("the key is in an error: %v", e)
				}
			}
			if evil.Load() != 0 {
				t.Error("the redirect was followed")
			}
		})
	}
}

// However a text is cut, no key is left in it, and nothing else is changed.
func FuzzScrub(f *testing.F) {
	f.Add("a key sk-12345678 in sk-1234567 and sk-1234", "sk-12345678", uint8(3))
	f.Add("aaaaaaaaaaaaaaaaaab", "aaaaaaaab", uint8(1))
	f.Add("abababababababc", "abababababc", uint8(4))
	f.Fuzz(func(t *testing.T, text, key string, step uint8) {
		if len(key) < 8 || strings.Contains(key, "*") {
			t.Skip("no key: one has at least 8 bytes, and an asterisk is what it becomes")
		}
		s := newScrubber(keys.Credential{Key: keys.NewSecret(key)})
		var out strings.Builder
		for rest := []byte(text); len(rest) > 0; {
			n := min(len(rest), int(step)+1)
			out.Write(s.pass(append([]byte(nil), rest[:n]...)))
			rest = rest[n:]
		}
		out.Write(s.rest())
		if want := strings.ReplaceAll(text, key, strings.Repeat("*", len(key))); out.String() != want {
			t.Errorf("in steps of %d:\n got %q\nwant %q", int(step)+1, out.String(), want)
		}
	})
}
