//go:build unix

package vmhost

import (
	"os"
	"strings"
)

// hostTimeZone returns this computer's zone as an IANA name, "" when it has
// none: from TZ, else from where /etc/localtime points to.
func hostTimeZone() string {
	if tz, ok := os.LookupEnv("TZ"); ok {
		return zoneName(strings.TrimPrefix(tz, ":"))
	}
	target, err := os.Readlink("/etc/localtime")
	if err != nil {
		return ""
	}
	return zoneName(target)
}

// zoneName cuts the directory of the zones off a path.
func zoneName(s string) string {
	if _, name, ok := strings.Cut(s, "zoneinfo/"); ok {
		return name
	}
	if strings.HasPrefix(s, "/") {
		return ""
	}
	return s
}
