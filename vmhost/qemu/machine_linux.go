package qemu

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// machineParts are the first processor's lines in /proc/cpuinfo, but for those
// that change by themselves (proc_cpuinfo(5)), and the kernel.
func machineParts() ([]string, error) {
	b, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return nil, err
	}
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return nil, fmt.Errorf("uname: %w", err)
	}
	return append(processor(string(b)), unix.ByteSliceToString(u.Release[:]), unix.ByteSliceToString(u.Version[:]), unix.ByteSliceToString(u.Machine[:])), nil
}

func processor(cpuinfo string) []string {
	first, _, _ := strings.Cut(cpuinfo, "\n\n")
	var parts []string
	for line := range strings.Lines(first) {
		name, value, _ := strings.Cut(line, ":")
		switch name = strings.TrimSpace(name); name {
		case "processor", "cpu MHz", "bogomips", "BogoMIPS", "physical id", "siblings", "core id", "cpu cores", "apicid", "initial apicid":
		default:
			parts = append(parts, name+":"+strings.TrimSpace(value))
		}
	}
	return parts
}
