package vmhost

import "os"

// hostTimeZone returns this computer's zone as an IANA name, "" when it has
// none: Windows has names of its own, so only TZ is one.
func hostTimeZone() string { return os.Getenv("TZ") }
