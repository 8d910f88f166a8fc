package diagnostics

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkText redacts what logs mostly hold: lines without a secret. Beside it is
// copying them, which says what the computer does.
func BenchmarkText(b *testing.B) {
	var log strings.Builder
	for n := 0; log.Len() < 1<<20; n++ {
		fmt.Fprintf(&log, "2026-03-14T09:26:53.%06dZ info task t%d: the machine has started, restored in %d ms, 4 folders are shared\n", n%1_000_000, n, n%900)
		fmt.Fprintf(&log, "[    %d.%06d] virtio_blk virtio1: [vda] %d 512-byte logical blocks (%d MB/%d MiB)\n", n, n%1_000_000, n*512, n, n)
		fmt.Fprintf(&log, `{"time":"2026-03-14T09:26:53Z","level":"INFO","msg":"request","method":"GET","path":"/v1/tasks","status":200,"ms":%d}`+"\n", n)
	}
	text := log.String()
	r := NewRedactor(Known{Users: []string{"Maria Schmidt"}, Hosts: []string{"marias-laptop.local"}})
	b.Run("redacted", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			r.Text(text)
		}
	})
	b.Run("copied", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			_ = strings.Clone(text)
		}
	})
}
