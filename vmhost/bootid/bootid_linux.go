package bootid

import (
	"os"
	"strings"
)

// ID identifies this boot of the computer (random(4)).
func ID() (string, error) {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(b)), err
}
