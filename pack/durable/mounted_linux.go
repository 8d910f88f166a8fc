package durable

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// unmounted returns an error for a directory in which something is mounted, or that is a
// mount itself: what is in there is somebody else's. Where it cannot be told nothing is.
func unmounted(dir string) error {
	info, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil
	}
	if above, err := filepath.EvalSymlinks(filepath.Dir(dir)); err == nil {
		dir = filepath.Join(above, filepath.Base(dir))
	}
	if at := mountIn(string(info), dir); at != "" {
		return fmt.Errorf("remove %s: something is mounted at %s", dir, at)
	}
	return nil
}

// mountIn is the first mount at or below a directory, as mountinfo says (proc_pid_mountinfo(5)).
func mountIn(mountinfo, dir string) string {
	for line := range strings.Lines(mountinfo) {
		if f := strings.Fields(line); len(f) > 4 {
			if at := unescaped.Replace(f[4]); at == dir || strings.HasPrefix(at, strings.TrimSuffix(dir, "/")+"/") {
				return at
			}
		}
	}
	return ""
}

// unescaped is a path of mountinfo as it is.
var unescaped = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)
