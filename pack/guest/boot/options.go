package boot

import (
	"fmt"
	"path"
	"strings"

	"piwork/pack/guest/verity"
)

// Options is what the kernel command line tells the agent.
type Options struct {
	Root   string         // block device of the read-only root image, "" for a proof boot
	Verity *verity.Params // of the root image, nil when it is not protected
	Work   string         // block device of the task's ext4, "" for a root on tmpfs
}

// ParseOptions reads the piwork.* words of a kernel command line. The last of
// equal words wins, as the kernel does it; foreign words are left alone.
//
// What is wrong with them is an error and no options at all: a root whose
// protection is not understood is not opened.
func ParseOptions(commandLine string) (Options, error) {
	var o Options
	for _, word := range strings.Fields(commandLine) {
		key, value, _ := strings.Cut(word, "=")
		var to *string
		switch key {
		case "piwork.verity":
			o.Verity = nil
			if value == "" {
				continue
			}
			p, err := verity.Parse(value)
			if err != nil {
				return Options{}, fmt.Errorf("%s: %w", key, err)
			}
			o.Verity = &p
			continue
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
	if o.Root == "" && (o.Work != "" || o.Verity != nil) {
		return Options{}, fmt.Errorf("piwork.work= or piwork.verity= without piwork.root=")
	}
	return o, nil
}
