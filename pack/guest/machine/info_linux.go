package machine

import (
	"bufio"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Memory returns the memory of the machine, in bytes.
func Memory() (int64, error) {
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil {
		return 0, err
	}
	return int64(info.Totalram) * int64(info.Unit), nil
}

// enough is the free memory above which something may be kept that only makes
// programs start sooner, in bytes.
const enough = 160 << 20

// CanSpare reports whether there is memory for what is not needed.
func CanSpare() bool {
	b, err := os.ReadFile("/proc/meminfo")
	return err == nil && available(string(b)) >= enough
}

// available reads the memory that programs can have without swapping from
// /proc/meminfo (proc(5)), in bytes; 0 when it does not say.
func available(meminfo string) int64 {
	for line := range strings.Lines(meminfo) {
		if rest, ok := strings.CutPrefix(line, "MemAvailable:"); ok {
			n, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			if err != nil {
				return 0
			}
			return n << 10
		}
	}
	return 0
}

// maxStatus bounds the package database that is read, in bytes.
const maxStatus = 32 << 20

// PackageVersions returns the versions of Debian packages from dpkg's status
// file, without epoch and revision: those of the programs themselves.
func PackageVersions(status string, packages map[string]string) (map[string]string, error) {
	f, err := os.Open(status)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	versions, name := map[string]string{}, ""
	lines := bufio.NewScanner(io.LimitReader(f, maxStatus))
	lines.Buffer(make([]byte, 64<<10), 1<<20)
	for lines.Scan() {
		key, value, _ := strings.Cut(lines.Text(), ": ")
		switch key {
		case "Package":
			name = value
		case "Version":
			if tool := packages[name]; tool != "" {
				versions[tool] = upstream(value)
			}
		}
	}
	return versions, lines.Err()
}

// upstream is a Debian version without epoch, revision and repacking mark.
func upstream(v string) string {
	if _, after, ok := strings.Cut(v, ":"); ok {
		v = after
	}
	if i := strings.LastIndexByte(v, '-'); i > 0 {
		v = v[:i]
	}
	v, _, _ = strings.Cut(v, "+")
	return v
}
