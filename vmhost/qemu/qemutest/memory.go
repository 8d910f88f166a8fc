package qemutest

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Memory sums a figure of proc_pid_smaps(5), such as Rss or Pss, over the mappings of
// a process that are wanted by their path, in KiB. Errors: the process has ended, or
// has none of these.
func Memory(pid int, name string, wanted func(path string) bool) (kib int64, err error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps", pid))
	if err != nil {
		return 0, err
	}
	counts, found := false, false
	for line := range strings.Lines(string(b)) {
		words := strings.Fields(line)
		if first, _, ok := strings.Cut(words[0], "-"); ok && len(words) >= 5 { // a mapping: address, rights, offset, device, inode, path
			if _, err := strconv.ParseUint(first, 16, 64); err == nil {
				counts = wanted(strings.Join(words[5:], " "))
				continue
			}
		}
		if !counts || words[0] != name+":" {
			continue
		}
		n, err := strconv.ParseInt(words[1], 10, 64)
		if err != nil {
			return 0, fmt.Errorf("%s of a mapping: %w", name, err)
		}
		kib, found = kib+n, true
	}
	if !found {
		return 0, fmt.Errorf("no %s of a mapping that is wanted", name)
	}
	return kib, nil
}
