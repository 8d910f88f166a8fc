package update

import (
	"net/http"
	"runtime"
	"testing"
)

// Memory does not grow with what is fetched: a large archive takes a few buffers.
func TestBuffers(t *testing.T) {
	arch := newArchive(1100, 12)
	if len(arch.data) < 30<<20 {
		t.Fatalf("%d bytes", len(arch.data))
	}
	for name, h := range map[string]http.Handler{"ranges": content(arch.data, `"1"`), "whole": whole(arch.data)} {
		run(t, name, func(t *testing.T, w *world) {
			w.serve("m0.test:80", h, nil)
			c := w.client(Options{Mirrors: []string{"http://m0.test"}})
			s := arch.store()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if err := c.get(t.Context(), "x", arch.length(), s, nil); err != nil {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&after)
			if n := after.TotalAlloc - before.TotalAlloc; n > 8<<20 {
				t.Errorf("%d bytes were allocated for %d", n, arch.length())
			}
		})
	}
}
