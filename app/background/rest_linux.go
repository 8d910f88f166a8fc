package background

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// unmapStart lets go of the pages of the program's own file: the start reads most of them,
// rest needs few, and those come back from the cache of the system when they are used
// (MADV_DONTNEED of madvise(2)).
func unmapStart() {
	own, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	smaps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		return
	}
	for _, r := range unchanged(string(smaps), own) {
		_, _, _ = unix.Syscall(unix.SYS_MADVISE, r.from, r.to-r.from, unix.MADV_DONTNEED) // advice: nothing depends on it
	}
}

type span struct{ from, to uintptr }

// unchanged returns where, by proc_pid_smaps(5), a file lies in memory as it is on the disk:
// nobody can write there, and nobody has. The dynamic linker writes into a part of a program
// before it makes that read-only (RELRO).
func unchanged(smaps, file string) []span {
	var out []span
	var at span
	for line := range strings.Lines(smaps) {
		word := strings.Fields(line)
		var s span
		switch {
		case len(word) > 1 && strings.Contains(word[0], "-"):
			at = span{}
			if len(word) != 6 || word[5] != file || strings.Contains(word[1], "w") {
				continue
			}
			if _, err := fmt.Sscanf(word[0], "%x-%x", &s.from, &s.to); err == nil && s.from < s.to {
				at = s
			}
		case len(word) == 3 && word[0] == "Anonymous:" && word[1] == "0" && at != span{}:
			out = append(out, at)
		}
	}
	return out
}
