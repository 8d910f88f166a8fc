package setup

import (
	"bufio"
	"os"
	"slices"
	"strings"
)

// LookAtDevice looks at /dev/kvm and /proc/cpuinfo.
func LookAtDevice() Device {
	d := Device{Looked: true, Path: "/dev/kvm"}
	f, err := os.OpenFile(d.Path, os.O_RDWR, 0)
	if err != nil {
		d.Err = err
	} else {
		_ = f.Close()
	}
	info, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return d
	}
	defer info.Close()
	d.readCPU(bufio.NewScanner(info))
	return d
}

// readCPU reads the first processor of /proc/cpuinfo, see proc_cpuinfo(5). On
// arm64 there is no line of flags: nothing is known then.
func (d *Device) readCPU(lines *bufio.Scanner) {
	lines.Buffer(nil, 1<<20)
	for lines.Scan() && lines.Text() != "" {
		name, value, _ := strings.Cut(lines.Text(), ":")
		switch strings.TrimSpace(name) {
		case "model name":
			d.CPU = strings.TrimSpace(value)
		case "flags":
			flags := strings.Fields(value)
			d.CPULooked = true
			d.Hypervisor = slices.Contains(flags, "hypervisor")
			for _, f := range []string{"vmx", "svm"} {
				if slices.Contains(flags, f) {
					d.CPUFlag = f
				}
			}
		}
	}
}
