package gateway

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/klauspost/compress/zstd"

	"piwork/app/gateway/keys"
)

// zstded is text as pi sends it to ChatGPT.
func zstded(t *testing.T, text []byte, o ...zstd.EOption) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil, o...)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	return w.EncodeAll(text, nil)
}

// streamed is text whose frame does not say how long it is.
func streamed(t *testing.T, text []byte, o ...zstd.EOption) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b, o...)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(text[:len(text)/2]); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(text[len(text)/2:]); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Bodies that are compressed: unpacked where pi does so, within the bounds of others,
// and looked at as they are.
func TestCompressedBody(t *testing.T) {
	const body = `{"model":"gpt-5.6-sol","stream":true,"input":[]}`
	const limit = 1 << 20
	var gz bytes.Buffer
	zw := gzip.NewWriter(&gz)
	zw.Write([]byte(body))
	zw.Close()
	// Half a megabyte of spaces, so that a frame of a size of its own has one.
	long := append([]byte(body[:len(body)-1]), append(bytes.Repeat([]byte(" "), limit/2), '}')...)
	for name, tt := range map[string]struct {
		provider string
		encoding []string
		body     []byte
		want     int
	}{
		"plain":             {"openai-codex", nil, []byte(body), 200},
		"identity":          {"openai-codex", []string{"identity"}, []byte(body), 200},
		"zstd":              {"openai-codex", []string{"zstd"}, zstded(t, []byte(body)), 200},
		"streamed":          {"openai-codex", []string{"zstd"}, streamed(t, long), 200},
		"two frames":        {"openai-codex", []string{"zstd"}, append(zstded(t, []byte(body[:20])), zstded(t, []byte(body[20:]))...), 200},
		"hosted, inside":    {"openai-codex", []string{"zstd"}, zstded(t, []byte(`{"model":"gpt-5.6-sol","tools":[{"type":"web_search"}]}`)), 403},
		"a bomb":            {"openai-codex", []string{"zstd"}, streamed(t, bytes.Repeat([]byte(" "), 64*limit)), 413},
		"a bomb of a size":  {"openai-codex", []string{"zstd"}, zstded(t, bytes.Repeat([]byte(" "), 64*limit)), 413},
		"a large window":    {"openai-codex", []string{"zstd"}, streamed(t, long, zstd.WithWindowSize(2*maxWindow)), 400},
		"cut":               {"openai-codex", []string{"zstd"}, zstded(t, []byte(body))[:20], 400},
		"changed":           {"openai-codex", []string{"zstd"}, append(zstded(t, []byte(body))[:40], 1, 2, 3, 4), 400},
		"something behind":  {"openai-codex", []string{"zstd"}, append(zstded(t, []byte(body)), "more"...), 400},
		"not compressed":    {"openai-codex", []string{"zstd"}, []byte(body), 400},
		"nothing":           {"openai-codex", []string{"zstd"}, nil, 400},
		"twice":             {"openai-codex", []string{"zstd", "zstd"}, zstded(t, zstded(t, []byte(body))), 400},
		"gzip":              {"openai-codex", []string{"gzip"}, gz.Bytes(), 400},
		"another provider":  {"kimi-coding", []string{"zstd"}, zstded(t, []byte(body)), 400},
		"compressed, plain": {"openai-codex", nil, zstded(t, []byte(body)), 400},
	} {
		t.Run(name, func(t *testing.T) {
			var got []byte
			srv := newLogin(t, keys.Credential{Provider: tt.provider, Access: keys.NewSecret(canary)}, func(w http.ResponseWriter, r *http.Request) {
				got, _ = io.ReadAll(r.Body)
				if r.Header.Get("Content-Encoding") != "" {
					t.Errorf("sent on as %v", r.Header)
				}
			})
			srv.c.MaxBody, srv.c.MaxRoom = limit, 4*limit
			path := "/openai-codex/v1/codex/responses"
			if tt.provider != "openai-codex" {
				path = "/" + tt.provider + "/v1/chat/completions"
			}
			r := httptest.NewRequest(http.MethodPost, path, bytes.NewReader(tt.body))
			r.Header["Content-Encoding"] = tt.encoding
			w := httptest.NewRecorder()
			srv.Session(SessionOptions{}).Handler().ServeHTTP(w, r)
			if w.Code != tt.want || (got != nil) != (tt.want == 200) {
				t.Fatalf("%d %s", w.Code, w.Body)
			}
			if tt.want == 200 && !slices.Equal(bytes.ReplaceAll(got, []byte(" "), nil), []byte(body)) {
				t.Errorf("sent on %.100s", got)
			}
		})
	}
}

// endedStore is a place of keys that looks whether a request is over.
type endedStore struct{ keys.Memory }

func (*endedStore) List(ctx context.Context) ([]keys.Info, error) { return nil, ctx.Err() }

// A request that ended says nothing of the place where keys are kept.
func TestProvidersOfARequestThatEnded(t *testing.T) {
	g, err := New(Config{Keys: &keys.Source{Store: &endedStore{}}})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	why := errors.New("the program is ending")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	if _, err := g.Providers(ctx); !errors.Is(err, why) {
		t.Error(err)
	}
}
