package update

import (
	"io"
	"net/http"
	"net/http/httptest"
	"piwork/pack/spec"
	"testing"

	"piwork/pack"
	"piwork/pack/packtest"
)

// BenchmarkGet fetches a pack into an assembly, against reading the same bytes
// and doing nothing with them.
func BenchmarkGet(b *testing.B) {
	f := packtest.Files()
	f["guest/rootfs.img"] = noise(64<<20, 1)
	p := release(b, packtest.Options{Files: f})
	srv := httptest.NewServer(content(p.data, `"1"`))
	defer srv.Close()
	c, err := New(Options{Mirrors: []string{srv.URL}, Proxy: "direct"})
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	b.Run("assembly", func(b *testing.B) {
		b.SetBytes(p.target.Length)
		for b.Loop() {
			h, err := c.Head(b.Context(), p.target, p.Keys, spec.Policy{})
			if err != nil {
				b.Fatal(err)
			}
			a, err := pack.Assemble(b.Context(), h, newStore(b), p.Keys, pack.AssembleOptions{})
			if err != nil {
				b.Fatal(err)
			}
			if err := c.Get(b.Context(), p.target, a, nil); err != nil {
				b.Fatal(err)
			}
			if err := a.Abandon(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("discard", func(b *testing.B) {
		b.SetBytes(p.target.Length)
		for b.Loop() {
			resp, err := http.Get(srv.URL)
			if err != nil {
				b.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
	})
}
