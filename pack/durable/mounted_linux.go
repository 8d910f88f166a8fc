package durable

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Mount is where something is mounted, and the kind of file system.
type Mount struct {
	At, Type string
	Device   string // its number, as in 0:35
	Shared   bool   // what is mounted in it reaches the namespaces that it was copied to
}

// MountsIn are the mounts at and below a directory, of the text of mountinfo
// (proc_pid_mountinfo(5)).
func MountsIn(mountinfo, dir string) (all []Mount) {
	for line := range strings.Lines(mountinfo) {
		before, after, _ := strings.Cut(line, " - ")
		f := strings.Fields(before)
		if len(f) < 5 {
			continue
		}
		if at := unescaped.Replace(f[4]); at == dir || strings.HasPrefix(at, strings.TrimSuffix(dir, "/")+"/") {
			kind, _, _ := strings.Cut(after, " ")
			shared := slices.ContainsFunc(f[5:], func(s string) bool { return strings.HasPrefix(s, "shared:") })
			all = append(all, Mount{at, kind, f[2], shared})
		}
	}
	return all
}

// unescaped is a path of mountinfo as it is.
var unescaped = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)

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
	if all := MountsIn(string(info), dir); len(all) > 0 {
		return fmt.Errorf("remove %s: something is mounted at %s", dir, all[0].At)
	}
	return nil
}
