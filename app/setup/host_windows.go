package setup

import (
	"fmt"

	"golang.org/x/sys/windows"
)

// hostRelease is the version of the running system: a proof is of no worth
// after it changed.
func hostRelease() string {
	v := windows.RtlGetVersion()
	return fmt.Sprintf("%d.%d.%d", v.MajorVersion, v.MinorVersion, v.BuildNumber)
}
