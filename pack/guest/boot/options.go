package boot

import (
	"fmt"
	"path"
	"strings"
)

// Options is what the kernel command line tells the agent.
type Options struct {
	Root string // block device of the read-only root image, "" for a proof boot
	Work string // block device of the task's ext4, "" for a root on tmpfs
}

// ParseOptions reads the piwork.* words of a kernel command line. The last of
// equal words wins, as the kernel does it; foreign words are left alone.
func ParseOptions(commandLine string) (Options, error) {
	var o Options
	for _, word := range strings.Fields(commandLine) {
		key, value, _ := strings.Cut(word, "=")
		var to *string
		switch key {
		case "piwork.root":
			to = &o.Root
		case "piwork.work":
			to = &o.Work
		default:
			continue
		}
		if value != "" && (path.Clean(value) != value || !strings.HasPrefix(value, "/dev/")) {
			return Options{}, fmt.Errorf("%s: %q is not a device below /dev", key, value)
		}
		*to = value
	}
	if o.Work != "" && o.Root == "" {
		return Options{}, fmt.Errorf("piwork.work=%s without piwork.root", o.Work)
	}
	return o, nil
}
