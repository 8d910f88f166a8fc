package boot

import "testing"

// A cache that is smaller than its disk keeps the rest from programs; whatever a file
// system says of itself, no number is below zero.
func TestReservedBlocks(t *testing.T) {
	for _, tt := range []struct{ blocks, size, limitMB, want int64 }{
		{4 << 20, 4096, 10 << 10, 4<<20 - 10<<18},
		{4 << 20, 4096, 16 << 10, 0},
		{4 << 20, 4096, 1 << 20, 0},
		{4 << 20, 0, 64, 0},
		{4 << 20, -1, 64, 0},
		{-5, 4096, 64, 0},
	} {
		if got := reservedBlocks(tt.blocks, tt.size, tt.limitMB); got != tt.want {
			t.Errorf("%d blocks of %d, %d MiB: %d", tt.blocks, tt.size, tt.limitMB, got)
		}
	}
}
