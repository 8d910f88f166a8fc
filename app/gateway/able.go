package gateway

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"piwork/app/gateway/keys"
	"piwork/app/gateway/provider"
)

// Bounds on asking a server on this computer what its models can do. It answers in a
// few milliseconds.
var ableTimeout = 3 * time.Second

const (
	ableModels = 128
	ableAtOnce = 4
)

// ask asks a server of models on this computer, in ways of its own, what is not in its
// OpenAI-compatible list, and fills it in. Who does not answer so says nothing:
//
//   - LM Studio lists its models with more about them (GET /api/v0/models);
//   - Ollama is asked about each (POST /api/show);
//   - llama.cpp tells of the model it has (GET /props).
func (g *Gateway) ask(ctx context.Context, p provider.Provider, c keys.Credential, list []provider.Model) {
	root, ok := strings.CutSuffix(p.BaseURL, "/v1")
	if !ok || !slices.ContainsFunc(list, func(m provider.Model) bool { return m.Images == nil || m.Context == 0 }) {
		return
	}
	p.BaseURL = root
	ctx, cancel := context.WithTimeoutCause(ctx, ableTimeout, errStalled)
	defer cancel()
	get := func(path string, body any) ([]byte, error) {
		op := provider.Operation{Provider: p.ID, Protocol: p.Protocol, Method: http.MethodGet, Path: path}
		header := http.Header{"User-Agent": {"piwork"}, "Accept": {"application/json"}}
		var data []byte
		if body != nil {
			op.Method = http.MethodPost
			header.Set("Content-Type", "application/json")
			var err error
			if data, err = json.Marshal(body); err != nil {
				return nil, err
			}
		}
		return g.answer(ctx, p, c, op, header, data)
	}
	if data, err := get("/api/v0/models", nil); err == nil {
		if more, err := provider.ParseModels(data); err == nil {
			for i, m := range list {
				if n := slices.IndexFunc(more, func(o provider.Model) bool { return o.ID == m.ID }); n >= 0 {
					list[i].Able = m.Or(more[n].Able)
				}
			}
			return
		}
	}
	if data, err := get("/props", nil); err == nil {
		if a, ok := provider.ParseProps(data); ok {
			if len(list) == 1 {
				list[0].Able = list[0].Or(a)
			}
			return
		}
	}
	show := func(i int) bool {
		data, err := get("/api/show", map[string]string{"model": list[i].ID})
		if err != nil {
			return false
		}
		a, ok := provider.ParseShow(data)
		list[i].Able = list[i].Or(a)
		return ok
	}
	n := min(len(list), ableModels)
	if n == 0 || !show(0) { // it is no Ollama, or an old one
		return
	}
	next := make(chan int)
	var all sync.WaitGroup
	for range ableAtOnce {
		all.Go(func() {
			for i := range next {
				show(i)
			}
		})
	}
	for i := 1; i < n; i++ {
		next <- i
	}
	close(next)
	all.Wait()
}
