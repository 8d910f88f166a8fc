package capacity

import (
	"context"
	"fmt"
	"runtime"

	"github.com/shirou/gopsutil/v4/disk"
	"github.com/shirou/gopsutil/v4/mem"
)

const mib = 1 << 20

// Look asks the operating system. Where a limit is put on this program and what it
// starts (Linux: memory.max of its control groups), that is the computer.
func Look(ctx context.Context) (Host, error) {
	m, err := mem.VirtualMemoryWithContext(ctx)
	if err != nil {
		return Host{}, fmt.Errorf("ask how much memory there is: %w", err)
	}
	total, free := within(m.Total, m.Available)
	return Host{MemoryMB: int(total / mib), FreeMB: int(min(free, total) / mib), CPUs: runtime.NumCPU()}, nil
}

// DiskFree is how much this user may still write to the file system of dir, in
// MiB.
func DiskFree(ctx context.Context, dir string) (int, error) {
	u, err := disk.UsageWithContext(ctx, dir)
	if err != nil {
		return 0, fmt.Errorf("ask how much space %s has: %w", dir, err)
	}
	return int(u.Free / mib), nil
}
