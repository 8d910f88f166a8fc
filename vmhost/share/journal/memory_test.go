package journal

import (
	"fmt"
	"path/filepath"
	"runtime"
	"testing"
)

// What is counted as memory is about what is used, for things with short names and with
// long ones.
func TestMemory(t *testing.T) {
	for _, length := range []int{8, 200} {
		w := newWorld(t, filepath.Join(t.TempDir(), "j"))
		w.start()
		used := func() uint64 {
			var m runtime.MemStats
			runtime.GC()
			runtime.GC()
			runtime.ReadMemStats(&m)
			return m.HeapAlloc
		}
		before, counted := used(), w.j.Usage().Memory
		const many = 1000
		for i := range many {
			w.check(w.mkdir(fmt.Sprintf("%0*d", length, i)))
		}
		real, said := int64(used()-before)/many, (w.j.Usage().Memory-counted)/many
		t.Logf("names of %d bytes: %d bytes each, counted as %d", length, real, said)
		if said < real*2/3 || said > real*3 {
			t.Errorf("names of %d bytes: %d bytes each, counted as %d", length, real, said)
		}
		w.stop()
	}
}
