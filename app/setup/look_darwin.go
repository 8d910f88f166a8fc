package setup

import "golang.org/x/sys/unix"

// Look looks at this computer.
func Look() Facts {
	return darwinFacts(darwinSource{number: unix.SysctlUint32, text: unix.Sysctl, cpu: askProcessor})
}
