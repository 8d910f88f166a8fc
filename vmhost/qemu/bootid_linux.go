package qemu

import (
	"os"
	"strings"
)

// hostBootID identifies this boot of the computer (random(4)).
func hostBootID() (string, error) {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(b)), err
}
