package background

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// unmapStart lets go of the pages of the program's own file: the start reads most of them,
// rest needs few, and those come back from the cache of the system when they are used
// (MADV_DONTNEED of madvise(2): a private mapping of a file that nobody can write to).
func unmapStart() {
	own, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return
	}
	for line := range strings.Lines(string(maps)) {
		word := strings.Fields(line)
		if len(word) < 6 || word[5] != own || strings.Contains(word[1], "w") {
			continue
		}
		var from, to uintptr
		if _, err := fmt.Sscanf(word[0], "%x-%x", &from, &to); err == nil && from < to {
			_, _, _ = unix.Syscall(unix.SYS_MADVISE, from, to-from, unix.MADV_DONTNEED) // advice: nothing depends on it
		}
	}
}
