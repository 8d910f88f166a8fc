package capacity

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// LookAtPower reads /sys/class/power_supply
// (Documentation/ABI/testing/sysfs-class-power).
func LookAtPower(context.Context) Power { return supplies("/sys/class/power_supply") }

func supplies(dir string) Power {
	p := Power{Percent: -1}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return p
	}
	for _, e := range entries {
		read := func(name string) string {
			data, err := os.ReadFile(filepath.Join(dir, e.Name(), name))
			if err != nil {
				return ""
			}
			return strings.TrimSpace(string(data))
		}
		if read("type") != "Battery" || read("scope") == "Device" { // of a mouse
			continue
		}
		if read("status") == "Discharging" {
			p.Battery = true
		}
		if n, err := strconv.Atoi(read("capacity")); err == nil && (p.Percent < 0 || n < p.Percent) {
			p.Percent = n
		}
	}
	return p
}
