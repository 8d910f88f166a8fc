package capacity

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// within lowers what the computer has to what the control groups of this program
// allow: a session, a container, a service with a limit.
func within(total, free uint64) (uint64, uint64) {
	own, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return total, free
	}
	return withinGroup("/sys/fs/cgroup", string(own), total, free)
}

// withinGroup reads memory.max, memory.current and the file cache in memory.stat
// of a control group (cgroups(7), version 2) and of those above it. own is the
// content of /proc/self/cgroup.
func withinGroup(root, own string, total, free uint64) (uint64, uint64) {
	_, path, ok := strings.Cut(own, "0::")
	if !ok {
		return total, free // version 1
	}
	path, _, _ = strings.Cut(path, "\n")
	for dir := filepath.Clean("/" + path); ; dir = filepath.Dir(dir) {
		limit, err := readNumber(filepath.Join(root, dir, "memory.max"))
		if err == nil {
			total = min(total, limit)
			if used, err := readNumber(filepath.Join(root, dir, "memory.current")); err == nil {
				used -= min(used, fileCache(filepath.Join(root, dir, "memory.stat")))
				free = min(free, limit-min(limit, used))
			}
		}
		if dir == "/" {
			return total, free
		}
	}
}

func readNumber(name string) (uint64, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return 0, err
	}
	return strconv.ParseUint(strings.TrimSpace(string(data)), 10, 64) // "max" is no number: no limit
}

// fileCache is what the kernel drops before it lets a group run out, in bytes.
func fileCache(stat string) uint64 {
	data, err := os.ReadFile(stat)
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(data)) {
		if value, ok := strings.CutPrefix(line, "inactive_file "); ok {
			n, err := strconv.ParseUint(strings.TrimSpace(value), 10, 64)
			if err == nil {
				return n
			}
		}
	}
	return 0
}
